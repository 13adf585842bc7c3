"""What webhooks are told: noted in the transaction in which it happens, written when it is sent."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from sqlalchemy.orm import object_session

from core.jobs.messages import DeliverWebhooks
from core.jobs.queue import remember
from core.states import CertificateState, EventKind, JobState, ProjectState, RoundState
from core.tables import Certificate, Job, Webhook, WebhookEvent
from core.tables.base import Base

TEST: Final = "webhook.test"
"""Kind of the event that somebody asks for, to see whether it arrives."""
SECRET_PREFIX: Final = "whsec_"
"""What secrets begin with, by the convention of Standard Webhooks."""
VERSION: Final = 1
"""Of the payload; the same for as long as names are only added."""
PROJECT_EVENTS: Final[Mapping[tuple[ProjectState, ProjectState], EventKind]] = {
    (ProjectState.DRAFT, ProjectState.RUNNING): EventKind.PROJECT_STARTED,
    (ProjectState.RUNNING, ProjectState.PAUSED): EventKind.PROJECT_PAUSED,
    (ProjectState.PAUSED, ProjectState.RUNNING): EventKind.PROJECT_RESUMED,
    (ProjectState.FINISHED, ProjectState.RUNNING): EventKind.PROJECT_RESUMED,
    (ProjectState.RUNNING, ProjectState.FINISHED): EventKind.PROJECT_FINISHED,
    (ProjectState.PAUSED, ProjectState.FINISHED): EventKind.PROJECT_FINISHED,
}
ROUND_EVENTS: Final[Mapping[RoundState, EventKind]] = {
    RoundState.OPEN: EventKind.ROUND_OPENED,
    RoundState.CLOSING: EventKind.ROUND_CLOSING,
    RoundState.CLOSED: EventKind.ROUND_CLOSED,
    RoundState.FAILED: EventKind.ROUND_FAILED,
}
CERTIFICATE_EVENTS: Final[Mapping[CertificateState, EventKind]] = {
    CertificateState.ASKING: EventKind.CERTIFICATE_ASKING,
    CertificateState.READY: EventKind.CERTIFICATE_READY,
    CertificateState.APPLIED: EventKind.CERTIFICATE_APPLIED,
    CertificateState.REVOKED: EventKind.CERTIFICATE_REVOKED,
    CertificateState.REFUSED: EventKind.CERTIFICATE_REFUSED,
}
JOB_EVENTS: Final[Mapping[JobState, EventKind]] = {
    JobState.PAUSED: EventKind.JOB_PAUSED,
    JobState.SUCCEEDED: EventKind.JOB_SUCCEEDED,
    JobState.FAILED: EventKind.JOB_FAILED,
    JobState.CANCELLED: EventKind.JOB_CANCELLED,
}
"""What a change of state is told as."""
_PAGES: Final = (
    ("round", "rounds", "number"),
    ("certificate", "certificates", "id"),
    ("job", "jobs", "id"),
)
"""What an event may be about, where its page is, and what of it the address ends in."""


def old_secrets(hook: Webhook, now: datetime) -> list[str]:
    """Those before the present one that still sign, the oldest first."""
    if hook.old_secret is None or hook.old_secret_until is None or hook.old_secret_until <= now:
        return []
    return hook.old_secret.split()


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


def note_job(job: Job, ended: datetime) -> None:
    """Tell webhooks of a job that has ended, or waits for somebody to decide.

    A part says nothing by itself: the job that it belongs to does. Whoever has something looked at
    waits for it.
    """
    if not (job.kind.is_passing or job.parent_id is not None or job.dry_run):
        note(job, JOB_EVENTS[job.state], job.project_id, {"job": _facts(job, ended)})


def note_certificate(certificate: Certificate) -> None:
    """Tell webhooks of the state that ``certificate`` stays in for now.

    Not of those that it goes through on the way: people would be called for nothing.
    """
    if (kind := CERTIFICATE_EVENTS.get(certificate.state)) is not None:
        promised = {name: certificate.settings.get(name) for name in ("target", "confidence")}
        facts = {"id": certificate.id, "images": certificate.images, **promised}
        data = {"certificate": {**facts, "refused": certificate.refused}}
        note(certificate, kind, certificate.project_id, data)


def _facts(job: Job, ended: datetime) -> dict[str, Any]:
    seconds = None if job.started_at is None else (ended - job.started_at).total_seconds()
    numbers = {
        name: value
        for name, value in (job.result or {}).items()
        if isinstance(value, int | float) and not isinstance(value, bool)
    }
    return {
        "id": job.id,
        "kind": job.kind.value,
        "attempt": job.attempt,
        "seconds": seconds,
        "error": job.error,
        "pause": job.pause,
        "numbers": numbers,
    }


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
        ``data`` with the project, and the round, the certificate or the job.
    """
    data = dict(event.data)
    if event.project_id is not None:
        page = f"{(base or '').rstrip('/')}/projects/{event.project_id}"
        data["project"] = {"id": event.project_id, "name": project, "url": page}
        for name, path, key in _PAGES:
            if name in data:
                data[name] = {**data[name], "url": f"{page}/{path}/{data[name][key]}"}
    return {
        "version": VERSION,
        "type": event.kind,
        "timestamp": event.at.isoformat(),
        "sequence": event.id,
        "data": data,
    }
