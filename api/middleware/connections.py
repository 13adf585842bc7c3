"""Connections that wait: how long they may, and how many one address may hold.

A connection waits while no whole head of a request has come on it; those are closed first, by time,
or for others where there are too many. One whose request is being answered is left alone, as long
as what it sends or takes goes on.
"""

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, ClassVar, Final

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from api.callers.sources import source
from api.middleware.problems import problem
from core.settings.addresses import Network, within

_RESERVE: Final = 224
"""Open files that are none of a client's: the database, the broker, images, the logs."""


@dataclass(frozen=True)
class Limits:
    """How long and how much.

    Attributes:
        per_source: Connections of one address that is no proxy's.
        total: Connections of all together.
        head_seconds: Until the head of a request must be whole.
        head_bytes: What may come without a head or a piece of a body being whole.
        body_seconds: In each such time ``body_bytes`` of a body must come, or its end.
        body_bytes: See there.
        write_seconds: Until a client must have taken something of what is sent.
        sweep_seconds: How often that is looked at.
    """

    per_source: int = 512
    total: int = 800
    head_seconds: float = 10.0
    head_bytes: int = 64 << 10
    body_seconds: float = 30.0
    body_bytes: int = 30 << 10
    write_seconds: float = 120.0
    sweep_seconds: float = 1.0


def most_connections(open_files: int) -> int:
    """How many connections a process holds that may have so many files open."""
    return max(64, open_files - _RESERVE)


class Guard:
    """The connections of a process."""

    def __init__(self, limits: Limits, proxies: Sequence[Network] = ()) -> None:
        self.limits = limits
        self._proxies = proxies
        self._sources: dict[Guarded, str | None] = {}
        self._held: Counter[str] = Counter()
        # The oldest first, of all and of each source.
        self._waiting: dict[Guarded, None] = {}
        self._waiting_of: dict[str, dict[Guarded, None]] = {}
        self._sweeping = False

    def opened(self, connection: "Guarded") -> bool:
        """Whether there is room for ``connection``, made by closing one that waits if need be."""
        host = connection.client[0] if connection.client else None
        # A proxy's connections are those of all who come through it.
        where = None if within(host, self._proxies) else source(host)
        room = len(self._sources) < self.limits.total or self._close_oldest(self._waiting)
        if where is not None and self._held[where] >= self.limits.per_source:
            room = room and self._close_oldest(self._waiting_of.get(where, {}))
        if not room:
            return False
        self._sources[connection] = where
        if where is not None:
            self._held[where] += 1
        self.waits(connection)
        if not self._sweeping:
            self._sweeping = True
            connection.loop.call_later(self.limits.sweep_seconds, self._sweep, connection.loop)
        return True

    def closed(self, connection: "Guarded") -> None:
        """It is over; harmless for one that is not known."""
        self.works(connection)
        where = self._sources.pop(connection, None)
        if where is not None:
            self._held[where] -= 1
            if not self._held[where]:
                del self._held[where]

    def waits(self, connection: "Guarded") -> None:
        """No request is on its way."""
        if connection not in self._sources:
            return
        self._waiting[connection] = None
        where = self._sources[connection]
        if where is not None:
            self._waiting_of.setdefault(where, {})[connection] = None

    def works(self, connection: "Guarded") -> None:
        """A request has come."""
        self._waiting.pop(connection, None)
        where = self._sources.get(connection)
        if where is not None and (waiting := self._waiting_of.get(where)) is not None:
            waiting.pop(connection, None)
            if not waiting:
                del self._waiting_of[where]

    def _close_oldest(self, waiting: "dict[Guarded, None]") -> bool:
        oldest = next(iter(waiting), None)
        if oldest is None:
            return False
        self.closed(oldest)
        oldest.transport.close()
        return True

    def _sweep(self, loop: asyncio.AbstractEventLoop) -> None:
        now = loop.time()
        for connection in list(self._sources):
            connection.look(now)
        self._sweeping = bool(self._sources)
        if self._sweeping:
            loop.call_later(self.limits.sweep_seconds, self._sweep, loop)


class Guarded(HttpToolsProtocol):
    """A connection of uvicorn's, with an end to waiting."""

    guard: ClassVar[Guard]

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._answering = self._receiving = False
        # Bytes since a head or a piece of a body was whole; bytes of the body in this time.
        self._loose = self._got = 0
        self._due: float | None = None
        # What was left to write at last, and since when.
        self._left: int | None = None
        self._left_since = 0.0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._due = self.loop.time() + self.guard.limits.head_seconds
        if not self.guard.opened(self):
            self._refuse(
                HTTPStatus.SERVICE_UNAVAILABLE,
                "too_many_connections",
                "There are too many connections; close some, or try again in a moment.",
                {"Retry-After": "1"},
            )

    def connection_lost(self, exc: Exception | None) -> None:
        self.guard.closed(self)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._due is None and not self._answering:
            self._due = self.loop.time() + self.guard.limits.head_seconds
        self._loose += len(data)
        super().data_received(data)
        if self._loose > self.guard.limits.head_bytes:
            self._refuse(
                HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE,
                "head_too_large",
                f"The head of a request may have {self.guard.limits.head_bytes:,} bytes.",
            )

    def on_headers_complete(self) -> None:
        self.guard.works(self)
        self._answering = self._receiving = True
        self._loose = self._got = 0
        self._due = self.loop.time() + self.guard.limits.body_seconds
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        self._loose = 0
        self._got += len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._receiving = False
        self._loose = 0
        self._due = None
        super().on_message_complete()
        if not self._answering:
            # It was answered before it was whole, so the server's own clock has been stopped.
            self._due = self.loop.time() + self.guard.limits.head_seconds
            self.guard.waits(self)

    def on_response_complete(self) -> None:
        self._answering = bool(self.pipeline)
        super().on_response_complete()
        if not self._answering and not self._receiving:
            self.guard.waits(self)

    def look(self, now: float) -> None:
        """Close the connection if what it has to do is due, at ``now`` of the loop's clock."""
        limits = self.guard.limits
        if self._due is not None and now >= self._due:
            if self._receiving and (self.flow.read_paused or self._got >= limits.body_bytes):
                # It goes on, or it is we who are slow.
                self._got, self._due = 0, now + limits.body_seconds
            else:
                self._refuse(
                    HTTPStatus.REQUEST_TIMEOUT, "too_slow", "The request did not come in time."
                )
        left = self.transport.get_write_buffer_size() if self.flow.write_paused else None
        if left is None or left != self._left:
            self._left, self._left_since = left, now
        elif now - self._left_since >= limits.write_seconds:
            self.transport.abort()

    def _refuse(
        self,
        status: HTTPStatus,
        code: str,
        detail: str,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        """Say why, if no answer is on its way, and hang up."""
        self.guard.closed(self)
        if self.transport.is_closing():
            return
        if self.cycle is None or self.cycle.response_complete or not self.cycle.response_started:
            said = problem(status, code, detail, headers={"Connection": "close", **(headers or {})})
            head = b"".join(name + b": " + value + b"\r\n" for name, value in said.raw_headers)
            line = f"HTTP/1.1 {status.value} {status.phrase}\r\n".encode()
            self.transport.write(line + head + b"\r\n" + bytes(said.body))
        self.transport.close()


def guarded(guard: Guard) -> type[Guarded]:
    """The class of connections that uvicorn makes, watched by ``guard``."""
    return type("Watched", (Guarded,), {"guard": guard})
