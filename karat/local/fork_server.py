"""Programs that are forked from a process with their libraries, and that process.

For Linux: elsewhere some of the system's own libraries do not bear a fork.
"""

import contextlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from karat.local.processes import ServiceError, spawn, stop_all, tail


class ForkedProcess:
    """A program that was forked, as :class:`subprocess.Popen` has those that were started."""

    def __init__(self, told: int, log: Path) -> None:
        """Have a process that starts once its server comes to it.

        Args:
            told: A descriptor from which its process id can be read, and its status at its end.
            log: What its server writes.
        """
        self.returncode: int | None = None
        self._pid: int | None = None
        self._wanted: int | None = None
        self._told = os.fdopen(told, "rb", buffering=0)
        self._log = log
        self._lock = threading.Lock()

    @property
    def pid(self) -> int:
        """Its process id, once it has one.

        Raises:
            ServiceError: It could not be forked, or its server has died before.
        """
        with self._lock:
            while self._pid is None and self.returncode is None:
                self._listen(None)
            if self._pid is None:
                raise ServiceError(
                    f"Nothing could be forked:\n{tail(self._log)}", f"See {self._log}."
                )
            return self._pid

    def poll(self) -> int | None:
        """Its status, negative where a signal ended it; None while it runs."""
        with self._lock:
            while self.returncode is None and self._listen(0.0):
                pass
            return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end.

        Args:
            timeout: Seconds at most; None for as long as it takes.

        Returns:
            Its status, negative where a signal ended it.

        Raises:
            subprocess.TimeoutExpired: It still runs.
        """
        deadline = None if timeout is None else time.monotonic() + timeout
        with self._lock:
            while self.returncode is None:
                left = None if deadline is None else max(0.0, deadline - time.monotonic())
                if not self._listen(left):
                    raise subprocess.TimeoutExpired(f"process {self._pid}", timeout or 0.0)
            return self.returncode

    def send_signal(self, sig: int, /) -> None:
        """Send it a signal, as soon as it has started; harmless when it has ended."""
        if self.poll() is not None:
            return
        with self._lock:
            # Whoever stops Karat does not wait for imports; the server's end is its end, too.
            self._wanted = sig
            self._pass_on()

    def kill(self) -> None:
        """Send it SIGKILL; harmless when it has ended."""
        self.send_signal(signal.SIGKILL)

    def _pass_on(self) -> None:
        """Send the signal that is wanted, if there is a process to get it."""
        if self._pid is not None and self._wanted is not None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._pid, self._wanted)

    def _listen(self, seconds: float | None) -> bool:
        """Hear the next that is told, within a time; whether there was anything."""
        # One call of the system: whoever looks after programs asks this of each, all the time.
        poller = select.poll()
        poller.register(self._told, select.POLLIN)
        if not poller.poll(None if seconds is None else 1000 * seconds):
            return False
        line = self._told.readline()
        if line and self._pid is None:
            self._pid = int(line)
            self._pass_on()
            return True
        # Without a word the server has died, and whatever it forked with it.
        self.returncode = int(line) if line else -signal.SIGKILL
        self._told.close()
        return True


class ForkServer:
    """A process with libraries, and what is forked from it.

    It starts when it is first told something, and again when it has died.
    """

    def __init__(
        self, *, log: Path, directory: Path, environment: Mapping[str, str] | None = None
    ) -> None:
        """Describe the server.

        Args:
            log: File that gets what the server itself writes.
            directory: Its working directory.
            environment: What libraries find as they are imported; ours if None.
        """
        self._log = log
        self._directory = directory
        self._environment = environment
        self._libraries: dict[str, None] = {}
        self._process: subprocess.Popen[bytes] | None = None
        self._connection: socket.socket | None = None
        self._lock = threading.Lock()

    def import_libraries(self, names: Iterable[str]) -> None:
        """Have the programs that come later find modules imported; waits for nothing.

        Args:
            names: The modules, none that reads the environment as it is imported.
        """
        with self._lock:
            more = [name for name in names if name not in self._libraries]
            self._libraries.update(dict.fromkeys(more))
            if self._runs():
                self._send({"libraries": more})
            else:
                self._start()

    def fork(
        self,
        module: str,
        arguments: Sequence[str],
        *,
        output: int,
        errors: int | None = None,
        directory: Path,
        environment: Mapping[str, str],
    ) -> ForkedProcess:
        """Start a program as ``python -m module`` would, in its own session.

        It is killed when the server ends, and that ends with the process that started it.

        Args:
            module: What to run as ``__main__``.
            arguments: Its arguments.
            output: Descriptor that becomes its stdout; ours stays open.
            errors: Descriptor that becomes its stderr; None: ``output``.
            directory: Its working directory.
            environment: Its whole environment.

        Returns:
            The process, which starts once the libraries are imported.
        """
        asked = {
            "module": module,
            "arguments": [*arguments],
            "environment": dict(environment),
            "directory": str(directory),
        }
        with self._lock:
            if not self._runs():
                self._start()
            ours, told = os.pipe()
            self._send(asked, told, output, output if errors is None else errors)
            os.close(told)
        return ForkedProcess(ours, self._log)

    def close(self) -> None:
        """End the server and whatever it has forked; harmless when it does not run."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None
            if self._process is not None:
                stop_all([self._process], ())
                self._process = None

    def _runs(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def _start(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._connection, theirs = socket.socketpair()
        with theirs:
            self._process = spawn(
                # -P keeps the working directory, which holds data, off the module path; -u is for
                # the logs of what is forked.
                [sys.executable, "-u", "-P", "-m", "karat.local.forking", str(theirs.fileno())],
                log=self._log,
                directory=self._directory,
                environment=self._environment,
                death_signal=signal.SIGKILL,
                descriptors=[theirs.fileno()],
            )
        self._send({"libraries": [*self._libraries]})

    def _send(self, asked: dict[str, Any], *descriptors: int) -> None:
        assert self._connection is not None
        words = f"{json.dumps(asked)}\n".encode()
        # A server that has died is met at the other end of the pipe.
        with contextlib.suppress(OSError):
            sent = socket.send_fds(self._connection, [words], descriptors)
            self._connection.sendall(words[sent:])
