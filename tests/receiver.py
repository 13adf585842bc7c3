"""Somebody else's program that is called: a real HTTP server on this machine."""

import contextlib
import json
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.processes import free_port

Answer = Callable[[BaseHTTPRequestHandler], None]


@dataclass(frozen=True)
class Received:
    """One request."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def id(self) -> str:
        return self.headers["webhook-id"]

    @property
    def payload(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.body)
        return found

    @property
    def kind(self) -> str:
        return str(self.payload["type"])


@dataclass
class Receiver:
    """What came, and how the next requests are answered; 204 when nothing is said."""

    url: str
    received: list[Received] = field(default_factory=list)
    answers: list[Answer] = field(default_factory=list)

    @property
    def kinds(self) -> list[str]:
        return [one.kind for one in self.received]


def status(code: int, body: bytes = b"", **headers: str) -> Answer:
    """Answer with ``code``."""

    def answer(request: BaseHTTPRequestHandler) -> None:
        request.send_response(code)
        request.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            request.send_header(name.replace("_", "-"), value)
        request.end_headers()
        request.wfile.write(body)

    return answer


def drip(request: BaseHTTPRequestHandler) -> None:
    """Send a header without end, slowly, so that every single read is quick."""
    with contextlib.suppress(OSError):
        request.wfile.write(b"HTTP/1.1 200 OK\r\nX: ")
        for _ in range(100):
            request.wfile.write(b"x")
            request.wfile.flush()
            time.sleep(0.05)


def endless(request: BaseHTTPRequestHandler) -> None:
    """Accept, with a body that never ends."""
    request.send_response(200)
    request.end_headers()
    with contextlib.suppress(OSError):
        while True:
            request.wfile.write(b"\0more of this " * 1000)


@contextlib.contextmanager
def receiver(port: int | None = None) -> Iterator[Receiver]:
    """A server that listens until the end of the block, and is gone after it."""
    port = port or free_port()
    found = Receiver(f"http://127.0.0.1:{port}/karat")
    lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            content = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            names = {name.lower(): value for name, value in self.headers.items()}
            with lock:
                found.received.append(Received(self.command, self.path, names, content))
                answer = found.answers.pop(0) if found.answers else status(204)
            answer(self)

        do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = answer

        def log_message(self, *_: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", port), Handler) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        try:
            yield found
        finally:
            server.shutdown()
            thread.join()
