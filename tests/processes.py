"""Real processes of the product, started on free ports and always stopped."""

import atexit
import contextlib
import functools
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import httpx
import psutil
import psycopg
from sqlalchemy import text
from sqlalchemy.orm import Session

from karat.local.fork_server import ForkedProcess, ForkServer
from karat.local.programs import SERVING, WORKING
from tests.called import written
from tests.shared import lasting_folder

ROOT = Path(__file__).resolve().parent.parent


def eventually(condition: Callable[[], object], what: str, seconds: float = 120) -> None:
    """Wait until ``condition`` is true; fail the test with ``what`` if it never is."""
    began = time.monotonic()
    while not condition():
        waited = time.monotonic() - began
        if waited > seconds:
            raise AssertionError(f"timed out: {what}")
        # What is asked is often the API, which then takes from a long job the core that it needs.
        time.sleep(min(max(0.05, waited / 6), 0.4))


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def libpq_url(url: str) -> str:
    """An address of PostgreSQL as psycopg takes it, of one as SQLAlchemy does."""
    return url.replace("postgresql+psycopg://", "postgresql://", 1)


@functools.cache
def fork_server() -> ForkServer:
    """What the product's programs are forked from: tests start many, and each would import."""
    handlers = (path.parent.name for path in sorted(ROOT.glob("workers/*/handler.py")))
    server = ForkServer(log=lasting_folder() / "log", directory=ROOT)
    server.import_libraries((*SERVING, *WORKING, "sklearn.linear_model"))
    server.import_libraries(f"workers.{name}.handler" for name in handlers)
    atexit.register(server.close)
    return server


@contextlib.contextmanager
def running(module: str, *arguments: str, log: Path, **environment: str) -> Iterator[ForkedProcess]:
    """``python -m module…``, with what is given in the test's environment; killed in the end."""
    with log.open("ab") as output:
        process = _fork(module, arguments, output.fileno(), **environment)
    try:
        yield process
    finally:
        process.kill()
        process.wait(10)


def _fork(module: str, arguments: Sequence[str], output: int, **environment: str) -> ForkedProcess:
    return fork_server().fork(
        module,
        arguments,
        output=output,
        directory=ROOT,
        environment={**os.environ, **environment},
    )


def typed(
    server: ForkServer,
    module: str,
    arguments: Sequence[str],
    environment: Mapping[str, str],
    folder: Path,
    seconds: float,
) -> "subprocess.CompletedProcess[str]":
    """``python -m module…`` in a folder, to its end; neither end of it is a terminal.

    Raises:
        subprocess.TimeoutExpired: It took longer, and was killed.
    """
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = server.fork(
            module,
            arguments,
            output=out.fileno(),
            errors=err.fileno(),
            directory=folder,
            environment=environment,
        )
        try:
            status = process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
        out.seek(0)
        err.seek(0)
        texts = [file.read().decode() for file in (out, err)]
    return subprocess.CompletedProcess(arguments, status, *texts)


def ended(module: str, *arguments: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    """``python -m module…`` to its end, with what is given in the test's environment."""
    given = {**os.environ, **environment}
    return typed(fork_server(), module, arguments, given, ROOT, 120)


@contextlib.contextmanager
def api(log: Path, port: int | None = None) -> Iterator[tuple[ForkedProcess, str]]:
    """The API, answering; yields the process and its address."""
    port = port or free_port()
    url = f"http://127.0.0.1:{port}"
    with (
        running("api", "--port", str(port), log=log) as process,
        # Nothing is encrypted, and to read whose certificates to trust takes longer than to ask.
        httpx.Client(verify=False) as client,
    ):

        def answers() -> bool:
            assert process.poll() is None, log.read_text()
            with contextlib.suppress(httpx.TransportError):
                return client.get(f"{url}/healthz").status_code == 200
            return False

        eventually(answers, "the API starts")
        yield process, url


@contextlib.contextmanager
def worker(queue: str, log: Path, name: str | None = None) -> Iterator[ForkedProcess]:
    """A Celery worker on ``queue``; killed in the end if still alive."""
    arguments = (
        *("-A", "workers.app", "worker", "--pool=solo", "-Q", queue, "-n", f"{name or queue}@%h"),
        *("--without-gossip", "--without-mingle"),
    )
    with running("celery", *arguments, log=log) as process:
        yield process


def forked(run: Callable[..., None], *arguments: object) -> ForkedProcess:
    """Call a function of a module in a process of its own, in the test's environment."""
    return _fork("tests.called", [written(run, arguments)], sys.stderr.fileno())


@contextlib.contextmanager
def scheduler(log: Path) -> Iterator[ForkedProcess]:
    """The process that sends the sweep."""
    with running("celery", "-A", "workers.app", "beat", log=log) as process:
        yield process


_BLOCKED = "SELECT pid FROM pg_locks WHERE NOT granted AND pg_blocking_pids(pid) && "


def blocks(session: Session) -> bool:
    """Whether somebody waits for what the transaction of a session has locked."""
    return session.scalar(text(f"{_BLOCKED} ARRAY[pg_backend_pid()]")) is not None


class Hold:
    """Makes the database stop at a chosen write until it is let go, so that a test can act then.

    Args:
        table: Table whose writes are watched.
        when: SQL condition on ``NEW`` and ``OLD``.
    """

    _KEY = 4711

    def __init__(self, table: str, when: str) -> None:
        self._connection = psycopg.connect(libpq_url(os.environ["DATABASE_URL"]), autocommit=True)
        self._connection.execute(f"SELECT pg_advisory_lock({self._KEY})".encode())
        self._connection.execute(
            f"""CREATE OR REPLACE FUNCTION hold_{table}() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
                IF {when} THEN PERFORM pg_advisory_xact_lock({self._KEY}); END IF;
                RETURN NEW;
            END $$;
            CREATE OR REPLACE TRIGGER hold BEFORE INSERT OR UPDATE ON {table}
            FOR EACH ROW EXECUTE FUNCTION hold_{table}()""".encode()
        )
        self._table = table

    def waiting(self) -> list[int]:
        """Database processes that have arrived at the write."""
        rows = self._connection.execute(
            "SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND objid = %s AND NOT granted",
            (self._KEY,),
        )
        return [row[0] for row in rows]

    def blocks(self) -> bool:
        """Whether somebody else waits for what those have locked that have arrived at the write."""
        held = self.waiting()
        rows = self._connection.execute(f"{_BLOCKED} %s::int[]".encode(), (held,))
        # Those that have arrived wait for each other, too: for the turn to go on.
        return any(pid not in held for (pid,) in rows)

    def forget(self) -> None:
        """End the transactions that wait: what they wrote is rolled back.

        Whoever is alive may try again meanwhile, and waits anew.
        """
        ended = set(self.waiting())
        for pid in ended:
            self._connection.execute("SELECT pg_terminate_backend(%s)", (pid,))
        eventually(lambda: ended.isdisjoint(self.waiting()), "held transactions end")

    def let_go(self) -> None:
        """Remove the hold; what waits goes on."""
        self._connection.execute(f"SELECT pg_advisory_unlock({self._KEY})".encode())
        eventually(lambda: not self.waiting(), "held transactions go on")
        self._connection.execute(f"DROP TRIGGER IF EXISTS hold ON {self._table}".encode())
        self._connection.close()


def children_called(words: str, pid: int | None = None) -> list[psutil.Process]:
    """Children that run and have ``words`` in their command line, of this process or another."""
    found = []
    for one in psutil.Process(pid).children():
        # Others come and go meanwhile, and one that has ended has no command line.
        with contextlib.suppress(psutil.NoSuchProcess):
            if words in " ".join(one.cmdline()):
                found.append(one)
    return found
