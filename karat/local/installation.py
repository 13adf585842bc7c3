"""An installation as commands on its own machine reach it, running or not."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from core.security.private import private_files
from karat.local.embedded import EmbeddedPostgres
from karat.local.processes import DirectoryLock, ServiceError
from karat.local.stack import LOCK_FILE, STATE_FILE, alembic_settings
from karat.local.unfinished import require_finished

# What workers.verify ends with when something is wrong.
_UNSOUND = 3


@dataclass(frozen=True)
class Installation:
    """A database and the files that belong to it.

    Attributes:
        data_dir: Where the files are.
        database_url: Where the database is, as SQLAlchemy wants it.
        running: Whether Karat may be at work on it now.
    """

    data_dir: Path
    database_url: str
    running: bool

    @property
    def environment(self) -> dict[str, str]:
        """The environment of a program that works on the installation."""
        own = {"DATABASE_URL": self.database_url, "KARAT_DATA_DIR": str(self.data_dir)}
        return {**os.environ, **own}

    def run(self, *module: str) -> subprocess.Popen[str]:
        """Start ``python -m module…`` on the installation; its output is a pipe."""
        return subprocess.Popen(
            [sys.executable, "-P", "-m", *module],
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def migrate(self, *, restoring: bool = False) -> None:
        """Bring the database's schema up to date.

        Args:
            restoring: Whether a restore does, before it is done.

        Raises:
            ServiceError: It cannot be.
        """
        asked = ("-x", "restoring=yes") if restoring else ()
        process = self.run("alembic", "-c", str(alembic_settings()), *asked, "upgrade", "head")
        _, errors = process.communicate()
        if process.returncode != 0:
            last = (errors.strip().splitlines() or ["no reason given"])[-1]
            raise ServiceError(f"The database was not brought up to date: {last}")


@contextmanager
def opened(
    data_dir: Path, *, stopped: bool = False, unfinished: bool = False
) -> Iterator[Installation]:
    """The installation of a data directory, its own PostgreSQL started if nothing runs there.

    With DATABASE_URL set, that database is used.

    Args:
        data_dir: The data directory.
        stopped: Whether nothing may run on it meanwhile.
        unfinished: Whether a restore may have left it half-way.

    Yields:
        The installation, while it can be reached.

    Raises:
        AlreadyRunningError: It runs, and must not.
        ServiceError: There is none, its database does not start, or it was left half-way.
    """
    with _reached(data_dir, stopped=stopped) as installation:
        if not unfinished:
            require_finished(installation.database_url)
        yield installation


@contextmanager
def _reached(data_dir: Path, *, stopped: bool) -> Iterator[Installation]:
    data_dir = data_dir.expanduser().resolve()
    lock = DirectoryLock(data_dir / LOCK_FILE, str(data_dir))
    given = os.environ.get("DATABASE_URL") or None
    if not (stopped or given or (data_dir / "postgres").exists()):
        raise ServiceError(
            f"{data_dir} holds no Karat.",
            "Name its directory with --data-dir, or its database with DATABASE_URL.",
        )
    with ExitStack() as stack:
        stack.enter_context(private_files())
        if stopped or not (given or lock.taken):
            data_dir.mkdir(parents=True, exist_ok=True)
            lock.acquire()
            stack.callback(lock.release)
        if given:
            yield Installation(data_dir, given, running=not stopped)
        elif lock.held:
            log = data_dir / "logs" / "postgres.log"
            server = stack.enter_context(EmbeddedPostgres(data_dir / "postgres", log))
            yield Installation(data_dir, server.url, running=False)
        else:
            yield Installation(data_dir, _address(data_dir), running=True)


def _address(data_dir: Path) -> str:
    try:
        state: dict[str, str] = json.loads((data_dir / STATE_FILE).read_text())
        return state["DATABASE_URL"]
    except (OSError, ValueError, KeyError) as error:
        raise ServiceError(
            f"Karat is starting or stopping on {data_dir}.", "Try again in a moment."
        ) from error


def findings(installation: Installation) -> Iterator[dict[str, object]]:
    """Check what an installation promises.

    Args:
        installation: Where to look.

    Yields:
        Each finding of ``workers.verify``, as soon as it is made.

    Raises:
        ServiceError: The checks could not be made.
    """
    arguments: Sequence[str] = () if installation.running else ("--stopped",)
    with installation.run("workers.verify", *arguments) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        for line in process.stdout:
            yield json.loads(line)
        errors = process.stderr.read().strip()
    if process.returncode not in {0, _UNSOUND}:
        last = (errors.splitlines() or ["no reason given"])[-1]
        raise ServiceError(f"The checks ended early: {last}", "See: karat doctor")
