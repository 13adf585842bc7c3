"""Commands of ``karat`` as processes that need not import what they stand on.

``python -m tests.karat.template FD`` has imported the libraries of the command line, nothing of
Karat itself, and forks a process for each command that it is told through a socket. A test types a
dozen commands, and each would import for longer than it works.
"""

import importlib
import json
import os
import runpy
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from core.startup import uncollected
from tests.processes import ROOT

_LIBRARIES: Final = (
    "httpx", "rich.console", "rich.markdown", "rich.progress", "rich.table", "typer.rich_utils",
)  # fmt: skip


class Template:
    """What commands are forked from."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._said = connection.makefile("rb")

    def run(
        self, arguments: list[str], environment: Mapping[str, str], folder: Path, seconds: float
    ) -> "subprocess.CompletedProcess[str]":
        """Type ``karat`` with ``arguments`` in a folder; neither end is a terminal.

        Raises:
            subprocess.TimeoutExpired: It took longer, and was killed.
        """
        asked = {"arguments": arguments, "environment": dict(environment), "folder": str(folder)}
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            words = f"{json.dumps(asked)}\n".encode()
            sent = socket.send_fds(self._connection, [words], [out.fileno(), err.fileno()])
            self._connection.sendall(words[sent:])
            pid = int(self._said.readline())
            self._connection.settimeout(seconds)
            try:
                status = int(self._said.readline())
            except TimeoutError:
                os.kill(pid, signal.SIGKILL)
                raise subprocess.TimeoutExpired(arguments, seconds) from None
            finally:
                self._connection.settimeout(None)
            out.seek(0)
            err.seek(0)
            texts = [file.read().decode() for file in (out, err)]
        return subprocess.CompletedProcess(arguments, status, *texts)

    def close(self) -> None:
        """Say that there are no more commands."""
        self._said.close()
        self._connection.shutdown(socket.SHUT_RDWR)


@contextmanager
def template() -> Iterator[Template]:
    """One, until the end of the block."""
    ours, theirs = socket.socketpair()
    command = [sys.executable, "-m", __name__, str(theirs.fileno())]
    with ours, subprocess.Popen(command, cwd=ROOT, pass_fds=[theirs.fileno()]):
        theirs.close()
        made = Template(ours)
        yield made
        made.close()


def _asked(connection: socket.socket) -> tuple[dict[str, Any], list[int]] | None:
    """The next command, and where its output goes; None when there are no more."""
    words, descriptors, _, _ = socket.recv_fds(connection, 1 << 16, 2)
    while words and not words.endswith(b"\n"):
        words += connection.recv(1 << 16)
    return (json.loads(words), descriptors) if words else None


def _become(asked: dict[str, Any], output: list[int]) -> None:
    """Be a process that was started for a command."""
    with open(os.devnull, "rb") as nothing:
        for wanted, given in enumerate((nothing.fileno(), *output)):
            os.dup2(given, wanted)
    for descriptor in output:
        os.close(descriptor)
    os.environ.clear()
    os.environ.update(asked["environment"])
    os.chdir(asked["folder"])
    # As ``python -m karat`` has them.
    sys.path[0] = asked["folder"]
    sys.argv = ["karat", *asked["arguments"]]


def _serve(connection: socket.socket) -> bool:
    """Fork for each command; true in the process of one, false when there are no more."""
    while (asked := _asked(connection)) is not None:
        pid = os.fork()
        if pid == 0:
            connection.close()
            _become(*asked)
            return True
        connection.sendall(f"{pid}\n".encode())
        for descriptor in asked[1]:
            os.close(descriptor)
        _, status = os.waitpid(pid, 0)
        connection.sendall(f"{os.waitstatus_to_exitcode(status)}\n".encode())
    return False


if __name__ == "__main__":
    with uncollected():
        for name in _LIBRARIES:
            importlib.import_module(name)
    if _serve(socket.socket(fileno=int(sys.argv[1]))):
        runpy.run_module("karat", run_name="__main__", alter_sys=True)
