"""Handing out queries: each to one annotator at a time."""

import math
import uuid
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import PurePosixPath
from typing import Any

from sqlalchemy import Select, Update, bindparam, or_, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from api.labeling import status
from api.labeling.schemas import Lease, LeasedQuery, LeaseRequest
from api.principal import Principal
from core.project_settings import ProjectSettings
from core.states import ProjectState
from core.tables import Example, Project, Query, Round

_COLUMNS = (
    Query.id,
    Query.round_id,
    Query.rank,
    Query.example_id,
    Example.width,
    Example.height,
    Example.name,
)
_LEASE: dict[str, Any] = {
    "lease_holder": bindparam("user"),
    "lease_client": bindparam("tab"),
    "lease_token": bindparam("token"),
    "lease_expires_at": bindparam("expires"),
}


def _claim(which: Select[int]) -> Update:
    """Lease the queries that ``which`` finds, except rows that another transaction holds.

    SKIP LOCKED lets many annotators take the head of the queue at once without waiting for each
    other, and keeps leasing out of every deadlock, since it never waits.
    """
    found = (
        which.with_for_update(skip_locked=True)
        .cte("found")
        .prefix_with("MATERIALIZED", dialect="postgresql")
    )
    return (
        update(Query)
        .where(Query.id == found.c.id, Example.id == Query.example_id)
        .values(_LEASE)
        .returning(*_COLUMNS)
    )


_HELD = select(Query.id).where(
    Query.lease_client == bindparam("tab"),
    Query.lease_holder == bindparam("user"),
    Query.project_id == bindparam("project"),
    ~Query.done,
)
_MINE = _claim(_HELD.where(Query.lease_expires_at > bindparam("now")))
# The partial index on open rows gives the order without a sort.
_FREE = _claim(
    select(Query.id)
    .where(
        Query.round_id == bindparam("round"),
        ~Query.done,
        or_(Query.lease_expires_at.is_(None), Query.lease_expires_at <= bindparam("now")),
    )
    .order_by(Query.rank)
    .limit(bindparam("wanted"))
)
_RELEASE = (
    update(Query)
    .where(Query.id.in_(_HELD.with_for_update(skip_locked=True)))
    .values(lease_holder=None, lease_client=None, lease_token=None, lease_expires_at=None)
    .returning(Query.id)
)


async def lease(
    session: AsyncSession, principal: Principal, project: Project, body: LeaseRequest
) -> Lease:
    """The client's live leases, extended, and new ones up to ``body.n`` in all."""
    rounds = (await session.scalars(status.unfinished(project.id))).all()
    serving = status.serving_round(rounds)
    if project.state is not ProjectState.RUNNING or serving is None:
        return _answer(project, rounds, [], None, None)
    now = datetime.now(UTC)
    settings = ProjectSettings.model_validate(serving.settings)
    token, expires = uuid.uuid4(), now + timedelta(seconds=settings.lease_seconds)
    values: dict[str, Any] = {
        "user": principal.id,
        "tab": body.client,
        "token": token,
        "expires": expires,
        "now": now,
        "project": project.id,
    }
    rows = list((await session.execute(_MINE, values)).all())
    wanted = min(body.n - len(rows), _affordable(serving, settings))
    if wanted > 0:
        claim = {**values, "round": serving.id, "wanted": wanted}
        rows += (await session.execute(_FREE, claim)).all()
    return _answer(project, rounds, rows, token, expires)


def _affordable(serving: Round, settings: ProjectSettings) -> int:
    """Without zero-wait nothing is shown that the round could no longer pay for."""
    if settings.zero_wait or settings.cost.mode == "seconds":
        return 2**31
    cheapest = min(settings.cost.c_in, settings.cost.c_ood)
    return math.ceil((serving.budget - serving.spent) / cheapest)


def _answer(
    project: Project,
    rounds: Sequence[Round],
    rows: Sequence[Any],
    token: uuid.UUID | None,
    expires: datetime | None,
) -> Lease:
    numbers = {round_.id: round_.number for round_ in rounds}
    items = [
        LeasedQuery(
            query_id=row.id,
            example_id=row.example_id,
            rank=row.rank,
            round=numbers[row.round_id],
            image_url=f"/api/examples/{row.example_id}/image",
            width=row.width,
            height=row.height,
            # Without its folders: in an ImageFolder they are the classes.
            name=PurePosixPath(row.name).name,
        )
        # A lease taken before its round closed is answered late rather than shown again.
        for row in sorted(rows, key=lambda row: row.rank)
        if row.round_id in numbers
    ]
    return Lease(
        lease_token=token if items else None,
        expires_at=expires if items else None,
        items=items,
        status=status.describe(project.state, rounds, served=bool(items)),
    )


async def release(
    session: AsyncSession, principal: Principal, project: Project, client: uuid.UUID
) -> int:
    """Give back what the client holds; returns how many queries."""
    held = {"tab": client, "user": principal.id, "project": project.id}
    return len((await session.scalars(_RELEASE, held)).all())
