"""Telling browsers what a request has changed: noted as it changes, sent as its last statement.

Whatever is written into the audit log of a project is told (``api.audit.record``), so that no route
can forget to; who knows more than that something changed says so here.
"""

from collections.abc import Mapping
from typing import Any, Final

from sqlalchemy.ext.asyncio import AsyncSession

from core.events import Topic, notify

_KEY: Final = "telling"

TOPICS: Final[Mapping[str, Topic]] = {
    "project": Topic.PROJECT,
    "class": Topic.GUIDE,
    "examples": Topic.POOL,
    "job": Topic.JOB,
    # An import is a job of its own.
    "pool": Topic.JOB,
    "import": Topic.JOB,
    "sync": Topic.JOB,
    "round": Topic.ROUND,
    "review": Topic.REVIEW,
    "certificate": Topic.CERTIFICATE,
    "snapshot": Topic.SNAPSHOT,
    "member": Topic.MEMBER,
    "webhook": Topic.WEBHOOK,
}
"""What it is about when an object of this type has changed."""

READS: Final = frozenset({"export", "download", "link"})
"""What is written into the audit log, and changes nothing."""


def tell(session: AsyncSession, project_id: int, topic: Topic, **data: Any) -> None:
    """Tell the project's members when the request's transaction commits.

    Without ``data`` it is only told if nothing else is told of the topic.
    """
    noted: dict[tuple[int, Topic], list[dict[str, Any]]] = session.info.setdefault(_KEY, {})
    told = noted.setdefault((project_id, topic), [])
    if data and data not in told:
        told.append(data)


async def send(session: AsyncSession) -> None:
    """Send what was noted; the last statements before the commit."""
    for (project_id, topic), told in session.info.pop(_KEY, {}).items():
        for data in told or [{}]:
            await session.execute(notify(project_id, topic, data))
