"""Handing out queries: each to one annotator at a time."""

import math
import uuid
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from psycopg import AsyncConnection
from sqlalchemy.ext.asyncio import AsyncSession

from api.callers.principal import Principal
from api.database.pipelined_sql import driver, fetch
from api.instruction_rows import members_of
from api.labeling import lease_statements as leases
from api.labeling import statements as sql
from api.labeling import status
from api.labeling.schemas import Lease, LeasedQuery, LeaseRequest, ReleaseRequest
from api.labeling.status import ReadRound
from api.schemas.fields import shown_fields
from api.schemas.names import name_for_annotators
from api.schemas.pictures import image_url
from core.errors import NotFound
from core.media.texts.medium import EXCERPT
from core.settings.project import ProjectSettings
from core.states import ProjectState, Role
from core.tables import Project
from core.tasks.proposals import shown, suggested
from core.tasks.registry import task_type

# Of how many times the wanted queries a grid takes those that are alike.
_WINDOW = 4
_MOST_GROUPS = 16
# How long a page may take from listing the open ones until its lease is here.
_SETTLED = timedelta(seconds=5)
# How far the clocks of servers may be apart.
_APART = timedelta(minutes=1)
# How long what is worked at stays with a client that is away.
_KEPT = timedelta(hours=1)


async def lease(
    session: AsyncSession, principal: Principal, project_id: int, body: LeaseRequest
) -> Lease:
    """The client's live leases, extended, and new ones up to ``body.n`` in all.

    Leases of a round that has closed meanwhile run out by themselves: their answers come late, and
    they stand in nobody's way.

    What the caller's closed clients hold is freed first, if ``body.open_clients`` tells them from
    the open ones, unless it was leased just now; with none open, all is. It is the head of the
    queue, so this lease gets it. Answers that such a client has yet to send are late, or come
    first, as those of any lease that ran out.

    Raises:
        NotFound: There is no such project, or the caller is not a member of it.
    """
    connection = await driver(await session.connection())
    now = datetime.now(UTC)
    values: dict[str, Any] = {
        "project": project_id,
        "user": principal.id,
        "annotators": [principal.id],
        "admin": Role.ADMIN.value,
        "tab": body.client,
        "token": uuid.uuid4(),
        "now": now,
    }
    projects, members, found, held = await fetch(
        connection,
        (sql.PROJECT, values),
        (sql.MEMBERS, values),
        (sql.UNFINISHED, values),
        (leases.HELD, values),
    )
    if not projects or not members:
        raise NotFound("project")
    project, rounds = projects[0], [ReadRound.of(row) for row in found]
    of_groups = task_type(project.task).of_groups
    # Of a group each row has its own, and they are not read one by one.
    values["fields"] = [] if of_groups else project.shown_fields or []
    serving = status.serving_round(rounds)
    if serving is None:
        return _answer(project, rounds, [], values["token"], now)
    unfinished = {round_.id for round_ in rounds}
    held = [row for row in held if row.round_id in unfinished]
    settings = ProjectSettings.model_validate(serving.settings)
    expires = now + timedelta(seconds=settings.lease_seconds)
    values |= {"expires": expires, "round": serving.id, "rounds": sorted(unfinished)}
    values["shifted"] = settings.shifted_proposals
    # A grid shows what Karat's own model takes images for, by which it groups them.
    values["suggests"] = not body.grouped
    if body.open_clients is not None:
        # Also while the project is paused: a page says it once, as it opens.
        await _free_closed(connection, body.open_clients, values)
    if project.state != ProjectState.RUNNING:
        return _answer(project, rounds, [], values["token"], now)
    affordable = _affordable(serving, settings)
    # Each brings up to ten rows.
    most = min(body.n, _MOST_GROUPS) if of_groups else body.n
    wanted = max(0, min(most - len(held), affordable))
    window = None
    if body.grouped:
        left = _payable(status.counting_round(rounds) or serving) - len(held)
        wanted = max(0, min(wanted, left))
        # Only among what the budget pays for anyway does the order make no difference.
        window = _WINDOW * wanted if _WINDOW * wanted <= left else None
    free_ones = leases.free(wanted, settings.overlap, window)
    mine, free = await fetch(connection, (leases.MINE, values), (free_ones, values), commit=True)
    leased = _answer(project, rounds, [*mine, *free], values["token"], values["expires"])
    if not leased.items:
        (elsewhere,) = await fetch(connection, (leases.HELD_ELSEWHERE, values))
        leased.held_elsewhere = bool(elsewhere)
    if of_groups:
        queries = [one.query_id for one in leased.items]
        groups = await members_of(session, queries, principal.id)
        for one in leased.items:
            one.members = groups.get(one.query_id)
    return leased


async def _free_closed(
    connection: AsyncConnection[Any], open_clients: Sequence[uuid.UUID], values: Mapping[str, Any]
) -> None:
    closed = leases.RELEASE_CLOSED if open_clients else leases.RELEASE_ELSEWHERE
    which = {
        "open": open_clients,
        "settled": values["expires"] - _SETTLED,
        "longest": values["expires"] - values["now"] + _APART,
    }
    await fetch(connection, (closed, {**values, **which}))


def _affordable(serving: ReadRound, settings: ProjectSettings) -> int:
    """Without zero-wait nothing is shown that the round could no longer pay for."""
    return status.UNLIMITED if settings.zero_wait else _payable(serving)


def _payable(round_: ReadRound) -> int:
    """How many verdicts the budget pays for at most; nobody knows where seconds are charged."""
    if round_.cost.mode == "seconds":
        return status.UNLIMITED
    cheapest = min(round_.cost.c_in, round_.cost.c_ood)
    return math.ceil(min(status.UNLIMITED, (round_.budget - round_.spent) / cheapest))


def _answer(
    project: Any,
    rounds: Sequence[ReadRound],
    rows: Sequence[Any],
    token: uuid.UUID,
    expires: datetime,
) -> Lease:
    numbers = {round_.id: round_.number for round_ in rounds}
    of_objects = task_type(project.task).lists_objects
    items = [
        LeasedQuery(
            query_id=row.id,
            example_id=row.example_id,
            rank=row.rank,
            round=numbers[row.round_id],
            image_url=image_url(row.example_id, is_text=row.width is None),
            width=row.width,
            height=row.height,
            excerpt=None if row.text is None else row.text[:EXCERPT],
            text=_whole(row.text),
            name=name_for_annotators(row.name),
            predicted_class_id=row.predicted_class_id,
            probability=row.probability,
            in_probability=row.in_probability,
            duplicates_of=row.duplicates_of,
            fields=shown_fields(project.shown_fields or [], row.fields),
            proposals=shown(row.proposals) if of_objects else None,
            suggested=None if of_objects else suggested(row.proposals),
            proposed_by=row.proposed_by,
            members=None,
        )
        for row in sorted(rows, key=lambda row: row.rank)
    ]
    return Lease(
        lease_token=token if items else None,
        expires_at=expires if items else None,
        items=items,
        held_elsewhere=False,
        status=status.describe(
            ProjectState(project.state),
            rounds,
            classes_version=project.classes_version,
            served=bool(items),
        ),
    )


def _whole(text: str | None) -> str | None:
    """A text, unless it is too long to be handed out with others."""
    return None if text is None or len(text) > leases.WHOLE else text


async def release(
    session: AsyncSession, principal: Principal, project: Project, body: ReleaseRequest
) -> int:
    """Give back what the client holds, now or soon, except ``body.keep``; returns how many."""
    connection = await driver(await session.connection())
    now = datetime.now(UTC)
    held: dict[str, Any] = {
        "tab": body.client,
        "user": principal.id,
        "project": project.id,
        "kept": body.keep,
        "kept_until": now + _KEPT,
        "until": now + timedelta(seconds=body.after_seconds),
    }
    statement = leases.RELEASE_LATER if body.after_seconds > 0 else leases.RELEASE
    _, released = await fetch(connection, (leases.KEEP, held), (statement, held))
    return len(released)
