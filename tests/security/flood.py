"""Floods that a stranger can make, and how others are served meanwhile.

The tests run them in small; against an installation that runs, with the pid of its API:

    python -m tests.security.flood bodies http://127.0.0.1:8080 PID
    python -m tests.security.flood headers http://127.0.0.1:8080 PID
"""

import argparse
import contextlib
import socket
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException
from urllib.parse import urlsplit

import httpx
import psutil

_HALF = b"GET /healthz HTTP/1.1\r\nHost: karat.test\r\nX-Half: "


def nested(size: int) -> bytes:
    """A JSON object of about ``size`` bytes that is much larger once it is parsed."""
    return b'{"z":[' + b"[]," * (size // 3) + b"[]]}"


@dataclass
class Bystander:
    """Somebody who asks a server how it is, again and again, on connections of their own.

    Attributes:
        url: Of the server.
        pid: Of its process.
        slowest: The longest that an answer took, in seconds.
        served: How many answers came.
        refused: How often none came.
        memory: The most that the process held meanwhile, in bytes.
    """

    url: str
    pid: int
    slowest: float = 0.0
    served: int = 0
    refused: int = 0
    memory: int = 0
    _over: threading.Event = field(default_factory=threading.Event)

    @contextlib.contextmanager
    def watching(self) -> Iterator["Bystander"]:
        """Ask until the block ends."""
        threads = [threading.Thread(target=work) for work in (self._ask, self._weigh)]
        for thread in threads:
            thread.start()
        try:
            yield self
        finally:
            self._over.set()
            for thread in threads:
                thread.join()

    def _ask(self) -> None:
        while not self._over.wait(0.01):
            began = time.monotonic()
            if healthy(self.url, 10):
                self.served += 1
            else:
                self.refused += 1
            self.slowest = max(self.slowest, time.monotonic() - began)

    def _weigh(self) -> None:
        process = psutil.Process(self.pid)
        while not self._over.wait(0.02):
            self.memory = max(self.memory, process.memory_info().rss)


def send_body(url: str, body: bytes, *, length: bool = True) -> int | None:
    """Post ``body`` to the login as far as it is taken; the status of the answer, if one came.

    Args:
        url: Of the server.
        body: What to send.
        length: Whether to say beforehand how much it is; else it goes in chunks.
    """
    content = body if length else iter([body[at : at + 65536] for at in range(0, len(body), 65536)])
    headers = {"Content-Type": "application/json"}
    try:
        response = httpx.post(f"{url}/api/auth/login", content=content, headers=headers, timeout=60)
    except httpx.TransportError:
        return None
    return response.status_code


@contextlib.contextmanager
def half_sent(url: str, number: int) -> Iterator[list[socket.socket]]:
    """``number`` connections that have each begun a request and never go on."""
    where = urlsplit(url)
    assert where.hostname
    held: list[socket.socket] = []
    try:
        for _ in range(number):
            one = socket.create_connection((where.hostname, where.port or 80), timeout=5)
            held.append(one)
            with contextlib.suppress(OSError):
                one.sendall(_HALF)
        yield held
    finally:
        for one in held:
            one.close()


def served(url: str, clients: int, seconds: float = 3.0) -> int:
    """How many of ``clients`` new clients, one after the other, are answered in time."""
    return sum(healthy(url, seconds) for _ in range(clients))


def healthy(url: str, seconds: float) -> bool:
    """Whether the server says so on a new connection."""
    where = urlsplit(url)
    connection = HTTPConnection(str(where.hostname), where.port, timeout=seconds)
    with contextlib.closing(connection):
        try:
            connection.request("GET", "/healthz")
            return connection.getresponse().status == HTTPStatus.OK
        except (OSError, HTTPException):
            return False


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("flood", choices=["bodies", "headers"])
    parser.add_argument("url")
    parser.add_argument("pid", type=int)
    parser.add_argument("--megabytes", type=int, default=60)
    parser.add_argument("--connections", type=int, default=1500)
    asked = parser.parse_args()
    if asked.flood == "bodies":
        before = psutil.Process(asked.pid).memory_info().rss
        with Bystander(asked.url, asked.pid).watching() as seen:
            time.sleep(0.5)
            status = send_body(asked.url, nested(asked.megabytes * 1_000_000))
            time.sleep(0.5)
        print(  # noqa: T201
            f"{asked.megabytes} MB: {status}; memory {before >> 20} to {seen.memory >> 20} MiB; "
            f"slowest answer {seen.slowest:.2f} s, {seen.served} served, {seen.refused} not"
        )
    else:
        with half_sent(asked.url, asked.connections):
            time.sleep(1)
            print(  # noqa: T201
                f"{asked.connections} half-sent: {served(asked.url, 20)} of 20 clients served"
            )


if __name__ == "__main__":
    main()
