"""How many requests a server is asked at once, and how often: as many as it takes."""

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

_LONGEST_PAUSE: Final = 600.0
# A server that is full again at once was not helped by so short a pause.
_SHORTEST_PAUSE: Final = 0.05
_CAUGHT_UP: Final = 0.25


class Gate:
    """Bounded concurrency that halves when the server is full, and grows again.

    As with TCP: until nine tenths of where the server was full last it grows by one with each
    answer, and from there on by one with each round of answers. Many refusals of requests that
    were on their way together are one sign, and halve it once. Requests go in the order in which
    they came.
    """

    def __init__(self, most: int, per_minute: int | None = None) -> None:
        """Begin with a quarter of what is allowed.

        Args:
            most: Requests on their way at the same time, at most.
            per_minute: Requests that begin within a minute, at most; None for any number.
        """
        self._most = most
        self._limit = max(1.0, most / 4)
        self._full_at = float(most)
        self._running = 0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._interval = 60.0 / per_minute if per_minute else 0.0
        self._next = 0.0
        self._paused_until = 0.0
        self._cut_at = 0.0

    @property
    def limit(self) -> int:
        """Requests that may be on their way now."""
        return int(self._limit)

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[float]:
        """Wait for a turn and hold it; gives when it began, by ``time.monotonic``."""
        if self._running >= self.limit or self._waiting:
            mine: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append(mine)
            try:
                await mine
            except asyncio.CancelledError:
                if mine.done() and not mine.cancelled():
                    self._leave()
                raise
        else:
            self._running += 1
        try:
            await self._pace()
            yield time.monotonic()
        finally:
            self._leave()

    def succeeded(self) -> None:
        """An answer came: there is room for more."""
        slow = self._limit >= 0.9 * self._full_at
        self._limit = min(self._most, self._limit + (1 / self._limit if slow else 1.0))
        self._admit()

    def full(self, began: float, seconds: float | None) -> None:
        """The server refused a request that began at ``began``, as it has too many.

        Args:
            began: As ``turn`` gave it.
            seconds: How long it wants to be left alone, if it said so.
        """
        if seconds is not None:
            pause = min(max(seconds, _SHORTEST_PAUSE), _LONGEST_PAUSE)
            self._paused_until = max(self._paused_until, time.monotonic() + pause)
        if began > self._cut_at:
            self._cut_at = time.monotonic()
            self._full_at = self._limit
            self._limit = max(1.0, self._limit / 2)

    async def _pace(self) -> None:
        """Sleep until a request may begin."""
        while (pause := self._paused_until - time.monotonic()) > 0:
            await asyncio.sleep(pause)
        if self._interval:
            now = time.monotonic()
            # Who comes a little late does not lose the turn.
            begins = max(self._next, now - _CAUGHT_UP) if self._next else now
            self._next = begins + self._interval
            await asyncio.sleep(max(0.0, begins - time.monotonic()))

    def _leave(self) -> None:
        self._running -= 1
        self._admit()

    def _admit(self) -> None:
        while self._waiting and self._running < self.limit:
            first = self._waiting.popleft()
            if not first.done():
                self._running += 1
                first.set_result(None)
