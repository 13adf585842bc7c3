"""Whether a file of weights is as it was when it came. Torch-free: the API asks it, too."""

import hashlib
import os
from functools import lru_cache
from pathlib import Path
from typing import Final

_REMEMBERED: Final = 256


def is_whole(file: Path, length: int, digest: str, *, since: float | None = None) -> bool:
    """Say whether a file is there with its length and its content.

    It is read once by a process, and again when it was modified.

    Args:
        file: that may be missing.
        length: in bytes, that it should have.
        digest: its SHA-256 in hexadecimal.
        since: a file that was not modified after this time, in seconds of the epoch, is taken for
            whole by its length; None = it is read in any case.
    """
    try:
        found = file.stat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    if found.st_size != length:
        return False
    if since is not None and found.st_mtime <= since:
        return True
    return digest_of(file) == digest


def digest_of(file: Path) -> str:
    """Return the SHA-256 of a file in hexadecimal, computed once for each state of it.

    Raises:
        OSError: it cannot be read.
    """
    found = file.stat()
    return _computed(os.fspath(file), found.st_ino, found.st_size, found.st_mtime_ns)


@lru_cache(_REMEMBERED)
def _computed(file: str, _inode: int, _size: int, _modified: int) -> str:
    with open(file, "rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()
