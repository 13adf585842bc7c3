"""What an import sends: a file as it is, or a folder zipped on the way."""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from zipstream import ZipStream

_CHUNK = 1 << 20


@dataclass(frozen=True)
class Upload:
    """A body to be sent.

    Attributes:
        filename: Name that tells the server the format.
        size: Bytes of the files behind it; the body of a folder is slightly longer.
        chunks: Makes the body, anew for each try.
        packed: What it was before it was zipped, if it was.
    """

    filename: str
    size: int
    chunks: Callable[[], Iterator[bytes]]
    packed: Literal["folder"] | None = None

    def counted(self, on_sent: Callable[[int, int], None] | None) -> Iterator[bytes]:
        """The body, telling how much of it is on its way.

        Args:
            on_sent: Called after each chunk with the bytes sent and ``size``, if it is given.

        Yields:
            What ``chunks`` does.
        """
        sent = 0
        for chunk in self.chunks():
            yield chunk
            sent += len(chunk)
            if on_sent is not None:
                on_sent(min(sent, self.size), self.size)


def upload(path: Path) -> Upload:
    """Prepare a file or folder for sending.

    Memory does not grow with the bytes; a folder takes half a kilobyte for each of its files.

    Args:
        path: A zip, a Parquet file, an image, or a folder of images.

    Returns:
        What to send.

    Raises:
        FileNotFoundError: There is no such file, or the folder is empty.
    """
    if path.is_dir():
        size = sum(file.stat().st_size for file in _files(path))
        if size == 0:
            raise FileNotFoundError(f"{path} holds no files.")
        name = f"{path.resolve().name}.zip"
        return Upload(name, size, lambda: _gathered(_zip(path)), packed="folder")
    if not path.is_file():
        raise FileNotFoundError(f"There is no file or folder {path}.")
    return Upload(path.name, path.stat().st_size, lambda: _read(path))


def _files(folder: Path) -> Iterator[Path]:
    """The folder's files in an order that is the same everywhere, without hidden ones."""
    for parent, directories, names in os.walk(folder):
        directories[:] = sorted(name for name in directories if not name.startswith((".", "__")))
        for name in sorted(names):
            file = Path(parent, name)
            if not name.startswith(".") and file.is_file():
                yield file


def _zip(folder: Path) -> Iterator[bytes]:
    archive = ZipStream()
    for file in _files(folder):
        archive.add_path(file, file.relative_to(folder).as_posix(), recurse=False)
        yield from archive.all_files()
    yield from archive.finalize()


def _gathered(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Join small pieces: a zip of small images has several for each, and each costs a write."""
    buffer = bytearray()
    for piece in pieces:
        buffer += piece
        if len(buffer) >= _CHUNK:
            yield bytes(buffer)
            buffer.clear()
    yield bytes(buffer)


def _read(path: Path) -> Iterator[bytes]:
    with path.open("rb") as stream:
        while chunk := stream.read(_CHUNK):
            yield chunk
