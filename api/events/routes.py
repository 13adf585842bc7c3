"""Streams of what changes, for as long as who watches may."""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from typing import TypeVar

import psycopg
from fastapi import APIRouter, Request
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.ext.asyncio import AsyncSession
from sse_starlette import EventSourceResponse

from api.callers.access import ProjectId, standings, visible_project
from api.callers.principal import CurrentUser, Principal, identified, settled
from api.deps import transaction
from api.events.broadcaster import ALL, Broadcaster, Event, opening
from api.projects import queries
from api.schemas.contents import sends
from core.errors import DomainError
from core.events import Topic
from core.states import ProjectRole
from core.tables import Project

logger = logging.getLogger(__name__)
router = APIRouter(tags=["events"])

_PING_SECONDS = 15

Received = TypeVar("Received")
# Comes with answers to checks: to annotators it would tell which answers those are.
_NOT_FOR_ANNOTATORS = frozenset({Topic.CERTIFICATE})


@router.get(
    "/projects/{project_id}/events",
    response_class=EventSourceResponse,
    responses=sends("text/event-stream"),
)
async def project_events(
    request: Request, user: CurrentUser, project_id: ProjectId
) -> EventSourceResponse:
    """Server-sent events, named after what is to be read again."""
    # A session of its own, closed before streaming: a watcher must not hold a connection.
    async with transaction(request) as session:
        standing = await _standing(session, user, project_id)
    reviews = standing in ProjectRole.REVIEWER.and_above
    broadcaster: Broadcaster = request.app.state.broadcaster

    async def unchanged() -> bool:
        async with transaction(request) as session:
            return await _standing(session, user, project_id) is standing

    async def stream() -> AsyncIterator[Event]:
        with broadcaster.watch(project_id) as queue:
            yield opening(broadcaster.quiet_seconds(project_id))
            still = partial(_still, request, user, unchanged)
            async for event in _while_allowed(queue.get, still):
                if reviews or event["event"] not in _NOT_FOR_ANNOTATORS:
                    yield event

    return EventSourceResponse(stream(), ping=_PING_SECONDS)


@router.get("/events", response_class=EventSourceResponse, responses=sends("text/event-stream"))
async def list_events(request: Request, user: CurrentUser) -> EventSourceResponse:
    """Server-sent events `project`: the list of the caller's projects is to be read again."""
    broadcaster: Broadcaster = request.app.state.broadcaster

    async def visible() -> set[int]:
        async with transaction(request) as session:
            return set(await session.scalars(queries.visible(user).with_only_columns(Project.id)))

    async def stream() -> AsyncIterator[Event]:
        with broadcaster.watch_lists() as changed:
            known = await visible()
            yield opening(broadcaster.quiet_seconds())
            async for ids in _while_allowed(changed.next, partial(_still, request, user)):
                # One that has just been taken from the list is in the list of before.
                before, known = known, await visible()
                if None in ids or ids & (before | known):
                    yield ALL

    return EventSourceResponse(stream(), ping=_PING_SECONDS)


async def _while_allowed(
    receive: Callable[[], Awaitable[Received]], still: Callable[[], Awaitable[bool]]
) -> AsyncIterator[Received]:
    """What comes, until a look at every ping finds that the caller may watch no longer."""
    clock = asyncio.get_running_loop().time
    due = clock() + _PING_SECONDS
    while True:
        received: Received | None = None
        with contextlib.suppress(TimeoutError):
            received = await asyncio.wait_for(receive(), max(0.0, due - clock()))
        if clock() >= due:
            if not await still():
                return
            due = clock() + _PING_SECONDS
        if received is not None:
            yield received


async def _standing(session: AsyncSession, user: Principal, project_id: int) -> ProjectRole:
    """What the caller is in a project that they see."""
    await visible_project(session, user, project_id)
    return (await standings(session, user, [project_id]))[project_id]


async def _still(
    request: Request, user: Principal, unchanged: Callable[[], Awaitable[bool]] | None = None
) -> bool:
    """Whether the caller may go on watching as they began: who may see more or less begins anew."""
    try:
        return settled(await identified(request)) == user and (
            unchanged is None or await unchanged()
        )
    except DomainError:
        return False
    except (DBAPIError, PoolTimeout, psycopg.Error, OSError) as error:
        # Nobody can say; the browser comes back by itself.
        logger.warning("a stream was ended, since the database is away: %s", error)
        return False
