"""Fork servers of the processes of a run, which are forked themselves from one with the libraries.

Each would else import for seconds what the others import as well, and keep a copy of it.
``python -m tests.forks FD PID MODULE…`` imports, and forks a server for each process that connects,
until the one that began the run has ended. A server ends, with all that it has forked, when the
process ends that it is for.
"""

import atexit
import fcntl
import gc
import importlib
import os
import select
import signal
import socket
import subprocess
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from core.process.startup import uncollected
from karat.local import forking
from karat.local.fork_server import ForkServer
from karat.local.launch import end_with_parent
from tests.shared import OWNER, SHARED, lasting_folder

_ROOT: Final = Path(__file__).resolve().parent.parent


def fork_server(name: str, libraries: Sequence[str]) -> ForkServer:
    """A server that has these modules; ended with this process.

    Args:
        name: Of what it is for: those of one name have the same modules.
        libraries: The modules, none that reads the environment as it is imported.
    """
    server: ForkServer
    if os.environ.get(OWNER, "") in {"", str(os.getpid())}:
        server = ForkServer(log=lasting_folder() / "log", directory=_ROOT)
    else:
        server = _Branch(Path(os.environ[SHARED], name), libraries)
    server.import_libraries(libraries)
    atexit.register(server.close)
    return server


class _Branch(ForkServer):
    """The server of one process among several."""

    def __init__(self, place: Path, libraries: Sequence[str]) -> None:
        super().__init__(log=place.with_suffix(".log"), directory=_ROOT)
        self._place = place.with_suffix(".sock")
        self._modules = libraries
        self._root: subprocess.Popen[bytes] | None = None

    def _runs(self) -> bool:
        return self._connection is not None

    def _start(self) -> None:
        with self._place.with_suffix(".lock").open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not self._place.exists():
                self._plant()
        self._connection = socket.socket(socket.AF_UNIX)
        self._connection.connect(str(self._place))
        self._send({"libraries": [*self._libraries]})

    def _plant(self) -> None:
        """Start the process with the libraries: nobody was here before."""
        with socket.socket(socket.AF_UNIX) as listening, self._log.open("ab") as log:
            listening.bind(str(self._place))
            listening.listen()
            asked = (str(listening.fileno()), os.environ[OWNER], *self._modules)
            self._root = subprocess.Popen(
                [sys.executable, "-u", "-P", "-m", "tests.forks", *asked],
                cwd=_ROOT,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                pass_fds=[listening.fileno()],
                start_new_session=True,
            )


def _connected(listening: socket.socket, owner: int) -> int | None:
    """Fork for each who connects; returns the connection there, and None when the run is over."""
    this = os.getpid()
    while True:
        ready, _, _ = select.select([owner, listening.fileno()], [], [])
        if owner in ready:
            return None
        connection, _ = listening.accept()
        with connection:
            if os.fork() == 0:
                end_with_parent(this, signal.SIGKILL)
                os.setsid()
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                return connection.detach()


def main(descriptor: int, owner: int, *modules: str) -> None:
    """Import, and be a server for each who connects.

    Args:
        descriptor: The socket on which they do.
        owner: Id of the process that has begun the run.
        modules: What to import.
    """
    # Servers that have ended wait for nobody.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    warnings.filterwarnings("ignore", message=".*use of fork", category=DeprecationWarning)
    with uncollected():
        for module in modules:
            importlib.import_module(module)
    gc.collect()
    gc.freeze()
    began = os.pidfd_open(owner)
    with socket.socket(fileno=descriptor) as listening:
        connection = _connected(listening, began)
    os.close(began)
    if connection is None:
        return
    server = os.getpid()
    forking.main(connection)
    if os.getpid() == server:
        # All that it has would be taken apart, object by object.
        os._exit(0)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:])
