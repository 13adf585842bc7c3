"""Starts Karat's own Python programs, forked from a process that has their libraries if it can."""

import signal
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Final

from karat.local.fork_server import ForkServer
from karat.local.processes import Process, private, spawn

# What they import, and nothing that reads the environment as it is imported. First what a person
# waits for, then what works in the background.
SERVING: Final = (
    "alembic.config",
    "anyio._backends._asyncio",
    "api.main",
    "api.middleware.connections",
    "encodings.idna",
    "fastapi_offline",
    "uvicorn.lifespan.on",
    "uvicorn.loops.uvloop",
    "uvicorn.protocols.http.httptools_impl",
)
WORKING: Final = (
    "celery.app.amqp",
    "celery.app.control",
    "celery.app.events",
    "celery.app.log",
    "celery.apps.beat",
    "celery.apps.worker",
    "celery.backends.base",
    # It has a shell of its own, for which it loads a quarter of a thousand modules.
    "celery.bin.celery",
    "celery.concurrency.solo",
    "celery.concurrency.thread",
    "celery.events.receiver",
    "celery.fixups.django",
    "celery.worker.autoscale",
    "celery.worker.components",
    "celery.worker.consumer.delayed_delivery",
    "celery.worker.strategy",
    "kombu.transport.redis",
    "pyarrow.dataset",
    "workers.advance.handler",
    "workers.alive",
    "workers.certificates.observing",
    "workers.cleanup.removals",
    "workers.execution.mending",
    "workers.execution.presence",
    "workers.execution.runner",
    "workers.imports.expiry",
    "workers.imports.handler",
    "workers.imports.sync.due",
    "workers.imports.sync.look",
    "workers.judges.trial",
    "workers.withdrawals.working_off",
)


class Programs:
    """The programs of one data directory."""

    def __init__(
        self,
        directory: Path,
        *,
        log: Path,
        environment: Mapping[str, str],
        forks: ForkServer | None = None,
    ) -> None:
        """Begin to import what serves, while there is something else to do.

        Args:
            directory: The working directory of them all.
            log: Where the process with their libraries writes.
            environment: What the libraries find as they are imported.
            forks: That process, if there is one; it stays when this is closed.
        """
        self._directory = directory
        self._forks = forks
        self._own: ForkServer | None = None
        if forks is None and sys.platform == "linux":
            self._forks = self._own = ForkServer(
                log=log, directory=directory, environment=environment
            )
        self._import(SERVING)

    def expect_workers(self) -> None:
        """Begin to import what works in the background; what is started then waits for it."""
        self._import(WORKING)

    def _import(self, names: Sequence[str]) -> None:
        if self._forks is not None:
            self._forks.import_libraries(names)

    def start(
        self,
        module: str,
        *arguments: str,
        log: Path,
        output: IO[bytes] | None = None,
        environment: Mapping[str, str],
    ) -> Process:
        """Start a program as ``python -m module`` would, in its own session.

        It is killed when this process ends.

        Args:
            module: What to run as ``__main__``.
            arguments: Its arguments.
            log: File that gets stderr, and stdout.
            output: A file that gets stdout in its place.
            environment: Its whole environment.

        Returns:
            The process, which starts once its libraries are imported.
        """
        if self._forks is not None:
            with open(log, "ab", opener=private) as errors:
                return self._forks.fork(
                    module,
                    arguments,
                    output=(output or errors).fileno(),
                    errors=errors.fileno(),
                    directory=self._directory,
                    environment=environment,
                )
        return spawn(
            # -P keeps the working directory, which holds data, off the module path.
            [sys.executable, "-P", "-m", module, *arguments],
            log=log,
            output=output,
            directory=self._directory,
            environment=environment,
            death_signal=signal.SIGKILL,
        )

    def close(self) -> None:
        """Kill those that still run, unless what they were forked from belongs to others."""
        if self._own is not None:
            self._own.close()
