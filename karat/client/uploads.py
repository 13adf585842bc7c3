"""What an import sends: a file as it is, or a folder zipped on the way."""

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from zipstream import ZipStream

from core.files.local_folder import RENAME, LeftOut, escaped, files_of, is_utf_8

_CHUNK = 1 << 20


class NothingToSend(FileNotFoundError):
    """There is nothing at a path that could be sent."""


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


def warn_left_out(name: str, reason: str) -> None:
    """Warn of a file that is not sent.

    Args:
        name: Its path in the folder.
        reason: Why, and what to do about it.
    """
    warnings.warn(f"{name} is left out: {reason}.", stacklevel=2)


def upload(path: Path, on_left_out: LeftOut = warn_left_out) -> Upload:
    """Prepare a file or folder for sending.

    Memory does not grow with the bytes; a folder takes half a kilobyte for each of its files.

    Args:
        path: An archive, a Parquet file, a table, one example, or a folder of them.
        on_left_out: Called with each file of a folder that cannot be sent, and the reason.

    Returns:
        What to send.

    Raises:
        NothingToSend: There is no such file, its name is not UTF-8, or the folder has none to send.
    """
    if path.is_dir():
        sizes = [file.stat().st_size for file in files_of(path, on_left_out)]
        if not sizes:
            raise NothingToSend(
                f"{escaped(str(path))} holds no file that can be sent. Name a folder of images; "
                "what begins with a dot is hidden, and left out."
            )
        name = f"{escaped(path.resolve().name)}.zip"
        return Upload(name, sum(sizes), lambda: _gathered(_zip(path)), packed="folder")
    if not path.is_file():
        raise NothingToSend(
            f"{escaped(str(path))} is neither a file nor a folder: send a file with what it holds."
            if path.exists()
            else f"There is no file or folder {escaped(str(path))}."
        )
    if not is_utf_8(path.name):
        raise NothingToSend(f"{escaped(str(path))} cannot be sent: {RENAME}.")
    return Upload(path.name, path.stat().st_size, lambda: _read(path))


def _zip(folder: Path) -> Iterator[bytes]:
    archive = ZipStream()
    for file in files_of(folder):
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
