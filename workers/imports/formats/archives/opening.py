"""Files as they were packed to be sent: which are archives, and what is in compressed ones."""

from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath
from typing import Final

from core.files.compression import Damaged, compression_of, decompressed, plain_name
from core.files.storage import fill, write_atomically
from workers.imports.formats.archives.entries import Entries
from workers.imports.formats.archives.packed import Unpacking
from workers.imports.formats.archives.tar_entries import TarEntries
from workers.imports.formats.archives.zip_entries import ALWAYS_FINE, MOST_RATIO, ZipEntries
from workers.imports.items import invalid_archive

_TAR: Final = ".tar"
ARCHIVES: Final = frozenset({".zip", _TAR})
"""Endings of files that hold others."""


def open_archive(path: Path, filename: str, most: int) -> Entries:
    """Open one of ``ARCHIVES`` by its name.

    Args:
        path: The file.
        filename: What its sender calls it.
        most: Bytes that compressed tables and documents in it may unpack to.

    Raises:
        DomainError: ``invalid_archive``.
    """
    is_tar = PurePosixPath(filename).suffix.lower() == _TAR
    return Unpacking(TarEntries(path) if is_tar else ZipEntries(path), most)


def unpacked(
    path: Path, filename: str, copy: Path, most: int, check: Callable[[], None] = lambda: None
) -> tuple[Path, str]:
    """A file that is not compressed, and what it is called: itself, or a copy.

    Args:
        path: The file.
        filename: What its sender calls it.
        copy: Where the copy is made, unless it is there already.
        most: Bytes that it may unpack to.
        check: Called again and again; may raise.

    Raises:
        DomainError: ``invalid_archive`` where it is not what its name says, damaged, or unpacks to
            more than that, or to far more than such files do.
    """
    compression = compression_of(filename)
    if compression is None:
        return path, filename
    if not copy.exists():
        bounded = min(most, max(ALWAYS_FINE, MOST_RATIO * path.stat().st_size))
        blocks = _blocks(path, filename, compression, bounded, check)
        write_atomically(copy, lambda part: fill(part, blocks))
    return copy, plain_name(filename)


def _blocks(
    path: Path, filename: str, compression: str, most: int, check: Callable[[], None]
) -> Iterator[bytes]:
    made = 0
    try:
        for block in decompressed(path, compression):
            check()
            made += len(block)
            if made > most:
                raise invalid_archive(
                    f"{filename} unpacks to more than {most >> 20:,} MiB. Send it in parts."
                )
            yield block
    except Damaged as error:
        raise invalid_archive(
            f"{filename} cannot be unpacked: it is {error}. Pack it again, or send it once more."
        ) from error
