"""Files that appear when they are complete."""

import errno
import glob
import os
import secrets
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

# A download ends that has got nothing for ten minutes, so nobody writes a part that is this old.
_SURELY_LEFT = 86_400.0


@contextmanager
def replacing(target: Path) -> Iterator[BinaryIO]:
    """Write a file, which takes the place of what is there once all is written.

    A link stays one, and a file that is replaced leaves its mode. What ``stream_of`` finds is not
    replaced but written to.

    Args:
        target: The file.

    Yields:
        Where to write.

    Raises:
        FileNotFoundError: There is no such folder.
        IsADirectoryError: ``target`` is a folder.
    """
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, "is a folder; name a file in it", str(target))
    if (place := stream_of(target)) is not None:
        with open(os.dup(place) if isinstance(place, int) else place, "wb") as stream:
            yield stream
        return
    file = target.resolve() if target.is_symlink() else target
    if not file.parent.is_dir():
        missing = f"no such folder to save {file.name} in; make it first"
        raise FileNotFoundError(errno.ENOENT, missing, str(file.parent))
    unfinished = _part_beside(file)
    try:
        with unfinished.open("wb") as stream:
            if file.exists():
                shutil.copymode(file, unfinished)
            yield stream
        unfinished.replace(file)
    finally:
        unfinished.unlink(missing_ok=True)


def stream_of(target: Path) -> Path | int | None:
    """What takes bytes as they come: a pipe, a device, or what this process has open already.

    A shell may have sent ``/dev/stdout`` to a file, in which others write as well: it is theirs.

    Args:
        target: Where to write.

    Returns:
        ``target``, or the number of the descriptor that it stands for; ``None`` for a file.
    """
    if not target.exists():
        return None
    link = target
    while os.path.realpath(link.parent) not in (f"/proc/{os.getpid()}/fd", "/dev/fd"):
        if not link.is_symlink():
            return None if target.is_file() else target
        link = link.parent / link.readlink()
    return int(link.name)


def _part_beside(target: Path) -> Path:
    """A name of its own for what is to become ``target``; what killed ones have left is removed."""
    for left in target.parent.glob(f".{glob.escape(target.name)}.*.part"):
        with suppress(OSError):
            if time.time() - left.stat().st_mtime > _SURELY_LEFT:
                left.unlink()
    return target.with_name(f".{target.name}.{secrets.token_hex(8)}.part")
