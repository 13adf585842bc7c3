"""Files as they were when a backup began, kept by hard links until it has copied them."""

import contextlib
import fcntl
import os
import shutil
import tempfile
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

_PREFIX: Final = "links."
_SUFFIX: Final = ".part"
# Where they cannot be locked: longer than a backup takes.
_LEFT_SECONDS: Final = 86_400.0


class Links:
    """Links to files that go or are replaced while others are copied.

    An import that ends takes its upload away, and what is made anew takes the place of a selection
    or a map.
    """

    def __init__(self, data_dir: Path, directory: Path) -> None:
        """Link nothing yet.

        Args:
            data_dir: Where the files are.
            directory: Where the links go, in the same file system.
        """
        self._data_dir, self._directory = data_dir, directory

    def keep(self, names: Iterable[str]) -> None:
        """Link files as they are now; of what has gone since the last time the links stay.

        Args:
            names: Their paths in the data directory.
        """
        for name in names:
            # Not there, or not to be linked in this file system.
            with contextlib.suppress(OSError):
                self._link(self._data_dir / name, self._directory / name)

    def _link(self, path: Path, link: Path) -> None:
        if link.exists() and link.samefile(path):
            return
        link.parent.mkdir(parents=True, exist_ok=True)
        new = link.with_name(f"{link.name}.part")
        os.link(path, new)
        os.replace(new, link)

    def path(self, name: str) -> Path:
        """Where a file is as it was linked, or as it is now if it was not."""
        link = self._directory / name
        return link if link.exists() else self._data_dir / name


@contextlib.contextmanager
def links_in(data_dir: Path) -> Iterator[Links]:
    """Links of a backup, which go with it; those of one that was killed go first.

    Args:
        data_dir: Of the installation; they lie there, since none reaches over file systems.
    """
    remove_links(data_dir)
    with (
        contextlib.ExitStack() as stack,
        tempfile.TemporaryDirectory(_SUFFIX, _PREFIX, data_dir) as name,
    ):
        with contextlib.suppress(OSError):
            stack.enter_context(locked(Path(name)))
        yield Links(data_dir, Path(name))


def remove_links(data_dir: Path) -> None:
    """Remove what backups that were killed have left: deleted files would be there for as long.

    Args:
        data_dir: Of the installation.
    """
    for path in data_dir.glob(f"{_PREFIX}*{_SUFFIX}"):
        with contextlib.suppress(OSError):
            if path.is_dir() and _is_left(path):
                shutil.rmtree(path)


def _is_left(directory: Path) -> bool:
    try:
        with locked(directory):
            return True
    except BlockingIOError:
        return False
    except OSError:
        # As on NFS.
        return time.time() - directory.stat().st_mtime > _LEFT_SECONDS


@contextlib.contextmanager
def locked(directory: Path) -> Iterator[None]:
    """A directory that nobody else has meanwhile.

    Args:
        directory: Which.

    Raises:
        BlockingIOError: Somebody has it.
        OSError: It is gone, or directories cannot be locked there.
    """
    handle = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(handle)
