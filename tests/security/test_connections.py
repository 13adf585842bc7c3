"""Connections that are opened and not used: they end, and nobody waits for them."""

import contextlib
import itertools
import resource
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from api.main import create_app
from api.middleware.connections import Limits
from core.settings import Settings
from core.settings.addresses import networks
from core.states import ProjectState, Role
from tests import processes
from tests.security import flood
from tests.security.serving import serving
from tests.world import World, png

_SHORT = Limits(
    head_seconds=0.6, body_seconds=0.6, body_bytes=64, write_seconds=1.0, sweep_seconds=0.1
)


@pytest.fixture
def url(installation: Settings) -> Iterator[str]:
    """A server that waits for moments only."""
    with serving(create_app(installation), _SHORT) as found:
        yield found


def _connection(url: str) -> socket.socket:
    where = urlsplit(url)
    assert where.hostname
    return socket.create_connection((where.hostname, where.port or 80), timeout=20)


def _until_closed(connection: socket.socket) -> bytes:
    """What comes before the other side hangs up."""
    return b"".join(iter(lambda: connection.recv(65536), b""))


_POST = b"POST /api/auth/login HTTP/1.1\r\nHost: karat.test\r\n"


@pytest.mark.parametrize(
    "begun",
    [
        b"",
        b"\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\nHost: kar",
        _POST + b"Content-Length: 100\r\n\r\n{",
        _POST + b"Transfer-Encoding: chunked\r\n\r\n5\r\nab",
        # Answered before it is whole, and then nothing more of it comes.
        _POST + b"Content-Length: 99999\r\n\r\n{",
        b"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\nGET /healthz HT",
    ],
    ids=["nothing", "empty lines", "head", "body", "chunk", "refused body", "second head"],
)
def test_what_is_begun_and_not_ended_is_hung_up_on(url: str, begun: bytes) -> None:
    with _connection(url) as connection:
        connection.sendall(begun)
        said = _until_closed(connection)
    if begun.startswith(_POST):
        first = said.partition(b"\r\n")[0]
        assert first in {b"HTTP/1.1 408 Request Timeout", b"HTTP/1.1 413 Content Too Large",
                         b"HTTP/1.1 413 Request Entity Too Large"}  # fmt: skip
        assert b"application/problem+json" in said


def test_a_head_that_drips_ends_all_the_same(url: str) -> None:
    with _connection(url) as connection:
        connection.sendall(b"GET /healthz HTTP/1.1\r\n")
        with contextlib.suppress(OSError):
            for byte in itertools.cycle(b"X-A: b\r\n"):
                connection.sendall(bytes([byte]))
                time.sleep(0.02)
        with contextlib.suppress(ConnectionError):
            assert b"408" in _until_closed(connection)[:20]


@pytest.mark.parametrize(
    "begun",
    [
        b"GET /healthz HTTP/1.1\r\nX: ",
        _POST + b"Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n0\r\nX: ",
    ],
    ids=["head", "trailer"],
)
def test_a_head_without_end_is_not_kept(url: str, begun: bytes) -> None:
    with _connection(url) as connection:
        connection.sendall(begun)
        with pytest.raises(ConnectionError):  # noqa: PT012
            for _ in range(1000):
                connection.sendall(b"x" * 65536)
                time.sleep(0.002)


def test_streams_and_uploads_that_go_on_are_left_alone(
    installation: Settings, world: World
) -> None:
    project = world.project(state=ProjectState.RUNNING)
    engineer = world.caller(Role.ENGINEER, project)
    path = f"/api/projects/{project.id}"
    beginning, over = threading.Event(), threading.Event()
    with serving(create_app(installation), _SHORT) as url:

        def watch() -> None:
            events = f"{url}{path}/events"
            with httpx.stream("GET", events, headers=engineer.headers, timeout=30) as response:
                for line in response.iter_lines():
                    beginning.set()
                    if "paused" in line:
                        over.set()
                        return

        watcher = threading.Thread(target=watch)
        watcher.start()
        assert beginning.wait(20)

        def slowly() -> Iterator[bytes]:
            content = png(1, 64)
            for at in range(0, len(content), len(content) // 20):
                yield content[at : at + len(content) // 20]
                time.sleep(0.15)

        # Three seconds where a head has 0.6, and a body that does not go on as well.
        with httpx.Client(base_url=f"{url}{path}", headers=engineer.headers, timeout=30) as client:
            sent = client.post("/imports?filename=one.png", content=slowly())
            assert sent.status_code == 202
            client.post("/pause").raise_for_status()
        assert over.wait(20)
        watcher.join(20)


def test_who_takes_nothing_of_an_answer_is_hung_up_on(url: str) -> None:
    ask = b"GET /api/openapi.json HTTP/1.1\r\nHost: karat.test\r\n\r\n"
    with _connection(url) as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        with pytest.raises(ConnectionError):  # noqa: PT012
            # Many times what the buffers on the way hold.
            for _ in range(2000):
                connection.sendall(ask)
                time.sleep(0.005)


def test_those_that_wait_make_room_for_those_that_ask(installation: Settings) -> None:
    limits = Limits(per_source=20, total=200, head_seconds=600)
    with (
        serving(create_app(installation), limits) as url,
        flood.half_sent(url, 100) as held,
    ):
        assert flood.served(url, 30) == 30
        for one in held:
            one.setblocking(False)
        closed = sum(_is_closed(one) for one in held)
        assert closed >= 80


def _is_closed(connection: socket.socket) -> bool:
    try:
        return connection.recv(1) == b""
    except BlockingIOError:
        return False
    except ConnectionError:
        return True


def test_one_address_holds_no_more_than_its_share_and_a_proxy_does(
    installation: Settings, world: World
) -> None:
    project = world.project()
    headers = world.caller(Role.ANNOTATOR, project).headers
    limits = Limits(per_source=3, total=8)
    path = f"/api/projects/{project.id}/events"
    for proxies, most in (((), 3), (networks("127.0.0.0/8"), 8)):
        with (
            serving(create_app(installation), limits, proxies) as url,
            contextlib.ExitStack() as stack,
        ):
            for _ in range(most):
                # Each is being answered, so none can be closed for another.
                stream = httpx.stream("GET", f"{url}{path}", headers=headers, timeout=30)
                assert stack.enter_context(stream).status_code == 200
            refused = httpx.get(f"{url}/healthz", timeout=30)
            assert (refused.status_code, refused.json()["code"]) == (503, "too_many_connections")
            assert refused.headers["Retry-After"] == "1"


def test_a_connection_is_kept_for_the_next_request(url: str) -> None:
    where = urlsplit(url)
    connection = HTTPConnection(str(where.hostname), where.port, timeout=20)
    with contextlib.closing(connection):
        connection.connect()
        ours = connection.sock.getsockname()
        for _ in range(20):
            connection.request("POST", "/api/auth/logout", body=b"{}")
            assert connection.getresponse().read() == b'{"end_session_url":null}'
            time.sleep(0.05)
        assert connection.sock.getsockname() == ours


def test_a_process_with_a_thousand_files_serves_others_under_fifteen_hundred_half_heads(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert world.session
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    monkeypatch.setenv("KARAT_CONNECTIONS_PER_ADDRESS", "100000")
    launch = (
        "import resource, runpy, sys; resource.setrlimit(resource.RLIMIT_NOFILE, (1024, 1024)); "
        "sys.argv = ['api', '--port', sys.argv[1]]; runpy.run_module('api', run_name='__main__')"
    )
    port = processes.free_port()
    url = f"http://127.0.0.1:{port}"
    with (tmp_path / "api.log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-c", launch, str(port)], stdout=log, stderr=log, cwd=processes.ROOT
        )
    # The flood of this process needs files, too.
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 8192), hard))
    try:
        processes.eventually(lambda: flood.served(url, 1) == 1, "the API starts")
        with flood.half_sent(url, 1500):
            assert flood.served(url, 20) == 20
    finally:
        process.kill()
        process.wait(10)
