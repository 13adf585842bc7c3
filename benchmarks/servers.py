"""Processes that are measured."""

import contextlib
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import psutil
import psycopg

from karat.local.embedded import EmbeddedPostgres, EmbeddedRedis

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Server:
    """A process that answers on a port of 127.0.0.1."""

    port: int
    pid: int


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextlib.contextmanager
def serving(
    command: list[str],
    port: int,
    path: str,
    environment: dict[str, str],
    *,
    directory: Path = ROOT,
    log: Path | None = None,
    seconds: float = 180.0,
) -> Iterator[Server]:
    """Run ``command`` until the end of the block, which begins once it answers ``path``.

    Args:
        command: What to run; it listens on ``port``.
        port: Of 127.0.0.1.
        path: What to ask for until there is a response.
        environment: Of the process.
        directory: To run it in.
        log: Where its output goes; nowhere if None.
        seconds: How long it may take to answer.
    """
    with contextlib.ExitStack() as files:
        output = files.enter_context(log.open("ab")) if log else subprocess.DEVNULL
        process = subprocess.Popen(
            command, cwd=directory, env=environment, stdout=output, stderr=output
        )
    try:
        _wait(process, f"http://127.0.0.1:{port}{path}", seconds, log)
        yield Server(port, process.pid)
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _wait(process: subprocess.Popen[bytes], url: str, seconds: float, log: Path | None) -> None:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline and process.poll() is None:
        with contextlib.suppress(httpx.TransportError):
            httpx.get(url, timeout=5)
            return
        time.sleep(0.1)
    raise SystemExit(f"{url} does not answer" + (f"; see {log.read_text()[-2000:]}" if log else ""))


@contextlib.contextmanager
def installed(directory: Path) -> Iterator[dict[str, str]]:
    """Run a PostgreSQL with all tables and a Redis in a folder; yields the environment of Karat."""
    with (
        EmbeddedPostgres(directory / "postgres") as postgres,
        EmbeddedRedis(directory / "redis") as redis,
    ):
        environment = {
            **os.environ,
            "DATABASE_URL": postgres.url,
            "REDIS_URL": redis.url,
            "KARAT_DATA_DIR": str(directory / "data"),
        }
        migrate(environment)
        yield environment


def migrate(environment: dict[str, str]) -> None:
    """Make all tables in the database of an environment."""
    upgrade = ["alembic", "-c", "migrations/alembic.ini", "upgrade", "head"]
    command = [sys.executable, "-m", *upgrade]
    subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True)


def psycopg_url(environment: dict[str, str]) -> str:
    """Return the address of the database as psycopg takes it."""
    return environment["DATABASE_URL"].replace("+psycopg", "")


@contextlib.contextmanager
def serving_module(module: str, path: str, environment: dict[str, str]) -> Iterator[Server]:
    """Run ``python -m module --port`` until it answers ``path``."""
    port = free_port()
    command = [sys.executable, "-m", module, "--port", str(port)]
    with serving(command, port, path, environment) as server:
        yield server


def postmaster(url: str) -> int:
    """Process id of the PostgreSQL at an address of this machine, which all its others are of."""
    with psycopg.connect(url) as connection:
        return psutil.Process(connection.info.backend_pid).ppid()


def processor_seconds(pids: Iterable[int]) -> float:
    """What processes, those they started, and those of these that have ended took of processors."""
    total = 0.0
    for pid in pids:
        parent = psutil.Process(pid)
        for process in (parent, *parent.children(recursive=True)):
            with contextlib.suppress(psutil.NoSuchProcess):
                took = process.cpu_times()
                total += took.user + took.system + took.children_user + took.children_system
    return total


def memory(pids: Iterable[int]) -> float:
    """Memory of processes and of those they started, in MiB; what several share counts once."""
    total = 0
    for pid in pids:
        with contextlib.suppress(psutil.NoSuchProcess):
            parent = psutil.Process(pid)
            for process in (parent, *parent.children(recursive=True)):
                with contextlib.suppress(psutil.NoSuchProcess):
                    total += process.memory_full_info().pss
    return total / 2**20
