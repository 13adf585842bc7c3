"""Files that appear when they are complete."""

import errno
import glob
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

    A link stays one, and a file that is replaced leaves its mode. What is no file, as a pipe or a
    device, is not replaced but written to.

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
    if target.exists() and not target.is_file():
        with target.open("wb") as stream:
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


def _part_beside(target: Path) -> Path:
    """A name of its own for what is to become ``target``; what killed ones have left is removed."""
    for left in target.parent.glob(f".{glob.escape(target.name)}.*.part"):
        with suppress(OSError):
            if time.time() - left.stat().st_mtime > _SURELY_LEFT:
                left.unlink()
    return target.with_name(f".{target.name}.{secrets.token_hex(8)}.part")
