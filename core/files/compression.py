"""Files that were made smaller to be passed on: what is in them by their names, and their bytes."""

import bz2
import gzip
import lzma
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import BinaryIO, Final

# What `xz -9` needs is a quarter of it; a header may ask for 4 GiB.
_MOST_MEMORY: Final = 256 << 20
ENDINGS: Final = (".gz", ".bz2", ".xz")
"""Of files that are compressed, where the ending before says what is in them."""
_SHORT: Final = {".tgz": ".gz", ".tbz": ".bz2", ".tbz2": ".bz2", ".txz": ".xz"}
"""How tars that are compressed are called in one word."""


class Damaged(ValueError):
    """A file is not what its name says, or not whole."""


def compression_of(filename: str) -> str | None:
    """The ending that says how a file is compressed, ``.gz``, ``.bz2`` or ``.xz``, if one does."""
    ending = PurePosixPath(filename).suffix.lower()
    return ending if ending in ENDINGS else _SHORT.get(ending)


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
    with path.open("rb") as file:
        yield from decompressed_stream(file, compression, block)


def decompressed_stream(file: BinaryIO, compression: str, block: int = 1 << 20) -> Iterator[bytes]:
    """The same of a stream, which is read once and stays open.

    Raises:
        Damaged: As ``decompressed``.
    """
    blocks = _blocks(file, compression, block)
    while True:
        try:
            content = next(blocks, None)
        except (EOFError, OSError, zlib.error, lzma.LZMAError) as error:
            # A disk that cannot be read is no fault of the file.
            if isinstance(error, OSError) and error.errno is not None:
                raise
            raise Damaged(f"not a whole {compression} file: {error}") from error
        if content is None:
            return
        yield content


def _blocks(file: BinaryIO, compression: str, block: int) -> Iterator[bytes]:
    if compression == ".xz":
        yield from _xz(file, block)
        return
    with gzip.open(file) if compression == ".gz" else bz2.open(file) as opened:
        while content := opened.read(block):
            yield content


def _xz(file: BinaryIO, block: int) -> Iterator[bytes]:
    """The library's own reader of files sets no limit to the memory that a header asks for."""
    packed = file.read(block)
    while packed:
        stream = lzma.LZMADecompressor(memlimit=_MOST_MEMORY)
        while not stream.eof:
            if content := stream.decompress(packed, block):
                yield content
            packed = b""
            if stream.needs_input and not (packed := file.read(block)):
                raise EOFError("it is cut off")
        # One stream may follow another, after zeros.
        packed = (stream.unused_data or file.read(block)).lstrip(b"\0")
