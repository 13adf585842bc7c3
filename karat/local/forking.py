"""The process that imports, and that programs are forked from; see ``fork_server``.

``python -P -m karat.local.forking FD`` imports libraries, and forks for each program that it is
told of through a socket. A program would else import for seconds before it works, and have for
itself the memory that all of them share now.
"""

import atexit
import contextlib
import gc
import importlib
import json
import logging
import os
import runpy
import selectors
import signal
import socket
import sys
import traceback
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from setproctitle import setproctitle

from core.process.startup import uncollected
from karat.local.launch import end_with_parent

# Who stops Karat may tell all of its processes at once; this one ends when no program needs it.
_PASSED_OVER: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


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
    requests, children = _Requests(connection), _Children()
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
                    elif _fork(asked, children):
                        requests.close()
                        return asked


def _fork(program: _Program, children: _Children) -> bool:
    """Fork for a program; true in its process."""
    server = os.getpid()
    # What is sent to it before it is a program of its own waits until it is.
    signal.pthread_sigmask(signal.SIG_BLOCK, _PASSED_OVER)
    try:
        pid = os.fork()
    except OSError as error:
        # Of this one alone: there may be room again when it is tried again.
        with contextlib.suppress(OSError):
            os.write(program.errors, f"It could not be forked: {error}\n".encode())
        os.close(program.told)
    else:
        if pid == 0:
            children.close()
            os.close(program.told)
            end_with_parent(server, signal.SIGKILL)
            return True
        children.add(pid, program.told)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _PASSED_OVER)
    os.close(program.output)
    os.close(program.errors)
    return False


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


def _become(program: _Program, handlers: Mapping[signal.Signals, Any]) -> None:
    """Be a process that was started for a program, with what is done at signals there."""
    os.setsid()
    with open(os.devnull, "rb") as nothing:
        for standard, given in enumerate((nothing.fileno(), program.output, program.errors)):
            os.dup2(given, standard)
    os.close(program.output)
    os.close(program.errors)
    for number, handler in handlers.items():
        signal.signal(number, handler)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _PASSED_OVER)
    os.environ.clear()
    os.environ.update(program.environment)
    os.chdir(program.directory)
    sys.argv = [program.module, *program.arguments]
    # For whoever looks at the processes of the machine; names of files need not be UTF-8.
    title = " ".join((sys.executable, "-m", *sys.argv))
    setproctitle(title.encode(errors="replace").decode())


def _leave(ends: Sequence[int]) -> None:
    """End a program that is done, all but taking apart what it was forked with.

    Python would do so object by object, and copy the pages first that these share with the other
    processes: half a second, and hundreds of megabytes.

    Args:
        ends: Its status; none where something else has ended it, or it is none.
    """
    if not ends:
        return
    logging.shutdown()
    for stream in (sys.stdout, sys.stderr):
        # Whoever reads may be gone, and the program may have closed it.
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    os._exit(ends[0])


def main(descriptor: int) -> None:
    """Import, fork, and be what was asked for.

    Args:
        descriptor: The socket through which all is told.
    """
    ends: list[int] = []
    # Before any library has something to do at the end: what comes first is called last.
    atexit.register(_leave, ends)
    # Its library finds the place of a title in the first environment only.
    setproctitle("karat: libraries, from which the rest is forked")
    # ``nohup`` is meant for programs as well.
    handlers = {number: signal.signal(number, signal.SIG_IGN) for number in _PASSED_OVER}
    # Python warns of every other thread; those that are here are of libraries that bear a fork.
    warnings.filterwarnings("ignore", message=".*use of fork", category=DeprecationWarning)
    program = _serve(socket.socket(fileno=descriptor))
    if program is not None:
        _become(program, handlers)
        try:
            runpy.run_module(program.module, run_name="__main__", alter_sys=True)
        except SystemExit as end:
            if not isinstance(end.code, int | None):
                raise
            ends.append(end.code or 0)
        else:
            ends.append(0)


if __name__ == "__main__":
    main(int(sys.argv[1]))
