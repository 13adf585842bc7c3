"""Reading the audit log: newest first, in pages by id."""

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Final

from fastapi import Query
from sqlalchemy import Select, and_, select
from sqlalchemy.ext.asyncio import AsyncSession, async_sessionmaker
from sqlalchemy.orm import aliased

from api.admin.schemas import AuditOut, NamedProject, Person
from api.audit import OF_PEOPLE
from api.transfers.streams import csv_of
from core.tables import ApiToken, Audit, Project, User

Word = Annotated[str | None, Query(max_length=100)]
_Id = Annotated[int | None, Query(ge=1, lt=2**63)]
COLUMNS: Final = (
    "at", "actor", "verb", "object_type", "object_id", "object", "project_id", "project", "detail",
    "address", "agent",
)  # fmt: skip
_BLOCK: Final = 1000


@dataclass(frozen=True)
class AuditFilter:
    """What to show; several narrow it down together."""

    actor_id: _Id = None
    verb: Word = None
    object_type: Word = None
    object_id: _Id = None
    project_id: _Id = None
    since: datetime | None = None
    until: Annotated[datetime | None, Query(description="Up to, and without, this time.")] = None


async def entries(
    session: AsyncSession, wanted: AuditFilter, *, cursor: int | None, limit: int
) -> list[AuditOut]:
    """The latest entries below ``cursor``."""
    statement = _matching(wanted).order_by(Audit.id.desc()).limit(limit)
    if cursor is not None:
        statement = statement.where(Audit.id < cursor)
    return [_shown(*row) for row in await session.execute(statement)]


def _matching(wanted: AuditFilter) -> Select[Audit, User, str, str, str]:
    named = aliased(User)
    statement = (
        select(Audit, User, named.email, ApiToken.name, Project.name)
        .outerjoin(User, User.id == Audit.actor_id)
        .outerjoin(named, and_(Audit.object_type.in_(OF_PEOPLE), named.id == Audit.object_id))
        .outerjoin(ApiToken, and_(Audit.object_type == "token", ApiToken.id == Audit.object_id))
        .outerjoin(Project, Project.id == Audit.project_id)
    )
    for column in ("actor_id", "verb", "object_type", "object_id", "project_id"):
        if (value := getattr(wanted, column)) is not None:
            statement = statement.where(getattr(Audit, column) == value)
    if wanted.since is not None:
        statement = statement.where(Audit.at >= wanted.since)
    if wanted.until is not None:
        statement = statement.where(Audit.at < wanted.until)
    return statement


def _shown(
    entry: Audit, actor: User | None, named: str | None, token: str | None, project: str | None
) -> AuditOut:
    known = entry.project_id is not None and project is not None
    return AuditOut(
        id=entry.id,
        at=entry.at,
        actor=Person.model_validate(actor) if actor else None,
        verb=entry.verb,
        object_type=entry.object_type,
        object_id=entry.object_id,
        object_name=named or token or entry.detail.get("name"),
        project=NamedProject(id=entry.project_id, name=project) if known else None,
        address=entry.address,
        agent=entry.agent,
        detail=entry.detail,
    )


def as_csv(sessions: async_sessionmaker[AsyncSession], wanted: AuditFilter) -> AsyncIterator[str]:
    """All matching entries; each block is a transaction of its own, so memory stays flat."""

    async def blocks() -> AsyncIterator[list[list[Any]]]:
        cursor: int | None = None
        while True:
            async with sessions() as session:
                block = await entries(session, wanted, cursor=cursor, limit=_BLOCK)
            yield [_row(entry) for entry in block]
            if len(block) < _BLOCK:
                return
            cursor = block[-1].id

    return csv_of(COLUMNS, blocks())


def _row(entry: AuditOut) -> list[Any]:
    return [
        entry.at.isoformat(),
        entry.actor.email if entry.actor else None,
        entry.verb,
        entry.object_type,
        entry.object_id,
        entry.object_name,
        entry.project.id if entry.project else None,
        entry.project.name if entry.project else None,
        json.dumps(entry.detail, ensure_ascii=False),
        entry.address,
        entry.agent,
    ]
