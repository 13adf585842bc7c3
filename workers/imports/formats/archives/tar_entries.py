"""Entries of a tar.

A tar has no directory: its headers stand between the files. They are gone through once, and what
matters of them is kept in little room.
"""

import io
import tarfile
from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, Final, NamedTuple

from core.errors import Invalid
from workers.imports.formats.archives.legacy_names import LegacyNames
from workers.imports.items import LINK, MAX_IMAGE_BYTES, Refused, invalid_archive

_MOST_ENTRIES: Final = 5_000_000
_MOST_HEADER: Final = 1 << 20
_BLOCK: Final = 1 << 16


class TarEntry(NamedTuple):
    """One file as its header declares it."""

    name: str
    size: int
    offset: int
    raw: bytes = b""
    """Its name where that is not UTF-8, and no encoding is known for it."""
    is_link: bool = False


class TarEntries:
    """A tar on disk that is not compressed."""

    def __init__(self, path: Path) -> None:
        """Open it, and go through it once: one that was cut off is refused before any is used.

        Raises:
            DomainError: ``invalid_archive`` where it is damaged or cut off.
        """
        self._path = path
        self._data = path.open("rb")
        self._kept = _Kept()
        self._names = LegacyNames(lambda: self._kept)
        try:
            for entry in self._entries():
                self._kept.add(entry)
        except BaseException:
            self._data.close()
            raise

    def __iter__(self) -> Iterator[TarEntry]:
        """Every file and link, in their order, with the name that its bytes most likely are.

        ``raw`` stays where that is not certain.
        """
        return self._names.read(self._kept)

    def _entries(self) -> Iterator[TarEntry]:
        count = 0
        try:
            with (
                _Headers(self._path) as headers,
                tarfile.open(
                    fileobj=headers, mode="r:", encoding="utf-8", errors="surrogateescape"
                ) as tar,
            ):
                while (member := headers.next_of(tar)) is not None:
                    # All that were read are kept for looking them up, which nobody does here.
                    tar.members.clear()  # type: ignore[attr-defined]
                    count += 1
                    if count > _MOST_ENTRIES:
                        raise invalid_archive(
                            f"The tar archive has more than {_MOST_ENTRIES:,} entries; split it."
                        )
                    if member.size < 0:
                        raise tarfile.ReadError("a file of less than no bytes")
                    if member.isfile() or member.issym() or member.islnk():
                        yield _entry(member)
                end = tar.offset
        except (tarfile.TarError, EOFError, ValueError, OverflowError, RecursionError) as error:
            raise _not_whole(str(error)) from error
        self._require_end(end)

    def _require_end(self, end: int) -> None:
        """Refuse a tar without an end, and one with another behind it."""
        with self._path.open("rb") as file:
            file.seek(end)
            if file.read(tarfile.BLOCKSIZE) != bytes(tarfile.BLOCKSIZE):
                raise _not_whole("its end is missing")
            while block := file.read(_BLOCK):
                if block.strip(b"\0"):
                    raise invalid_archive(
                        "The upload is several tar archives, one behind the other, of which only "
                        "the first can be read. Send each by itself."
                    )

    def read(self, entry: TarEntry, limit: int = MAX_IMAGE_BYTES) -> bytes | Refused:
        """Content of ``entry``, whole, or why it cannot be had."""
        if entry.is_link:
            return Refused(LINK)
        if entry.size > limit:
            return Refused(f"larger than {limit >> 20} MiB")
        self._data.seek(entry.offset)
        content = self._data.read(entry.size)
        if len(content) < entry.size:
            return Refused("damaged in the archive: cut off")
        return content

    def open(self, entry: TarEntry) -> BinaryIO | Refused:
        """Content of ``entry`` as a stream, or why it cannot be had.

        Reading it raises ``ValueError`` where it is cut off.
        """
        if entry.is_link:
            return Refused(LINK)
        return io.BufferedReader(_Part(self._path, entry), _BLOCK)

    def close(self) -> None:
        """Close the file."""
        self._data.close()


class _Kept:
    """Entries in order, in some sixty bytes each."""

    def __init__(self) -> None:
        self._names = bytearray()
        self._numbers = array("Q")
        self._is_link = bytearray()

    def add(self, entry: TarEntry) -> None:
        self._names += entry.name.encode("utf-8", "surrogateescape")
        self._numbers.extend((len(self._names), entry.size, entry.offset))
        self._is_link.append(entry.is_link)

    def __iter__(self) -> Iterator[TarEntry]:
        start = 0
        for number, is_link in enumerate(self._is_link):
            end, size, offset = self._numbers[3 * number : 3 * number + 3]
            raw = bytes(self._names[start:end])
            start = end
            try:
                yield TarEntry(raw.decode(), size, offset, b"", bool(is_link))
            except UnicodeDecodeError:
                yield TarEntry("", size, offset, raw, bool(is_link))


class _Headers(io.BufferedReader):
    """A tar of which no header is read that would fill the memory, at once or in pieces."""

    def __init__(self, path: Path) -> None:
        super().__init__(io.FileIO(path))
        self._left = _MOST_HEADER

    def next_of(self, tar: tarfile.TarFile) -> tarfile.TarInfo | None:
        """The next member, whose headers may have so many bytes together."""
        self._left = _MOST_HEADER
        return tar.next()

    def read(self, size: int | None = -1, /) -> bytes:
        if size is None or not 0 <= size <= self._left:
            raise tarfile.ReadError(f"a header of more than {_MOST_HEADER >> 20} MiB")
        self._left -= size
        return super().read(size)


class _Part(io.RawIOBase):
    """The bytes of one entry."""

    def __init__(self, path: Path, entry: TarEntry) -> None:
        self._file = path.open("rb")
        self._file.seek(entry.offset)
        self._left = entry.size

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        view = memoryview(buffer)
        block = self._file.read(min(len(view), self._left))
        if not block and self._left:
            raise ValueError("damaged in the archive: cut off")
        self._left -= len(block)
        view[: len(block)] = block
        return len(block)

    def close(self) -> None:
        self._file.close()
        super().close()


def _not_whole(reason: str) -> Invalid:
    return invalid_archive(
        "The upload is not a whole tar archive: it is damaged, or was cut off on its way "
        f"({reason}). Pack it again, or send it once more."
    )


def _entry(member: tarfile.TarInfo) -> TarEntry:
    # What is left out of a sparse file is not in the archive either.
    is_link = not member.isfile() or member.issparse()
    return TarEntry(member.name, member.size, member.offset_data, is_link=is_link)
