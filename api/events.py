"""Live events: one LISTEN connection per process, fanned out to the browsers of each project."""

import asyncio
import contextlib
import json
import logging
from collections import defaultdict
from collections.abc import AsyncIterator, Iterator
from typing import Any

import psycopg
from fastapi import APIRouter, Request
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sse_starlette import EventSourceResponse

from api.access import ProjectId, visible_project
from api.deps import transaction
from api.principal import CurrentUser, get_principal, identified
from core.errors import DomainError
from core.events import CHANNEL

logger = logging.getLogger(__name__)
router = APIRouter(tags=["events"])

# A browser that reads this slowly is told to reload everything rather than queued for without end.
_QUEUED_EVENTS = 100
_PING_SECONDS = 15
_RECONNECT_SECONDS = 1.0

Event = dict[str, Any]
# Tells a browser to read its project afresh.
_ALL: Event = {"event": "project", "data": "{}"}


class Broadcaster:
    """Hands notifications of the database to whoever watches that project."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._watchers: dict[int, set[asyncio.Queue[Event]]] = defaultdict(set)

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
            self._url, autocommit=True, application_name="karat-events"
        )
        async with connection:
            await connection.execute(f'LISTEN "{CHANNEL}"')
            # Whatever was missed while disconnected: every watcher reads its project afresh.
            for project_id in list(self._watchers):
                self._hand_out(project_id, _ALL)
            async for notification in connection.notifies():
                payload = json.loads(notification.payload)
                event = {"event": payload["event"], "data": json.dumps(payload["data"])}
                self._hand_out(payload["project_id"], event)

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


@router.get("/projects/{project_id}/events", response_class=EventSourceResponse)
async def project_events(
    request: Request, user: CurrentUser, project_id: ProjectId
) -> EventSourceResponse:
    """Server-sent events `job`, `round`, `project` and `pool`, each saying what to read again."""
    # A session of its own, closed before streaming: a watcher must not hold a connection.
    async with transaction(request) as session:
        await visible_project(session, user, project_id)
    broadcaster: Broadcaster = request.app.state.broadcaster
    clock = asyncio.get_running_loop().time

    async def stream() -> AsyncIterator[Event]:
        with broadcaster.watch(project_id) as queue:
            yield _ALL
            due = clock() + _PING_SECONDS
            while True:
                try:
                    event = await asyncio.wait_for(queue.get(), max(0.0, due - clock()))
                except TimeoutError:
                    event = None
                if clock() >= due:
                    if not await _still(request, project_id):
                        return
                    due = clock() + _PING_SECONDS
                if event is not None:
                    yield event

    return EventSourceResponse(stream(), ping=_PING_SECONDS)


async def _still(request: Request, project_id: int) -> bool:
    """Whether the caller may go on watching: by their token or session, and as a member."""
    try:
        user = await get_principal(await identified(request))
        async with transaction(request) as session:
            await visible_project(session, user, project_id)
    except DomainError:
        return False
    except (DBAPIError, PoolTimeout, psycopg.Error, OSError) as error:
        # Nobody can say; the browser comes back by itself.
        logger.warning("a stream was ended, since the database is away: %s", error)
        return False
    return True
