"""Live events: one LISTEN connection per process, fanned out to the browsers of each project."""

import asyncio
import contextlib
import json
import logging
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from functools import partial
from typing import Any, TypeVar

import psycopg
from fastapi import APIRouter, Request
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.ext.asyncio import AsyncSession
from sse_starlette import EventSourceResponse

from api.callers.access import ProjectId, standings, visible_project
from api.callers.principal import CurrentUser, Principal, identified, settled
from api.deps import transaction
from api.projects import queries
from api.schemas.contents import sends
from core.errors import DomainError
from core.events import CHANNEL, Topic
from core.settings.database import noticing
from core.states import ProjectRole
from core.tables import Project

logger = logging.getLogger(__name__)
router = APIRouter(tags=["events"])

# A browser that reads this slowly is told to reload everything rather than queued for without end.
_QUEUED_EVENTS = 100
_PING_SECONDS = 15
_RECONNECT_SECONDS = 1.0

Event = dict[str, Any]
Received = TypeVar("Received")
# Comes with answers to checks: to annotators it would tell which answers those are.
_NOT_FOR_ANNOTATORS = frozenset({Topic.CERTIFICATE})
# Tells a browser to read its project afresh.
_ALL: Event = {"event": "project", "data": "{}"}
# What the list of projects shows nothing of, or what would come several times a second.
_NOT_LISTED = frozenset({Topic.JOB, Topic.GUIDE, Topic.WEBHOOK, Topic.CERTIFICATE})
# Changes that come so soon after each other are told at once.
_TOGETHER_SECONDS = 0.5


class Broadcaster:
    """Hands notifications of the database to whoever watches that project."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._watchers: dict[int, set[asyncio.Queue[Event]]] = defaultdict(set)
        self._lists: set[_Changed] = set()

    async def run(self) -> None:
        """Listen until cancelled; reconnects by itself."""
        while True:
            try:
                await self._listen()
            except (psycopg.Error, OSError) as error:
                logger.warning("event connection lost: %s", error)
                await asyncio.sleep(_RECONNECT_SECONDS)

    async def _listen(self) -> None:
        connection = await psycopg.AsyncConnection.connect(
            self._url,
            autocommit=True,
            application_name="karat-events",
            # It only listens, which a server that is gone never interrupts.
            **noticing(self._url),
        )
        async with connection:
            await connection.execute(f'LISTEN "{CHANNEL}"')
            # Whatever was missed while disconnected: every watcher reads its project afresh.
            for project_id in list(self._watchers):
                self._hand_out(project_id, _ALL)
            for changed in self._lists:
                changed.note(None)
            async for notification in connection.notifies():
                payload = json.loads(notification.payload)
                event = {"event": payload["event"], "data": json.dumps(payload["data"])}
                self._hand_out(payload["project_id"], event)
                if payload["event"] not in _NOT_LISTED:
                    for changed in self._lists:
                        changed.note(payload["project_id"])

    def _hand_out(self, project_id: int, event: Event) -> None:
        for watcher in self._watchers.get(project_id, ()):
            if watcher.full():
                while not watcher.empty():
                    watcher.get_nowait()
                watcher.put_nowait(_ALL)
            else:
                watcher.put_nowait(event)

    @contextlib.contextmanager
    def watch(self, project_id: int) -> Iterator[asyncio.Queue[Event]]:
        """A queue of the project's events."""
        queue: asyncio.Queue[Event] = asyncio.Queue(_QUEUED_EVENTS)
        self._watchers[project_id].add(queue)
        try:
            yield queue
        finally:
            self._watchers[project_id].discard(queue)
            if not self._watchers[project_id]:
                del self._watchers[project_id]

    @contextlib.contextmanager
    def watch_lists(self) -> Iterator["_Changed"]:
        """Which projects change, whosever they are."""
        changed = _Changed()
        self._lists.add(changed)
        try:
            yield changed
        finally:
            self._lists.discard(changed)


class _Changed:
    """Projects that have changed since they were last asked for; ``None`` stands for all."""

    def __init__(self) -> None:
        self._ids: set[int | None] = set()
        self._some = asyncio.Event()

    def note(self, project_id: int | None) -> None:
        self._ids.add(project_id)
        self._some.set()

    async def next(self) -> set[int | None]:
        """Wait for a change, and for those that come with it."""
        await self._some.wait()
        await asyncio.sleep(_TOGETHER_SECONDS)
        self._some.clear()
        ids, self._ids = self._ids, set()
        return ids


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
            yield _ALL
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
            yield _ALL
            async for ids in _while_allowed(changed.next, partial(_still, request, user)):
                # One that has just been taken from the list is in the list of before.
                before, known = known, await visible()
                if None in ids or ids & (before | known):
                    yield _ALL

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
