"""Compressed tables and documents in an archive: they are what the same files plain would be."""

import io
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import PurePosixPath
from typing import Any, BinaryIO, Final, NamedTuple

from core.files.compression import ENDINGS, compression_of, decompressed_stream, plain_name
from core.media.texts.medium import TEXT
from workers.imports.formats.archives.entries import Entries
from workers.imports.formats.archives.zip_entries import ALWAYS_FINE, MOST_RATIO
from workers.imports.items import Fetched, Refused

# What says something of examples, and texts; images are compressed already.
_ENDINGS: Final = frozenset({
    ".csv", ".tsv", ".jsonl", ".json", ".parquet", ".xml", ".yaml", ".yml", ".txt", ".md",
})  # fmt: skip
_BLOCK: Final = 1 << 16
# More are as they are: their names are held in memory.
_MOST_FILES: Final = 100_000


class Packed(NamedTuple):
    """A compressed file of an archive, called as what it holds."""

    name: str
    compression: str
    entry: Any

    @property
    def size(self) -> int:
        """How many bytes it has as it lies there."""
        return int(self.entry.size)

    @property
    def raw(self) -> bytes:
        """As of entries that are not compressed."""
        return bytes(getattr(self.entry, "raw", b""))

    @property
    def is_doubtful(self) -> bool:
        """As of entries that are not compressed."""
        return bool(getattr(self.entry, "is_doubtful", False))

    @property
    def is_link(self) -> bool:
        """As of entries that are not compressed."""
        return bool(getattr(self.entry, "is_link", False))


def _is_packed(name: str) -> bool:
    # Looked at for each file of an archive, of which nearly none is compressed.
    if not name.lower().endswith(ENDINGS):
        return False
    return PurePosixPath(plain_name(name)).suffix.lower() in _ENDINGS


class Unpacking:
    """What an archive or a folder holds, with compressed tables and documents as if they were not.

    One that lies beside the same file plain, or compressed otherwise, keeps its name.
    """

    def __init__(
        self, entries: Entries, most: int, is_packed: Callable[[str], bool] = _is_packed
    ) -> None:
        """Look which there are.

        Args:
            entries: The archive; closed with this, also if this cannot be made.
            most: Bytes that all of them together may unpack to.
            is_packed: Tells of a path whether it is one of them.

        Raises:
            DomainError: As iterating ``entries`` does.
        """
        self._entries, self._most, self._is_packed = entries, most, is_packed
        self._made = Counter[str]()
        self._total = 0
        try:
            packed = islice((one.name for one in entries if is_packed(one.name)), _MOST_FILES + 1)
            plain = Counter(map(plain_name, packed))
            if plain.total() > _MOST_FILES:
                plain.clear()
            # Where none is compressed, names need no second look.
            there = {one.name for one in entries if one.name in plain} if plain else set()
        except BaseException:
            entries.close()
            raise
        self._wanted = {name for name, count in plain.items() if count == 1} - there

    def __iter__(self) -> Iterator[Any]:
        """Every entry, in their order."""
        if not self._wanted:
            return iter(self._entries)
        return map(self._seen, self._entries)

    def read(self, entry: Any) -> bytes | Fetched | Refused:
        """The bytes of an entry, or why it has none."""
        if not isinstance(entry, Packed):
            return self._entries.read(entry)
        file = self.open(entry)
        if isinstance(file, Refused):
            return file
        try:
            with file:
                content = file.read(TEXT.most_bytes + 1)
        except ValueError as error:
            return Refused(str(error))
        if len(content) > TEXT.most_bytes:
            return Refused(f"unpacks to more than {TEXT.most_bytes >> 20} MiB")
        return content

    def open(self, entry: Any) -> BinaryIO | Refused:
        """An entry as a stream.

        Reading it raises ``ValueError`` where it is damaged, or unpacks to more than such files do.
        """
        if not isinstance(entry, Packed):
            return self._entries.open(entry)
        file = self._entries.open(entry.entry)
        if isinstance(file, Refused):
            return file
        return io.BufferedReader(_Blocks(file, self._blocks(file, entry)), _BLOCK)

    def close(self) -> None:
        """Close the archive."""
        self._entries.close()

    def _seen(self, entry: Any) -> Any:
        if not self._is_packed(entry.name) or (name := plain_name(entry.name)) not in self._wanted:
            return entry
        return Packed(name, compression_of(entry.name) or "", entry)

    def _blocks(self, file: BinaryIO, entry: Packed) -> Iterator[bytes]:
        most = min(self._most, max(ALWAYS_FINE, MOST_RATIO * entry.size))
        made = 0
        for block in decompressed_stream(file, entry.compression, _BLOCK):
            made += len(block)
            # Some are read more than once.
            if (more := made - self._made[entry.name]) > 0:
                self._made[entry.name] = made
                self._total += more
            if made > most or self._total > self._most:
                raise ValueError(f"unpacks to more than {most >> 20} MiB")
            yield block


class _Blocks(io.RawIOBase):
    """A stream of what comes in blocks."""

    def __init__(self, file: BinaryIO, blocks: Iterator[bytes]) -> None:
        self._file, self._coming = file, blocks
        self._block = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        if not self._block:
            self._block = memoryview(next(self._coming, b""))
        view = memoryview(buffer)
        part, self._block = self._block[: len(view)], self._block[len(view) :]
        view[: len(part)] = part
        return len(part)

    def close(self) -> None:
        self._file.close()
        super().close()
