"""Room on the disk with the data directory: what is left, what is refused, and a last reserve.

Below the low-water mark whatever is large waits or is refused, so that answers go on. Should others
fill the disk all the same, a file that was set aside goes, and answers have its room.
"""

import errno
import os
import shutil
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from core.errors import DomainError, Unavailable
from core.settings import Settings

CODE: Final = "disk_full"
_RESERVE: Final = "reserve"
# PostgreSQL's SQLSTATE for no space left on its device.
_DISK_FULL: Final = "53100"
_FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT})
# An image is up to four, and the database makes some as well.
_FEW_FILES: Final = 10_000

State = Literal["ok", "low", "full"]


@dataclass(frozen=True, slots=True)
class Room:
    """How much room there is.

    Attributes:
        free: Bytes left.
        total: Bytes that the disk holds.
        low: The low-water mark, in bytes.
        state: ``low`` below the low-water mark, or with too few files left to make; ``full`` when
            not even the reserve would be left.
        files: How many more files it takes, where these are too few.
    """

    free: int
    total: int
    low: int
    state: State
    files: int | None


def room(settings: Settings) -> Room:
    """Room on the disk with the data directory. Takes microseconds, but for a network's disk."""
    directory = settings.data_dir.absolute()
    directory = next(one for one in (directory, *directory.parents) if one.exists())
    found = shutil.disk_usage(directory)
    low = min(settings.disk_low_bytes, found.total // 5)
    full = min(settings.disk_reserve_bytes, low) // 4
    files = too_few_files(directory)
    state: State = "ok" if found.free >= low and files is None else "low"
    return Room(found.free, found.total, low, "full" if found.free < full else state, files)


def too_few_files(directory: Path) -> int | None:
    """How many more files the disk of a directory takes, where that is too few; else None.

    Some file systems have so many places for files, which millions of small images fill first.
    """
    found = os.statvfs(directory)
    few = min(_FEW_FILES, found.f_files // 20)
    # Those that count none say 0 of 0, and those that do not know how many are left a negative.
    return found.f_favail if 0 <= found.f_favail < few else None


def require_room(settings: Settings) -> None:
    """Refuse what is large while there is little room.

    Raises:
        DomainError: ``disk_full``.
    """
    if room(settings).state != "ok":
        raise disk_full()


def disk_full() -> DomainError:
    """What callers are told: nothing was kept, and what helps."""
    return Unavailable(
        CODE,
        "The server's disk is full, or nearly. An admin has to make room, by deleting projects "
        "that are done or on the disk itself; then send this again. Nothing of it was kept.",
        seconds=30,
    )


def is_full(error: BaseException) -> bool:
    """Whether a failure, of files or of the database, came of a full disk."""
    return any(
        (isinstance(one, OSError) and one.errno in _FULL)
        or getattr(one, "sqlstate", None) == _DISK_FULL
        or getattr(one, "sqlite_errorcode", None) == sqlite3.SQLITE_FULL
        for one in _chain(error)
    )


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        # SQLAlchemy keeps the driver's own beside the chain.
        original = getattr(error, "orig", None)
        error = original if isinstance(original, BaseException) else error.__cause__


def keep_reserve(settings: Settings) -> bool:
    """Set the reserve aside while there is plenty of room, and let it go when there is none.

    Returns:
        Whether it was let go now.
    """
    file = settings.data_dir / _RESERVE
    if not settings.data_dir.is_dir():
        return False
    found = room(settings)
    if found.state == "full":
        had = file.exists()
        file.unlink(missing_ok=True)
        return had
    size = settings.disk_reserve_bytes
    if size and not file.exists() and found.free > found.low + size:
        _set_aside(file, size)
    return False


def _set_aside(file: Path, size: int) -> None:
    part = file.with_name(f"{_RESERVE}.{os.getpid()}.part")
    descriptor = os.open(part, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600)
    try:
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(descriptor, 0, size)
        else:
            os.write(descriptor, bytes(size))
        part.replace(file)
    except OSError:
        part.unlink(missing_ok=True)
        raise
    finally:
        os.close(descriptor)
