"""Entries of a zip, one at a time.

``zipfile`` keeps the whole directory in memory, about a kilobyte an entry, and trusts declared
sizes. This reads the directory as a stream and never inflates beyond a limit.
Format: PKWARE APPNOTE 6.3.10, sections 4.3.7 to 4.3.16.
"""

import io
import os
import stat
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Final, NamedTuple

from workers.imports.formats.archives.legacy_names import LegacyNames, is_doubtful
from workers.imports.items import LINK, MAX_IMAGE_BYTES, Refused, invalid_archive

_END: Final = struct.Struct("<4s4H2LH")
_END_64: Final = struct.Struct("<4sQ2H2L4Q")
_LOCATOR_64: Final = struct.Struct("<4sLQL")
_CENTRAL: Final = struct.Struct("<4s6H3L5H2L")
_LOCAL: Final = struct.Struct("<4s5H3L2H")
_MAX_COMMENT: Final = 0xFFFF
_FULL_32: Final = 0xFFFFFFFF
_ENCRYPTED: Final = 1
_UTF_8: Final = 1 << 11
_UNICODE_PATH: Final = 0x7075
_STORED, _DEFLATED = 0, 8
# Systems whose attributes tell what a file is: Unix and macOS.
_UNIX: Final = frozenset({3, 19})
_BLOCK: Final = 1 << 16
_MOST_ENTRIES: Final = 5_000_000
MOST_RATIO: Final = 200
"""Images are compressed already; what unpacks to far more than it takes is made to."""
ALWAYS_FINE: Final = 4 << 30
"""Bytes that anything may unpack to."""


class Entry(NamedTuple):
    """One file as the directory declares it."""

    name: str
    flags: int
    method: int
    crc: int
    packed: int
    size: int
    offset: int
    raw: bytes = b""
    """Its name where that is not UTF-8, and no encoding is known for it yet."""
    is_link: bool = False
    is_doubtful: bool = False
    """Whether its name is UTF-8 by accident, perhaps."""


@dataclass(frozen=True)
class Directory:
    """Where the directory lies, and how far the archive was moved by bytes before it."""

    start: int
    size: int
    shift: int


class ZipEntries:
    """A zip on disk. Two handles, so that reading entries does not disturb the directory."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._names = LegacyNames(self._entries)
        self._data = path.open("rb")
        try:
            self._directory = _find_directory(self._data)
            self._length = self._data.seek(0, os.SEEK_END)
        except BaseException:
            self._data.close()
            raise

    def __iter__(self) -> Iterator[Entry]:
        """Every entry, in the directory's order, with the name that its bytes most likely are.

        ``raw`` stays where that is not certain. Raises as ``_entries``.
        """
        return self._names.read(self._entries())

    def _entries(self) -> Iterator[Entry]:
        """Every entry, in the directory's order.

        Raises:
            DomainError: ``invalid_archive`` for a damaged directory, and for one that promises more
                than an archive of this size can honestly hold.
        """
        entries = packed = unpacked = 0
        end = self._directory.start + self._directory.size
        with self._path.open("rb") as file:
            file.seek(self._directory.start)
            position = self._directory.start
            while position < end:
                entry, length = _read_entry(file, end - position)
                position += length
                entries += 1
                packed += entry.packed
                unpacked += entry.size
                self._require_honest(entries, packed, unpacked)
                yield entry

    def _require_honest(self, entries: int, packed: int, unpacked: int) -> None:
        if entries > _MOST_ENTRIES:
            raise invalid_archive(
                f"The zip archive has more than {_MOST_ENTRIES:,} entries; split it."
            )
        # Entries that share their bytes, as the smallest bombs do.
        if packed > self._length:
            raise invalid_archive(
                "The zip archive's entries overlap. Pack it again with an ordinary program."
            )
        if unpacked > max(ALWAYS_FINE, MOST_RATIO * self._length):
            raise invalid_archive(
                f"The zip archive unpacks to over {MOST_RATIO} times its size, which images do "
                "not. Pack the images themselves."
            )

    def read(self, entry: Entry, limit: int = MAX_IMAGE_BYTES) -> bytes | Refused:
        """Content of ``entry``, whole and with the right checksum, or why it cannot be had."""
        start = self._start(entry)
        if isinstance(start, Refused):
            return start
        if entry.size > limit or entry.packed > limit:
            return Refused(f"unpacks to more than {limit >> 20} MiB")
        self._data.seek(start)
        content = self._data.read(entry.packed)
        if len(content) < entry.packed:
            return Refused("damaged in the archive: cut off")
        if entry.method == _DEFLATED:
            inflated = _inflate(content, entry.size)
            if inflated is None:
                return Refused("damaged in the archive: it cannot be unpacked")
            content = inflated
        if len(content) != entry.size:
            return Refused("damaged in the archive: its size is not the declared one")
        if zlib.crc32(content) != entry.crc:
            return Refused("damaged in the archive: wrong checksum")
        return content

    def open(self, entry: Entry) -> BinaryIO | Refused:
        """Content of ``entry`` as a stream, or why it cannot be had.

        Reading it raises ``ValueError`` where it is damaged or not as large as declared.
        """
        start = self._start(entry)
        if isinstance(start, Refused):
            return start
        return io.BufferedReader(_EntryStream(self._path, start, entry), _BLOCK)

    def close(self) -> None:
        """Close the file."""
        self._data.close()

    def _start(self, entry: Entry) -> int | Refused:
        """Where the content of ``entry`` begins in the file."""
        if entry.is_link:
            return Refused(LINK)
        if entry.flags & _ENCRYPTED:
            return Refused("encrypted in the archive")
        if entry.method not in (_STORED, _DEFLATED):
            return Refused(f"packed with unsupported zip method {entry.method}; use deflate")
        self._data.seek(entry.offset + self._directory.shift)
        header = self._data.read(_LOCAL.size)
        if len(header) < _LOCAL.size or header[:4] != b"PK\3\4":
            return Refused("damaged in the archive: its header is missing")
        *_, name_length, extra_length = _LOCAL.unpack(header)
        return self._data.tell() + int(name_length) + int(extra_length)


class _EntryStream(io.RawIOBase):
    """An entry that may be too large for memory, checked on the way."""

    def __init__(self, path: Path, start: int, entry: Entry) -> None:
        self._file = path.open("rb")
        self._file.seek(start)
        self._entry = entry
        self._left = entry.packed
        self._inflater = zlib.decompressobj(-zlib.MAX_WBITS) if entry.method == _DEFLATED else None
        self._made = self._crc = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        view = memoryview(buffer)
        block = self._next(len(view))
        self._made += len(block)
        self._crc = zlib.crc32(block, self._crc)
        if self._made > self._entry.size:
            raise ValueError("damaged in the archive: its size is not the declared one")
        if not block and self._made < self._entry.size:
            raise ValueError("damaged in the archive: cut off")
        if not block and self._crc != self._entry.crc:
            raise ValueError("damaged in the archive: wrong checksum")
        view[: len(block)] = block
        return len(block)

    def close(self) -> None:
        self._file.close()
        super().close()

    def _next(self, size: int) -> bytes:
        if self._inflater is None:
            return self._packed(size)
        try:
            while not self._inflater.eof:
                packed = self._inflater.unconsumed_tail or self._packed(_BLOCK)
                block = self._inflater.decompress(packed, size)
                if block or not packed:
                    return block
        except zlib.error as error:
            raise ValueError("damaged in the archive: it cannot be unpacked") from error
        return b""

    def _packed(self, size: int) -> bytes:
        block = self._file.read(min(size, self._left))
        self._left -= len(block)
        return block


def _inflate(packed: bytes, size: int) -> bytes | None:
    """At most one byte more than the declared ``size``, whatever is packed."""
    try:
        return zlib.decompressobj(-zlib.MAX_WBITS).decompress(packed, size + 1)
    except zlib.error:
        return None


def _find_directory(file: BinaryIO) -> Directory:
    length = file.seek(0, os.SEEK_END)
    tail_start = max(0, length - _MAX_COMMENT - _END.size)
    file.seek(tail_start)
    tail = file.read()
    at = tail.rfind(b"PK\5\6", 0, max(0, len(tail) - _END.size + 4))
    if at < 0:
        raise invalid_archive(
            "The upload is not a whole zip archive: its directory is missing. Pack it again."
        )
    *_, size, offset, _ = _END.unpack_from(tail, at)
    end = tail_start + at
    locator_at = end - _LOCATOR_64.size
    if locator_at >= 0:
        file.seek(locator_at)
        mark, _, end_64, _ = _LOCATOR_64.unpack(file.read(_LOCATOR_64.size))
        if mark == b"PK\6\7":
            size, offset, end = _zip64(file, locator_at, end_64, length)
    start = end - size
    if start < 0 or start < offset:
        raise invalid_archive("The zip archive's directory is damaged. Pack it again.")
    return Directory(start=start, size=size, shift=start - offset)


def _zip64(file: BinaryIO, locator_at: int, declared: int, length: int) -> tuple[int, int, int]:
    # Bytes put before the archive move the record, but it always ends at its locator.
    for position in (declared, locator_at - _END_64.size):
        if 0 <= position <= length - _END_64.size:
            file.seek(position)
            mark, *_, size, offset = _END_64.unpack(file.read(_END_64.size))
            if mark == b"PK\6\6":
                return size, offset, position
    raise invalid_archive("The zip archive's directory is damaged. Pack it again.")


def _read_entry(file: BinaryIO, left: int) -> tuple[Entry, int]:
    header = file.read(_CENTRAL.size)
    if left < _CENTRAL.size or len(header) < _CENTRAL.size or header[:4] != b"PK\1\2":
        raise invalid_archive("The zip archive's directory is damaged. Pack it again.")
    (
        _, made_by, _, flags, method, _, _, crc, packed, size,
        name_length, extra_length, comment_length, _, _, attributes, offset,
    ) = _CENTRAL.unpack(header)  # fmt: skip
    rest = file.read(name_length + extra_length + comment_length)
    raw = rest[:name_length]
    if _FULL_32 in (packed, size, offset):
        extra = rest[name_length : name_length + extra_length]
        size, packed, offset = _wide(extra, size, packed, offset)
    extra = rest[name_length : name_length + extra_length]
    name = raw.decode("utf-8", "replace") if flags & _UTF_8 else _utf_8(raw, extra)
    doubtful = not (flags & _UTF_8 or name is None or raw.isascii()) and is_doubtful(raw, name)
    is_link = made_by >> 8 in _UNIX and stat.S_ISLNK(attributes >> 16)
    entry = Entry(name or "", flags, method, crc, packed, size, offset, b"", is_link, doubtful)
    if name is None:
        entry = entry._replace(raw=raw)
    return entry, len(header) + len(rest)


def _utf_8(raw: bytes, extra: bytes) -> str | None:
    """A name that many tools write in UTF-8 without saying so, or beside it; None if neither."""
    position = 0
    while position + 4 <= len(extra):
        kind, length = struct.unpack_from("<2H", extra, position)
        field = extra[position + 4 : position + 4 + length]
        # Info-ZIP's: it holds as long as the name that it goes with is still the same.
        if kind == _UNICODE_PATH and len(field) > 5 and field[0] == 1:
            (crc,) = struct.unpack_from("<L", field, 1)
            if crc == zlib.crc32(raw):
                return field[5:].decode("utf-8", "replace")
        position += 4 + length
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return None


def _wide(extra: bytes, *values: int) -> tuple[int, ...]:
    """Zip64's eight-byte forms of those of ``values`` that did not fit four bytes."""
    position = 0
    while position + 4 <= len(extra):
        kind, length = struct.unpack_from("<2H", extra, position)
        position += 4
        if kind == 1:
            found = list(
                struct.unpack_from(f"<{length // 8}Q", extra.ljust(position + length), position)
            )
            return tuple(found.pop(0) if value == _FULL_32 and found else value for value in values)
        position += length
    return values
