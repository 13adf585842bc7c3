"""All of Karat's processes on this machine: started, watched, stopped in order."""

import http.client
import importlib.util
import json
import os
import shlex
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from core.security.private import private_files, protect
from karat.local.embedded import EmbeddedPostgres, EmbeddedRedis
from karat.local.fork_server import ForkServer
from karat.local.links import remove_links
from karat.local.logs import keep_small
from karat.local.processes import DirectoryLock, Process, ServiceError, tail
from karat.local.programs import Programs
from karat.local.supervisor import Supervisor

DEFAULT_PORT = 8080
ADMIN_EMAIL = "admin@karat.local"
QUEUES = ("gpu", "cpu")
STATE_FILE = "running.json"
BACKUPS = "backups"
LOCK_FILE = "karat.lock"
# Where the demo keeps everything, below the directory of what is no demo.
DEMO_DIRECTORY = "demo"
# Threads of a training worker that wait by spinning take the cores from the API and the database,
# and from each other.
_DEFAULTS = {"OMP_WAIT_POLICY": "PASSIVE"}
# CUDA cannot follow a fork, so what trains runs in the worker process itself. The sweep that finds
# abandoned jobs has a process of its own: imports would take its slots, and its time.
_THREADS = ("--pool=threads", "--concurrency=4")
_POOLS = {"gpu": ("--pool=solo",), "cpu": _THREADS, "housekeeping": _THREADS}
# What calls others has queues of its own, for installations whose other workers have no way out.
_TAKES = {"gpu": "gpu", "cpu": "cpu,judge", "housekeeping": "housekeeping,web"}


class Stack:
    """PostgreSQL, Redis, the API, the workers and the scheduler of one data directory."""

    def __init__(
        self,
        data_dir: Path,
        *,
        host: str = "127.0.0.1",
        port: int | None = None,
        workers: Mapping[str, int] | None = None,
        database_url: str | None = None,
        redis_url: str | None = None,
        environment: Mapping[str, str] | None = None,
        postgres_settings: Mapping[str, str] | None = None,
        backups: Sequence[str] | None = None,
        forks: ForkServer | None = None,
        notify: Callable[[str], None] = lambda _: None,
    ) -> None:
        """Describe the stack; ``start`` starts it.

        Args:
            data_dir: Everything that is kept lies here; made if missing.
            host: Address the API listens on.
            port: Port the API listens on; 0 for any free one, None for 8080 or the next free one.
            workers: Number of worker processes by queue; one each if not given.
            database_url: A PostgreSQL to use instead of our own.
            redis_url: A Redis to use instead of our own.
            environment: Variables set for every process of ours.
            postgres_settings: Settings of our own PostgreSQL that replace the usual ones.
            backups: How ``karat backup`` is asked to go on writing some; None: it is not.
            forks: What our programs are forked from, if it is there already; else, on Linux, one
                of our own.
            notify: Told, in one sentence, what a user should know.
        """
        self._backups = backups
        self._notify = notify
        self.data_dir = data_dir.expanduser().resolve()
        self.logs = self.data_dir / "logs"
        self.host = host
        self.port = port
        self.admin_email: str | None = None
        self.admin_password: str | None = None
        self._workers = dict.fromkeys(QUEUES, 1) | dict(workers or {})
        self._database_url = database_url
        self._redis_url = redis_url
        self._forks = forks
        self._programs: Programs | None = None
        self._extra_environment = dict(environment or {})
        self._lock = DirectoryLock(self.data_dir / LOCK_FILE, str(self.data_dir))
        self._supervisor = Supervisor(notify, no_room=self._no_room, logs=self.logs)
        self._postgres = EmbeddedPostgres(
            self.data_dir / "postgres", self.logs / "postgres.log", settings=postgres_settings
        )
        self._redis = EmbeddedRedis(self.data_dir / "redis", self.logs / "redis.log")

    @property
    def url(self) -> str:
        """Where the browser and the clients find Karat."""
        host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self.host, self.host)
        return f"http://[{host}]:{self.port}" if ":" in host else f"http://{host}:{self.port}"

    @property
    def processes(self) -> dict[str, Process]:
        """The processes by name: postgres, redis, api, worker-gpu, …, scheduler."""
        return self._supervisor.processes

    @property
    def environment(self) -> dict[str, str]:
        """The environment of our processes, while the services run."""
        own = {
            "DATABASE_URL": self._database_url or self._postgres.url,
            "REDIS_URL": self._redis_url or self._redis.url,
            "KARAT_DATA_DIR": str(self.data_dir),
            "PYTHONUNBUFFERED": "1",
        }
        return self._given_environment | own

    @property
    def _given_environment(self) -> dict[str, str]:
        """What does not depend on where the services are."""
        return {**_DEFAULTS, **os.environ, **self._extra_environment}

    def start(self) -> Self:
        """Start everything and wait until the API is ready.

        Returns:
            The stack itself.

        Raises:
            AlreadyRunningError: Another Karat runs on the data directory.
            ServiceError: Something does not start.
        """
        with private_files():
            self._make_directories()
            self._lock.acquire()
            try:
                self._start()
            except BaseException:
                self.stop()
                raise
        return self

    def _start(self) -> None:
        remove_links(self.data_dir)
        self.port = choose_port(self.host, self.port)
        self._programs = Programs(
            self.data_dir,
            log=self._log("fork-server"),
            environment=self._given_environment,
            forks=self._forks,
        )
        self._start_services()
        self._undo_restore()
        # The API needs no tables to start, and nobody knows its address yet.
        self._start_program("api", "api", "--host", self.host, "--port", str(self.port))
        self._prepare_database()
        self._programs.expect_workers()
        self._wait_until_ready()
        self._start_background()
        self._save_state()
        self._supervisor.watch()

    def stop(self) -> None:
        """Stop everything in order; harmless when nothing runs."""
        if not self._lock.held:
            return
        self._supervisor.unwatch()
        (self.data_dir / STATE_FILE).unlink(missing_ok=True)
        # A worker that does not finish in time is killed, and its job goes on from its last
        # checkpoint at the next start.
        programs = [name for name in self.processes if name not in {"postgres", "redis"}]
        self._supervisor.stop(programs, seconds=6.0)
        if self._programs is not None:
            self._programs.close()
        self._redis.stop()
        self._postgres.stop()
        self._supervisor.close()
        self._lock.release()

    def wait(self, seconds: float | None = None) -> None:
        """Wait for as long as everything can be kept running.

        Args:
            seconds: How long to wait at most.

        Raises:
            ServiceError: A process died more often than it is started again.
        """
        self._supervisor.failed.wait(seconds)
        if self._supervisor.failure is not None:
            failure = self._supervisor.failure
            raise ServiceError(failure.message, f"See the logs in {self.logs}.")

    def __enter__(self) -> Self:
        """Start everything, as ``start`` does."""
        return self.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop everything, as ``stop`` does."""
        self.stop()

    def _make_directories(self) -> None:
        try:
            protect(self.data_dir)
            self.logs.mkdir(exist_ok=True)
        except OSError as error:
            raise ServiceError(
                f"{self.data_dir} cannot be made: {error.strerror}.",
                "Choose another directory with --data-dir.",
            ) from error
        if not os.access(self.data_dir, os.W_OK) or not os.access(self.logs, os.W_OK):
            raise ServiceError(
                f"{self.data_dir} cannot be written.", "Choose another directory with --data-dir."
            )

    def _no_room(self) -> bool:
        from core.files.disk import room
        from core.settings import Settings

        return room(Settings(data_dir=self.data_dir)).state != "ok"

    def _start_services(self) -> None:
        if self._database_url is None:
            self._supervisor.start("postgres", lambda: _process(self._postgres))
        if self._redis_url is None:
            self._supervisor.start("redis", lambda: _process(self._redis))

    def _undo_restore(self) -> None:
        """Bring back what a restore that was killed has hidden: all would look lost."""
        from karat.local.unfinished import undo

        undo(self.environment["DATABASE_URL"], self.data_dir, self._notify)

    def _start_program(self, name: str, module: str, *arguments: str) -> None:
        log, programs, environment = self._log(name), self._programs, self.environment
        assert programs is not None
        self._supervisor.start(
            name,
            lambda: programs.start(module, *arguments, log=log, environment=environment),
        )

    def _start_background(self) -> None:
        celery = ("celery", "--app", "workers.app", "--quiet")
        for queue, number in {**self._workers, "housekeeping": 1}.items():
            for index in range(1, number + 1):
                name = f"worker-{queue}" if index == 1 else f"worker-{queue}-{index}"
                self._start_program(
                    name,
                    *celery,
                    "worker",
                    *_POOLS[queue],
                    f"--queues={_TAKES[queue]}",
                    f"--hostname={queue}-{index}@%h",
                    "--loglevel=INFO",
                    "--without-gossip",
                    "--without-mingle",
                    "--without-heartbeat",
                )
        self._start_program("scheduler", *celery, "beat", "--pidfile=", "--loglevel=INFO")
        if self._backups is not None:
            self._start_program("backup", "karat", "backup", *self._backups)

    def _save_state(self) -> None:
        """Tell other commands on this machine where everything is; of no use after the end."""
        names = ("DATABASE_URL", "REDIS_URL")
        state = {"url": self.url, **{name: self.environment[name] for name in names}}
        if self._backups is not None:
            state[BACKUPS] = shlex.join(self._backups)
        file = self.data_dir / STATE_FILE
        file.touch(mode=0o600)
        file.write_text(json.dumps(state))

    def _prepare_database(self) -> None:
        """Apply the migrations and create the first user."""
        log = self._log("database")
        assert self._programs is not None
        with tempfile.TemporaryFile() as said:
            process = self._programs.start(
                *("karat.local.prepare", str(alembic_settings()), ADMIN_EMAIL),
                log=log,
                output=said,
                environment=self.environment,
            )
            # Raises if it could not even be forked.
            _ = process.pid
            status = process.wait()
            said.seek(0)
            text = said.read()
        if status != 0:
            raise self._unprepared(status, log)
        admin = json.loads(text)
        self.admin_email = admin.get("email")
        self.admin_password = admin.get("password")

    def _unprepared(self, status: int, log: Path) -> ServiceError:
        if status > 0:
            return ServiceError(f"The database was not prepared:\n{tail(log)}", f"See {log}.")
        # It had no time to say why; what it was forked from, and ends with, may have.
        logs = [one for one in (log, self._log("fork-server")) if one.exists()]
        said = "\n".join(filter(None, map(tail, logs)))
        return ServiceError(
            f"The database was not prepared, as that was ended by {signal.Signals(-status).name}:\n"
            f"{said or 'it said nothing'}",
            f"See {' and '.join(map(str, logs))}.",
        )

    def _wait_until_ready(self, seconds: float = 60.0) -> None:
        api = self.processes["api"]
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline and api.poll() is None:
            if is_ready(self.url):
                return
            time.sleep(0.05)
        log = self._log("api")
        raise ServiceError(f"The API did not become ready:\n{tail(log)}", f"See {log}.")

    def _log(self, name: str) -> Path:
        log = self.logs / f"{name}.log"
        keep_small(log)
        return log


def is_ready(url: str) -> bool:
    """Whether the API at ``url`` is ready to work.

    Args:
        url: ``http://host:port``.

    Returns:
        True when it says so; False when it says no or nothing.
    """
    host, _, port = url.removeprefix("http://").rpartition(":")
    connection = http.client.HTTPConnection(host.strip("[]"), int(port), timeout=5.0)
    try:
        connection.request("GET", "/readyz")
        return connection.getresponse().status == http.HTTPStatus.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def choose_port(host: str, port: int | None) -> int:
    """A port to listen on.

    Args:
        host: The address to listen on.
        port: The port wanted; 0 for any free one, None for 8080 or the next free one.

    Returns:
        A port that is free now.

    Raises:
        ServiceError: The port wanted is taken, or the address is none of this machine's.
    """
    wanted = [port] if port is not None else [*range(DEFAULT_PORT, DEFAULT_PORT + 100), 0]
    for one in wanted:
        try:
            family, kind, _, _, address = socket.getaddrinfo(host, one, type=socket.SOCK_STREAM)[0]
            with socket.socket(family, kind) as probe:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                probe.bind(address)
                return int(probe.getsockname()[1])
        except socket.gaierror as error:
            raise ServiceError(f"{host} is no address: {error.strerror}.") from error
        except PermissionError as error:
            raise ServiceError(
                f"Port {one} needs more rights.", "Choose one above 1023 with --port."
            ) from error
        except OSError:
            continue
    raise ServiceError(
        f"Port {port} of {host} is taken or not ours.",
        "Choose another with --port, or leave it out.",
    )


def _process(service: EmbeddedPostgres | EmbeddedRedis) -> subprocess.Popen[bytes]:
    process = service.start().process
    if process is None:
        raise ServiceError(f"{service.title} is not running.")
    return process


def alembic_settings() -> Path:
    """The file that tells Alembic where the migrations are."""
    spec = importlib.util.find_spec("migrations")
    if spec is None or not spec.submodule_search_locations:
        raise ServiceError("The package migrations is not installed.", "Run: make setup")
    return Path(next(iter(spec.submodule_search_locations))) / "alembic.ini"
