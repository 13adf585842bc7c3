"""What webhooks are told: noted in the transaction in which it happens, written when it is sent."""

from typing import Any, Final

from sqlalchemy.orm import object_session

from core.db import Base
from core.messages import DeliverWebhooks
from core.queue import remember
from core.states import EventKind
from core.tables import WebhookEvent

TEST: Final = "webhook.test"
"""Kind of the event that somebody asks for, to see whether it arrives."""
SECRET_PREFIX: Final = "whsec_"
"""What secrets begin with, by the convention of Standard Webhooks."""
VERSION: Final = 1
"""Of the payload; the same for as long as names are only added."""


def note(about: Base, kind: EventKind, project_id: int | None, data: dict[str, Any]) -> None:
    """Add an event to the session of ``about``, so that it is stored with the change or not at all.

    Args:
        about: What has changed; nothing is noted of an object that no session knows.
        kind: What happened to it.
        project_id: The project it belongs to.
        data: Small and JSON-ready: ids, names and numbers as they are now.
    """
    session = object_session(about)
    if session is not None:
        session.add(WebhookEvent(kind=kind.value, project_id=project_id, data=data))
        remember(session.info, DeliverWebhooks())


def message_id(event: WebhookEvent) -> str:
    """What receivers know an event by, however often it is sent."""
    return f"msg_{event.key.hex}"


def payload(event: WebhookEvent, project: str | None, base: str | None) -> dict[str, Any]:
    """What is sent.

    Args:
        event: What happened.
        project: Name of its project, if it has one.
        base: Address that people reach Karat at; without it links are paths.

    Returns:
        JSON-ready: ``version``, ``type``, ``timestamp``, ``sequence`` (grows with every event) and
        ``data`` with the project, the round or the job.
    """
    data = dict(event.data)
    if event.project_id is not None:
        page = f"{(base or '').rstrip('/')}/projects/{event.project_id}"
        data["project"] = {"id": event.project_id, "name": project, "url": page}
        for name, path, key in (("round", "rounds", "number"), ("job", "jobs", "id")):
            if name in data:
                data[name] = {**data[name], "url": f"{page}/{path}/{data[name][key]}"}
    return {
        "version": VERSION,
        "type": event.kind,
        "timestamp": event.at.isoformat(),
        "sequence": event.id,
        "data": data,
    }
