"""A load generator that costs little beside the server it measures: HTTP/1.1 on plain sockets."""

import asyncio
import json
import time
from array import array
from collections import defaultdict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

# Nobody waits longer for an image, and a benchmark must end.
_PATIENCE = 60.0


class HttpConnection:
    """One connection that sends JSON and reads responses with a length, one after the other."""

    def __init__(self, port: int, headers: dict[str, str], *, kept: bool = True) -> None:
        """Describe the connection; it is opened with the first request.

        Args:
            port: Of a server on 127.0.0.1.
            headers: Sent with every request.
            kept: Whether the server keeps connections open; if not, each request opens one.
        """
        self._port, self._kept = port, kept
        lines = {"Host": f"127.0.0.1:{port}", "Content-Type": "application/json", **headers}
        self._headers = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
        self._reader: asyncio.StreamReader
        self._writer: asyncio.StreamWriter | None = None

    async def close(self) -> None:
        if self._writer is not None:
            writer, self._writer = self._writer, None
            writer.close()
            await writer.wait_closed()

    async def get(self, path: str) -> tuple[int, bytes]:
        """Status and body of the response; status 0 if there was none within a minute."""
        return await self._answered(f"GET {path} HTTP/1.1\r\n{self._headers}\r\n".encode())

    async def post(self, path: str, body: Any) -> tuple[int, bytes]:
        """Status and body of the response; status 0 if there was none within a minute."""
        content = json.dumps(body).encode()
        head = f"POST {path} HTTP/1.1\r\n{self._headers}Content-Length: {len(content)}\r\n\r\n"
        return await self._answered(head.encode() + content)

    async def _answered(self, request: bytes) -> tuple[int, bytes]:
        try:
            async with asyncio.timeout(_PATIENCE):
                status, body = await self._exchange(request)
        except (OSError, EOFError, TimeoutError):
            if self._writer is not None:
                self._writer.transport.abort()
                self._writer = None
            return 0, b""
        if not self._kept:
            await self.close()
        return status, body

    async def _exchange(self, request: bytes) -> tuple[int, bytes]:
        if self._writer is None:
            self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self._port)
        self._writer.write(request)
        answer = await self._reader.readuntil(b"\r\n\r\n")
        status = int(answer[9:12])
        lowered = answer.lower()
        start = lowered.index(b"content-length:") + 15
        length = int(lowered[start : lowered.index(b"\r\n", start)])
        return status, await self._reader.readexactly(length)


class Log:
    """When requests of each kind ended and how long they took, and when loops ended, in seconds."""

    def __init__(self) -> None:
        self._start = time.perf_counter()
        self.requests: defaultdict[str, tuple[array[float], array[float]]] = defaultdict(
            lambda: (array("d"), array("d"))
        )
        self.loops: array[float] = array("d")

    async def timed(self, kind: str, request: Awaitable[tuple[int, bytes]]) -> tuple[int, bytes]:
        start = time.perf_counter()
        answer = await request
        end = time.perf_counter()
        ended, took = self.requests[kind]
        ended.append(end - self._start)
        took.append(end - start)
        return answer

    def loop(self) -> None:
        """Note that a loop has ended: an answer is stored."""
        self.loops.append(time.perf_counter() - self._start)


@dataclass
class Measured:
    """What one run of clients saw. Windows of time are seconds from its start, [since, until)."""

    clients: int
    seconds: float
    log: Log = field(repr=False)
    watched: list[tuple[float, float]] = field(repr=False, default_factory=list)
    processor_seconds: float = 0.0
    """What the servers took meanwhile, where somebody has looked."""

    @property
    def loops(self) -> int:
        return len(self.log.loops)

    def loops_per_s(self, since: float = 0.0, until: float | None = None) -> float:
        end = self.seconds if until is None else until
        ended = np.asarray(self.log.loops)
        return float(((ended >= since) & (ended < end)).sum() / (end - since))

    def percentile(
        self, share: float, kind: str | None = None, since: float = 0.0, until: float = np.inf
    ) -> float:
        """Milliseconds that ``share`` of the requests stay below; of one kind, or of all."""
        found = [np.empty(0)]
        for name, (ended, took) in self.log.requests.items():
            if kind in {None, name}:
                when = np.asarray(ended)
                found.append(np.asarray(took)[(when >= since) & (when < until)])
        together = np.concatenate(found)
        return float(np.quantile(together, share) * 1000) if len(together) else float("nan")


Loop = Callable[[int, Callable[[], bool], Log], Awaitable[None]]


async def measure(
    clients: int,
    seconds: float,
    loop: Loop,
    *,
    watch: Callable[[], float] | None = None,
    every: float = 10.0,
) -> Measured:
    """Run ``loop(client, more, log)`` for each client at once, until ``more()`` is false.

    Args:
        clients: How many.
        seconds: After which ``more()`` is false.
        loop: What a client does.
        watch: Called every so often; ``watched`` holds (seconds, what it returned).
        every: How often, in seconds.
    """
    log, start = Log(), time.perf_counter()
    watched: list[tuple[float, float]] = []

    def more() -> bool:
        return time.perf_counter() - start < seconds

    async def look() -> None:
        while watch is not None:
            # In a thread: looking through all processes must not hold up the clients.
            seen = await asyncio.to_thread(watch)
            watched.append((time.perf_counter() - start, seen))
            await asyncio.sleep(every)

    looking = asyncio.create_task(look())
    try:
        await asyncio.gather(*(loop(number, more, log) for number in range(clients)))
    finally:
        looking.cancel()
    took = time.perf_counter() - start
    if watch is not None:
        watched.append((took, watch()))
    return Measured(clients, took, log, watched)
