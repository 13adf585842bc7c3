"""Files of an installation are its owner's: nobody else on the machine reads what is kept."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import Final

UMASK: Final = 0o077
_OTHERS: Final = 0o077
# PostgreSQL sees to its own, and may run as another user.
_NOT_OURS: Final = frozenset({"postgres", "postgres.new"})
_LOOKED_AT: Final = 20_000


def keep_private() -> None:
    """Have what this process makes from now on readable by its user only."""
    os.umask(UMASK)


@contextmanager
def private_files() -> Iterator[None]:
    """The same for a while; the process must not make files for others meanwhile."""
    before = os.umask(UMASK)
    try:
        yield
    finally:
        os.umask(before)


def protect(root: Path) -> None:
    """Make the data directory if it is missing, and close what earlier versions left open.

    The directory itself is closed first, which keeps everybody out of all that is in it. A folder
    in it is closed last, so that a walk that was interrupted is begun again.

    Raises:
        OSError: It cannot be made.
    """
    root.mkdir(mode=0o700, parents=True, exist_ok=True)
    _close(root)
    for path in root.iterdir():
        if path.name in _NOT_OURS or path.is_symlink():
            continue
        if path.is_dir() and _is_open(path):
            for parent, directories, files in os.walk(path):
                for name in (*directories, *files):
                    _close(Path(parent, name))
        _close(path)


def open_to_others(root: Path) -> list[Path]:
    """What others may read or enter, of the data directory and the first files in it."""
    found = [root] if _is_open(root) else []
    return found + [path for path in islice(_below(root), _LOOKED_AT) if _is_open(path)]


def _below(root: Path) -> Iterator[Path]:
    for parent, directories, files in os.walk(root):
        if Path(parent) == root:
            directories[:] = [name for name in directories if name not in _NOT_OURS]
        yield from (Path(parent, name) for name in (*directories, *files))


def _is_open(path: Path) -> bool:
    with suppress(OSError):
        status = path.lstat()
        return not stat.S_ISLNK(status.st_mode) and bool(status.st_mode & _OTHERS)
    return False


def _close(path: Path) -> None:
    # Somebody else's, or gone since.
    with suppress(OSError):
        status = path.lstat()
        if not stat.S_ISLNK(status.st_mode) and status.st_mode & _OTHERS:
            path.chmod(stat.S_IMODE(status.st_mode) & ~_OTHERS)
