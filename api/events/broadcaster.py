"""One LISTEN connection per process, fanned out to the browsers of each project."""

import asyncio
import contextlib
import json
import logging
import math
import time
from collections import defaultdict
from collections.abc import Iterator
from typing import Any, Final

import psycopg

from core.events import CHANNEL, Topic
from core.settings.database import noticing

logger = logging.getLogger(__name__)

Event = dict[str, Any]
ALL: Final[Event] = {"event": "project", "data": "{}"}
"""Tells a browser to read its project afresh."""


def opening(quiet_seconds: float) -> Event:
    """Tells a browser the same, but for what it has read since nothing has changed any longer."""
    known = math.floor(quiet_seconds * 1000) / 1000
    return {"event": ALL["event"], "data": json.dumps({"quiet_seconds": known})}


# A browser that reads this slowly is told to reload everything rather than queued for without end.
_QUEUED_EVENTS = 100
_RECONNECT_SECONDS = 1.0
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
        # When it began to hear of changes; None while it does not.
        self._hears_since: float | None = None
        # When each project has changed last, and, under None, what lists of them show.
        self._changed: dict[int | None, float] = {}

    async def run(self) -> None:
        """Listen until cancelled; reconnects by itself."""
        while True:
            try:
                await self._listen()
            except (psycopg.Error, OSError) as error:
                self._hears_since = None
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
            self._hears_since = time.monotonic()
            # Whatever was missed while disconnected: every watcher reads its project afresh.
            for project_id in list(self._watchers):
                self._hand_out(project_id, ALL)
            for changed in self._lists:
                changed.note(None)
            while True:
                async for notification in connection.notifies(timeout=0):
                    self._tell(json.loads(notification.payload))
                # Without a time it would look for itself ten times a second.
                await _readable(connection.fileno())

    def _tell(self, payload: Event) -> None:
        event = {"event": payload["event"], "data": json.dumps(payload["data"])}
        self._changed[payload["project_id"]] = time.monotonic()
        self._hand_out(payload["project_id"], event)
        if payload["event"] not in _NOT_LISTED:
            self._changed[None] = time.monotonic()
            for changed in self._lists:
                changed.note(payload["project_id"])

    def _hand_out(self, project_id: int, event: Event) -> None:
        for watcher in self._watchers.get(project_id, ()):
            if watcher.full():
                while not watcher.empty():
                    watcher.get_nowait()
                watcher.put_nowait(ALL)
            else:
                watcher.put_nowait(event)

    def quiet_seconds(self, project_id: int | None = None) -> float:
        """For how long nothing has changed, of a project or of lists of them, as far as is known.

        Whoever watches has to do so already: what changes after this is in their queue.
        """
        if self._hears_since is None:
            return 0.0
        return time.monotonic() - max(self._hears_since, self._changed.get(project_id, 0.0))

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


async def _readable(descriptor: int) -> None:
    """Wait until there is something to read, or nothing will come any more."""
    loop = asyncio.get_running_loop()
    some = asyncio.Event()
    loop.add_reader(descriptor, some.set)
    try:
        await some.wait()
    finally:
        loop.remove_reader(descriptor)


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
