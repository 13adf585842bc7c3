"""A zip that is written as it leaves.

``zipfile`` and zipstream keep half a kilobyte an entry until the end; here the directory waits on
disk. Files are stored, since images are compressed already. Format: PKWARE APPNOTE 6.3.10, 4.3.
"""

import struct
import zlib
from collections.abc import Iterator
from tempfile import SpooledTemporaryFile
from types import TracebackType
from typing import Final, Self

_LOCAL: Final = struct.Struct("<4s5H3L2H")
_CENTRAL: Final = struct.Struct("<4s6H3L5H2L")
_END: Final = struct.Struct("<4s4H2LH")
_END_64: Final = struct.Struct("<4sQ2H2L4Q")
_LOCATOR_64: Final = struct.Struct("<4sLQL")
_WIDE: Final = struct.Struct("<2H3Q")
_FULL_16, _FULL_32 = 0xFFFF, 0xFFFFFFFF
_VERSION: Final = 45
_UTF_8: Final = 1 << 11
_STORED, _DEFLATED = 0, 8
_FIRST_DAY: Final = 1 << 5 | 1
_IS_FOLDER: Final = 1 << 4
_IN_MEMORY: Final = 1 << 20
_BLOCK: Final = 1 << 18


class Spool:
    """Text that is written while images leave, and follows them; compressed, and soon on disk."""

    def __init__(self) -> None:
        self.size = self.crc = 0
        self._file = SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115
        self._packer = zlib.compressobj(6, zlib.DEFLATED, -zlib.MAX_WBITS)

    def write(self, content: bytes) -> None:
        self.size += len(content)
        self.crc = zlib.crc32(content, self.crc)
        self._file.write(self._packer.compress(content))

    def packed(self) -> tuple[int, Iterator[bytes]]:
        """Length of what was written, compressed, and its pieces; nothing can be written then."""
        self._file.write(self._packer.flush())
        length = self._file.tell()
        self._file.seek(0)
        return length, iter(lambda: self._file.read(_BLOCK), b"")

    def unpacked(self) -> Iterator[bytes]:
        """What was written."""
        unpacker = zlib.decompressobj(-zlib.MAX_WBITS)
        _, pieces = self.packed()
        for piece in pieces:
            yield unpacker.decompress(piece)
        yield unpacker.flush()

    def close(self) -> None:
        self._file.close()


class ZipWriter:
    """Makes the bytes of an archive, entry after entry."""

    def __init__(self) -> None:
        self._directory = SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115
        self._entries = self._offset = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self._directory.close()

    def stored(self, path: str, content: bytes) -> bytes:
        """An entry that holds ``content`` as it is."""
        header = self._entry(path, _STORED, zlib.crc32(content), len(content), len(content))
        return header + content

    def folder(self, path: str) -> bytes:
        """An entry for a folder, so that it is there although it may be empty."""
        return self._entry(f"{path}/", _STORED, 0, 0, 0, _IS_FOLDER)

    def spooled(self, path: str, spool: Spool) -> Iterator[bytes]:
        """An entry that holds what was written to ``spool``."""
        packed, pieces = spool.packed()
        yield self._entry(path, _DEFLATED, spool.crc, packed, spool.size)
        yield from pieces

    def finish(self) -> Iterator[bytes]:
        """The directory."""
        size = self._directory.tell()
        self._directory.seek(0)
        yield from iter(lambda: self._directory.read(_BLOCK), b"")
        count, start = self._entries, self._offset
        if count >= _FULL_16 or max(size, start) >= _FULL_32:
            yield _END_64.pack(
                b"PK\6\6", _END_64.size - 12, _VERSION, _VERSION, 0, 0, count, count, size, start
            )
            yield _LOCATOR_64.pack(b"PK\6\7", 0, start + size, 1)
        few = min(count, _FULL_16)
        yield _END.pack(b"PK\5\6", 0, 0, few, few, min(size, _FULL_32), min(start, _FULL_32), 0)

    def _entry(
        self, path: str, method: int, crc: int, packed: int, size: int, attributes: int = 0
    ) -> bytes:
        """The header of an entry, which is also noted in the directory."""
        name = path.encode()
        is_wide = max(packed, size, self._offset) >= _FULL_32
        extra = _WIDE.pack(1, 24, size, packed, self._offset) if is_wide else b""
        short = (_FULL_32, _FULL_32) if is_wide else (packed, size)
        offset = _FULL_32 if is_wide else self._offset
        common = (_VERSION, _UTF_8, method, 0, _FIRST_DAY, crc, *short, len(name), len(extra))
        self._directory.write(
            _CENTRAL.pack(b"PK\1\2", _VERSION, *common, 0, 0, 0, attributes, offset) + name + extra
        )
        # Of the three sizes a local header has but the first two.
        extra = struct.pack("<2H2Q", 1, 16, size, packed) if is_wide else b""
        header = _LOCAL.pack(b"PK\3\4", *common[:-1], len(extra)) + name + extra
        self._entries += 1
        self._offset += len(header) + packed
        return header
