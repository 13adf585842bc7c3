"""A load generator that costs little beside the server it measures: HTTP/1.1 on plain sockets."""

import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any


class HttpConnection:
    """One keep-alive connection that sends JSON and reads a response with a length."""

    def __init__(self, port: int, headers: dict[str, str]) -> None:
        self._port = port
        lines = {"Host": "127.0.0.1", "Content-Type": "application/json", **headers}
        self._headers = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
        self._reader: asyncio.StreamReader
        self._writer: asyncio.StreamWriter

    async def open(self) -> None:
        self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self._port)

    async def close(self) -> None:
        self._writer.close()
        await self._writer.wait_closed()

    async def post(self, path: str, body: Any) -> tuple[int, bytes]:
        content = json.dumps(body).encode()
        head = f"POST {path} HTTP/1.1\r\n{self._headers}Content-Length: {len(content)}\r\n\r\n"
        self._writer.write(head.encode() + content)
        answer = await self._reader.readuntil(b"\r\n\r\n")
        status = int(answer[9:12])
        lowered = answer.lower()
        start = lowered.index(b"content-length:") + 15
        length = int(lowered[start : lowered.index(b"\r\n", start)])
        return status, await self._reader.readexactly(length)


@dataclass
class Measured:
    """What one run of clients saw."""

    clients: int
    seconds: float
    loops: int
    latencies: list[float] = field(repr=False)

    @property
    def loops_per_s(self) -> float:
        return self.loops / self.seconds

    def percentile(self, share: float) -> float:
        """Latency of a request in milliseconds that ``share`` of the requests stay below."""
        ordered = sorted(self.latencies)
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))] * 1000


Loop = Callable[[int, Callable[[], bool], list[float]], Awaitable[int]]


async def measure(clients: int, seconds: float, loop: Loop) -> Measured:
    """Run ``loop(client, more, latencies)`` for each client at once; it returns its loop count."""
    start = time.perf_counter()
    latencies: list[float] = []

    def more() -> bool:
        return time.perf_counter() - start < seconds

    counts = await asyncio.gather(*(loop(number, more, latencies) for number in range(clients)))
    return Measured(clients, time.perf_counter() - start, sum(counts), latencies)
