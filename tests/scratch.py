"""Where the files of servers that tests start go: into memory, if there is enough."""

import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

# Containers often give it 64 MB. What a server of the tests writes stays far below.
_ENOUGH = 2 << 30
_PREFIX = "karat-test-"
_MEMORY = Path("/dev/shm")


@contextmanager
def scratch() -> Iterator[Path]:
    """A directory that is gone afterwards.

    A database is hundreds of files. On a disk, its file system takes longer to make and to remove
    them for each test than most tests take.
    """
    parent = _memory()
    if parent is not None:
        _remove_what_the_killed_left(parent)
    with tempfile.TemporaryDirectory(prefix=f"{_PREFIX}{os.getpid()}-", dir=parent) as name:
        yield Path(name)


def _memory() -> Path | None:
    if sys.platform != "linux" or not os.access(_MEMORY, os.W_OK | os.X_OK):
        return None
    free = min(shutil.disk_usage(_MEMORY).free, psutil.virtual_memory().available)
    return _MEMORY if free >= _ENOUGH else None


def _remove_what_the_killed_left(parent: Path) -> None:
    for path in parent.glob(f"{_PREFIX}*"):
        owner = re.match(rf"{_PREFIX}(\d+)-", path.name)
        if owner and not psutil.pid_exists(int(owner[1])):
            shutil.rmtree(path, ignore_errors=True)
