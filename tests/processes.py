"""Real processes of the product, started on free ports and always stopped."""

import contextlib
import multiprocessing
import os
import runpy
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from multiprocessing.process import BaseProcess
from pathlib import Path
from pkgutil import resolve_name

import httpx
import psycopg

ROOT = Path(__file__).resolve().parent.parent


def eventually(condition: Callable[[], object], what: str, seconds: float = 120) -> None:
    """Wait until ``condition`` is true; fail the test with ``what`` if it never is."""
    began = time.monotonic()
    while not condition():
        waited = time.monotonic() - began
        if waited > seconds:
            raise AssertionError(f"timed out: {what}")
        # What is asked is often the API, which then takes from a long job the core that it needs.
        time.sleep(min(max(0.05, waited / 20), 0.2))


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextlib.contextmanager
def running(*module: str, log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """``python -m module…`` with the test's environment; killed in the end if still alive."""
    with log.open("ab") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", *module], cwd=ROOT, stdout=output, stderr=output
        )
    try:
        yield process
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
        process.wait(10)


@contextlib.contextmanager
def api(log: Path, port: int | None = None) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """The API, answering; yields the process and its address."""
    port = port or free_port()
    url = f"http://127.0.0.1:{port}"
    with running("api", "--port", str(port), log=log) as process:

        def answers() -> bool:
            assert process.poll() is None, log.read_text()
            with contextlib.suppress(httpx.TransportError):
                return httpx.get(f"{url}/healthz").status_code == 200
            return False

        eventually(answers, "the API starts")
        yield process, url


@contextlib.contextmanager
def worker(queue: str, log: Path, name: str | None = None) -> Iterator[BaseProcess]:
    """A Celery worker on ``queue``; killed in the end if still alive."""
    arguments: tuple[str, ...] = (
        "-A",
        "workers.app",
        "worker",
        "--pool=solo",
        "-Q",
        queue,
        "-n",
        f"{name or queue}@%h",
    )
    arguments = (*arguments, "--without-gossip", "--without-mingle")
    process = forked(_celery, arguments, log)
    try:
        yield process
    finally:
        process.kill()
        process.join(10)


def forked(run: Callable[..., None], *arguments: object) -> BaseProcess:
    """Call a function of a module in a process of its own, in the test's environment.

    It is forked from one that has imported what workers do: tests start many processes, and each
    would import for longer than it works.
    """
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.preloaded"])
    name = f"{run.__module__}:{run.__qualname__}"
    process = context.Process(target=_begin, args=(name, arguments, dict(os.environ)))
    process.start()
    return process


def _begin(name: str, arguments: tuple[object, ...], environment: Mapping[str, str]) -> None:
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(ROOT)
    # By its name: what its module reads of the environment is to be that of the test.
    resolve_name(name)(*arguments)


def _celery(arguments: tuple[str, ...], log: Path) -> None:
    """Be ``celery`` with ``arguments``."""
    with log.open("ab") as output:
        os.dup2(output.fileno(), sys.stdout.fileno())
        os.dup2(output.fileno(), sys.stderr.fileno())
    sys.argv = ["celery", *arguments]
    runpy.run_module("celery", run_name="__main__")


@contextlib.contextmanager
def scheduler(log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """The process that sends the sweep."""
    with running("celery", "-A", "workers.app", "beat", log=log) as process:
        yield process


class Hold:
    """Makes the database stop at a chosen write until it is let go, so that a test can act then.

    Args:
        table: Table whose writes are watched.
        when: SQL condition on ``NEW`` and ``OLD``.
    """

    _KEY = 4711

    def __init__(self, table: str, when: str) -> None:
        self._connection = psycopg.connect(
            os.environ["DATABASE_URL"].replace("+psycopg", ""), autocommit=True
        )
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
