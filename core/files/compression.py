"""Files that were made smaller to be passed on: what is in them by their names, and their bytes."""

import bz2
import gzip
import lzma
import zlib
from collections.abc import Callable, Iterator, Mapping
from io import BufferedIOBase
from pathlib import Path, PurePosixPath
from typing import Final

_OPENERS: Final[Mapping[str, Callable[[Path], BufferedIOBase]]] = {
    ".gz": gzip.GzipFile,
    ".bz2": bz2.BZ2File,
    ".xz": lzma.LZMAFile,
}
_SHORT: Final = {".tgz": ".gz", ".tbz": ".bz2", ".tbz2": ".bz2", ".txz": ".xz"}
"""How tars that are compressed are called in one word."""


class Damaged(ValueError):
    """A file is not what its name says, or not whole."""


def compression_of(filename: str) -> str | None:
    """The ending that says how a file is compressed, ``.gz``, ``.bz2`` or ``.xz``, if one does."""
    ending = PurePosixPath(filename).suffix.lower()
    return ending if ending in _OPENERS else _SHORT.get(ending)


def plain_name(filename: str) -> str:
    """What a file is called once it is not compressed any more: ``a.csv`` of ``a.csv.gz``.

    Args:
        filename: Of any file; one that says no compression is called as it is.
    """
    path = PurePosixPath(filename)
    if path.suffix.lower() in _SHORT:
        return f"{filename[: -len(path.suffix)]}.tar"
    return filename if compression_of(filename) is None else filename[: -len(path.suffix)]


def decompressed(path: Path, compression: str, block: int = 1 << 20) -> Iterator[bytes]:
    """What a compressed file holds, from its beginning.

    Args:
        path: Where it is.
        compression: As ``compression_of`` says.
        block: Most bytes at a time.

    Yields:
        Its bytes.

    Raises:
        Damaged: It is not what its name says, or not whole; what came before may be right.
    """
    with _OPENERS[compression](path) as file:
        while True:
            try:
                content = file.read(block)
            except (EOFError, OSError, zlib.error, lzma.LZMAError) as error:
                # A disk that cannot be read is no fault of the file.
                if isinstance(error, OSError) and error.errno is not None:
                    raise
                raise Damaged(f"not a whole {compression} file: {error}") from error
            if not content:
                return
            yield content
