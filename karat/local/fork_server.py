"""Starts Python programs from a process that has imported their libraries.

``python -P -m karat.local.fork_server FD`` imports libraries, and forks for each program that it is
told of through a socket. A program would else import for seconds before it works, and have for
itself the memory that all of them share now. For Linux: elsewhere some of the system's own
libraries do not bear a fork.
"""

import contextlib
import gc
import importlib
import json
import os
import runpy
import selectors
import signal
import socket
import subprocess
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from setproctitle import setproctitle

from core.startup import uncollected
from karat.local.launch import end_with_parent
from karat.local.processes import ServiceError, spawn, stop_all, tail

# Who stops Karat may tell all of its processes at once; this one ends when no program needs it.
_PASSED_OVER: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


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
            if self._pid is None:
                # Whoever stops Karat does not wait for imports; the server's end is its end, too.
                self._wanted = sig
            else:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(self._pid, sig)

    def kill(self) -> None:
        """Send it SIGKILL; harmless when it has ended."""
        self.send_signal(signal.SIGKILL)

    def _listen(self, seconds: float | None) -> bool:
        """Hear the next that is told, within a time; whether there was anything."""
        with selectors.DefaultSelector() as selector:
            selector.register(self._told, selectors.EVENT_READ)
            if not selector.select(seconds):
                return False
        line = self._told.readline()
        if line and self._pid is None:
            self._pid = int(line)
            if self._wanted is not None:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(self._pid, self._wanted)
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
                [sys.executable, "-u", "-P", "-m", __name__, str(theirs.fileno())],
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


@dataclass(frozen=True)
class _Program:
    """What was asked for, and the descriptors that came with it."""

    module: str
    arguments: list[str]
    environment: dict[str, str]
    directory: str
    told: int
    output: int
    errors: int


class _Requests:
    """What comes through the socket: a line of JSON each, and three descriptors with a program."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._words = b""
        self._descriptors: list[int] = []

    def read(self) -> bool:
        """Take what has come; false when no more will."""
        words, descriptors, _, _ = socket.recv_fds(self._connection, 1 << 16, 48)
        self._words += words
        self._descriptors += descriptors
        return bool(words)

    def whole(self) -> Iterator["_Program | list[str]"]:
        """The programs, and the libraries, that have come whole."""
        while b"\n" in self._words:
            line, _, self._words = self._words.partition(b"\n")
            asked = json.loads(line)
            if "libraries" in asked:
                yield asked["libraries"]
                continue
            told, output, errors, *self._descriptors = self._descriptors
            yield _Program(**asked, told=told, output=output, errors=errors)

    def close(self) -> None:
        """Leave the rest to another process."""
        self._connection.close()
        for descriptor in self._descriptors:
            os.close(descriptor)


class _Children:
    """What has been forked, and who is told of its end."""

    def __init__(self) -> None:
        self._told: dict[int, int] = {}
        self.awake, self._wake = os.pipe()
        os.set_blocking(self._wake, False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(self._wake, warn_on_full_buffer=False)

    def add(self, pid: int, told: int) -> None:
        self._told[pid] = told
        # Whoever asked may be gone.
        with contextlib.suppress(BrokenPipeError):
            os.write(told, f"{pid}\n".encode())

    def tell_ends(self) -> None:
        """Tell of those that have ended; call it when ``awake`` can be read."""
        os.read(self.awake, 1 << 12)
        with contextlib.suppress(ChildProcessError):
            while (ended := os.waitpid(-1, os.WNOHANG))[0] != 0:
                told = self._told.pop(ended[0], None)
                if told is None:
                    continue
                with contextlib.suppress(BrokenPipeError):
                    os.write(told, f"{os.waitstatus_to_exitcode(ended[1])}\n".encode())
                os.close(told)

    def close(self) -> None:
        """Leave them to another process."""
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        for descriptor in (self.awake, self._wake, *self._told.values()):
            os.close(descriptor)


def _serve(connection: socket.socket) -> _Program | None:
    """Import and fork; returns in the process of a program, and with None when all is done."""
    server, requests, children = os.getpid(), _Requests(connection), _Children()
    with selectors.DefaultSelector() as selector:
        selector.register(connection, selectors.EVENT_READ)
        selector.register(children.awake, selectors.EVENT_READ)
        while True:
            for key, _ in selector.select():
                if key.fd == children.awake:
                    children.tell_ends()
                    continue
                if not requests.read():
                    return None
                for asked in requests.whole():
                    if not isinstance(asked, _Program):
                        _import(asked)
                        continue
                    # What is sent to it before it is a program of its own waits until it is.
                    signal.pthread_sigmask(signal.SIG_BLOCK, _PASSED_OVER)
                    try:
                        pid = os.fork()
                    except OSError as error:
                        # Of this one alone: there may be room again when it is tried again.
                        os.write(asked.errors, f"It could not be forked: {error}\n".encode())
                        os.close(asked.told)
                        pid = -1
                    if pid == 0:
                        requests.close()
                        children.close()
                        os.close(asked.told)
                        end_with_parent(server, signal.SIGKILL)
                        return asked
                    signal.pthread_sigmask(signal.SIG_UNBLOCK, _PASSED_OVER)
                    if pid > 0:
                        children.add(pid, asked.told)
                    os.close(asked.output)
                    os.close(asked.errors)


def _import(names: Sequence[str]) -> None:
    with uncollected():
        for name in names:
            try:
                importlib.import_module(name)
            except Exception:
                # What needs it says so by itself, and the rest goes on.
                traceback.print_exc()
    # Collections would look through all this in every process, and copy the pages it lies in.
    gc.collect()
    gc.freeze()


def _become(program: _Program) -> None:
    """Be a process that was started for a program."""
    os.setsid()
    with open(os.devnull, "rb") as nothing:
        for standard, given in enumerate((nothing.fileno(), program.output, program.errors)):
            os.dup2(given, standard)
    os.close(program.output)
    os.close(program.errors)
    for number in _PASSED_OVER:
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _PASSED_OVER)
    os.environ.clear()
    os.environ.update(program.environment)
    os.chdir(program.directory)
    sys.argv = [program.module, *program.arguments]
    # For whoever looks at the processes of the machine.
    setproctitle(" ".join((sys.executable, "-m", *sys.argv)))


def main(descriptor: int) -> None:
    """Import, fork, and be what was asked for.

    Args:
        descriptor: The socket through which all is told.
    """
    # Its library finds the place of a title in the first environment only.
    setproctitle("karat: libraries, from which the rest is forked")
    for number in _PASSED_OVER:
        signal.signal(number, signal.SIG_IGN)
    # Python warns of every other thread; those that are here are of libraries that bear a fork.
    warnings.filterwarnings("ignore", message=".*use of fork", category=DeprecationWarning)
    program = _serve(socket.socket(fileno=descriptor))
    if program is not None:
        _become(program)
        runpy.run_module(program.module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main(int(sys.argv[1]))
