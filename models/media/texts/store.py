"""Texts of a pool, kept once on disk. Torch-free: the import job uses it.

A folder holds two files: `texts.u8`, the UTF-8 bytes of all texts one after the other, and
`offsets.i64`, N + 1 little-endian integers between which each text lies. A text that is lost keeps
its row: two bytes that are no UTF-8 stand for it.
"""

import codecs
import os
from collections.abc import Iterator, Sequence
from copy import copy
from itertools import accumulate
from pathlib import Path
from types import TracebackType
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

from models.errors import ModelError, TextsLost
from models.media.base import Medium
from models.protocols import Indices

_OFFSETS: Final = "offsets.i64"
_TEXTS: Final = "texts.u8"
_WIDTH: Final = 8
_GAP: Final = b"\xfe\xff"
# A character of UTF-8 has no more bytes.
_LONGEST: Final = 4
_MOST_TEXTS: Final = 256
_MOST_BYTES: Final = 16 << 20


class TextStore:
    """Read-only view of the first `count` texts of a folder."""

    medium: Medium = "text"
    size: None = None

    def __init__(self, folder: Path, offsets: Indices) -> None:
        """View texts between (count + 1,) offsets; `open` and `whole` are the usual ways in."""
        self.folder, self.count = folder, max(0, len(offsets) - 1)
        self._starts, self._ends = offsets[:-1], offsets[1:]
        self._bytes: NDArray[np.uint8] = np.empty(0, dtype=np.uint8)
        if self.count and (end := int(offsets[-1])):
            self._bytes = np.memmap(folder / _TEXTS, dtype=np.uint8, mode="r", shape=(end,))

    @classmethod
    def open(cls, folder: Path, count: int) -> Self:
        """View the first `count` texts.

        Raises:
            ModelError: the files are missing, shorter than `count` texts, or damaged.
        """
        folder = Path(folder)
        if count == 0:
            return cls(folder, np.empty(0, dtype=np.int64))
        offsets, texts = folder / _OFFSETS, folder / _TEXTS
        if not offsets.is_file() or not texts.is_file():
            raise ModelError(f"No text store at {folder}; try again: it is made anew.")
        found = _offsets(offsets, count)
        if len(found) <= count:
            raise ModelError(
                f"The text store {folder} holds {max(0, len(found) - 1)} texts, not {count}; "
                "try again: it is made anew."
            )
        if not _in_order(found) or found[-1] > texts.stat().st_size:
            raise ModelError(f"The text store {folder} is damaged; try again: it is made anew.")
        return cls(folder, found)

    @classmethod
    def whole(cls, folder: Path, most: int) -> Self:
        """View the texts that are whole, gaps among them, the first `most` of them at the most.

        None are where the folder is missing or damaged.
        """
        offsets, texts = folder / _OFFSETS, folder / _TEXTS
        found = np.empty(0, dtype=np.int64)
        if offsets.is_file() and texts.is_file():
            found = _offsets(offsets, most)
        if not _in_order(found):
            return cls(folder, found[:0])
        return cls(folder, found[: np.searchsorted(found, texts.stat().st_size, side="right")])

    @property
    def gaps(self) -> Indices:
        """Rows whose texts are lost, in their order: (n,) int64."""
        short = np.flatnonzero(self._ends - self._starts == len(_GAP))
        starts = self._starts[short]
        is_gap = (self._bytes[starts] == _GAP[0]) & (self._bytes[starts + 1] == _GAP[1])
        gaps: Indices = short[is_gap]
        return gaps

    @staticmethod
    def writer(folder: Path) -> "TextWriter":
        """Open the folder for writing, creating it if need be."""
        return TextWriter(Path(folder))

    def __len__(self) -> int:
        """Return the number of texts."""
        return self.count

    def take(self, rows: Indices) -> "TextStore":
        """View (n,) rows, in this order, as if there were no others."""
        taken = copy(self)
        taken.count, taken._starts, taken._ends = len(rows), self._starts[rows], self._ends[rows]
        return taken

    def __getitem__(self, indices: Indices | slice | Sequence[int]) -> list[str]:
        """Copy texts out, in the order asked for.

        Raises:
            IndexError: an index outside the store.
            TextsLost: a text that is lost.
            ModelError: bytes that are no UTF-8.
        """
        if not isinstance(indices, slice):
            indices = np.asarray(indices, dtype=np.int64)
        return self._decoded(self._starts[indices], self._ends[indices], self._ends[indices])

    def beginnings(
        self, characters: int | None, start: int = 0, stop: int | None = None
    ) -> Iterator[tuple[int, list[str]]]:
        """Read texts start..stop-1 in order, no further than somebody looks at them.

        Of a pool of long texts never more than 16 MiB are held at a time, one text at least.

        Args:
            characters: how many of each text are wanted; None = all.
            start: the first text.
            stop: the one after the last; None = all of the store.

        Yields:
            Where the next ones begin, and beginnings of up to 256 texts.

        Raises:
            TextsLost: a text that is lost.
            ModelError: bytes that are no UTF-8.
        """
        stop = self.count if stop is None else stop
        while start < stop:
            rows = slice(start, min(stop, start + _MOST_TEXTS))
            starts, ends = self._starts[rows], self._ends[rows]
            until = ends
            if characters is not None:
                until = np.minimum(ends, starts + _LONGEST * characters)
            held = np.cumsum(until - starts)
            some = slice(0, max(1, int(np.searchsorted(held, _MOST_BYTES, side="right"))))
            texts = self._decoded(starts[some], until[some], ends[some])
            start += len(texts)
            yield start, [text[:characters] for text in texts]

    def _decoded(self, starts: Indices, until: Indices, ends: Indices) -> list[str]:
        """Read bytes start..until-1 of texts that end at `ends`, of the last character all."""
        read = codecs.getincrementaldecoder("utf-8")
        try:
            return [
                read().decode(self._bytes[start:stop].tobytes(), final=stop == end)
                for start, stop, end in zip(
                    starts.tolist(), until.tolist(), ends.tolist(), strict=True
                )
            ]
        except UnicodeDecodeError as error:
            if error.object == _GAP:
                raise TextsLost(
                    f"The text store {self.folder} has lost a text; import it again."
                ) from None
            raise ModelError(
                f"The text store {self.folder} is damaged: {error}; try again: it is made anew."
            ) from error


class TextWriter:
    """Writes texts in the order of their rows.

    To write a row that is there discards it and all that follow, so that an import that was killed
    goes on from any row. Whenever it is killed, `offsets.i64` names only texts that are whole.
    """

    def __init__(self, folder: Path) -> None:
        """Open `folder`."""
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self._open: list[int] = []
        for name in (_TEXTS, _OFFSETS):
            self._open.append(os.open(folder / name, os.O_RDWR | os.O_CREAT, 0o644))

    def write(self, start_row: int, texts: Sequence[str | None]) -> None:
        """Write n texts to rows start_row..start_row+n-1, and discard those that follow.

        None leaves a gap: whoever reads that row raises `TextsLost`.

        Raises:
            ModelError: rows before `start_row` are missing, or a text holds half of a surrogate
                pair.
        """
        file, offsets = self._open
        start = self._start_of(start_row)
        encoded = [_utf8(text, start_row + place) for place, text in enumerate(texts)]
        ends = accumulate(map(len, encoded), initial=start)
        # What an offset names must be there before it, and go after it.
        os.ftruncate(offsets, _WIDTH * (start_row + 1))
        _write(file, b"".join(encoded), start)
        os.ftruncate(file, start + sum(map(len, encoded)))
        _write(offsets, np.fromiter(ends, dtype="<i8").tobytes(), _WIDTH * start_row)

    def flush(self) -> None:
        """Make what was written survive a crash of the machine."""
        for descriptor in self._open:
            os.fsync(descriptor)

    def close(self) -> None:
        """Flush and close."""
        if self._open:
            self.flush()
            for descriptor in self._open:
                os.close(descriptor)
            self._open = []

    def __enter__(self) -> Self:
        """Return the writer itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Close the files."""
        self.close()

    def _start_of(self, row: int) -> int:
        """Where the text of a row begins in the file of bytes."""
        file, offsets = self._open
        if row == 0:
            return 0
        found = os.pread(offsets, _WIDTH, _WIDTH * row)
        start = int.from_bytes(found, "little", signed=True) if len(found) == _WIDTH else -1
        if not 0 <= start <= os.fstat(file).st_size:
            there = max(0, os.fstat(offsets).st_size // _WIDTH - 1)
            raise ModelError(
                f"Cannot write row {row}: the text store {self.folder} holds {there} whole texts; "
                "write the rows before it first."
            )
        return start


def _offsets(path: Path, count: int) -> Indices:
    """Read the (count + 1,) first offsets, or as many as there are."""
    found: Indices = np.fromfile(path, dtype="<i8", count=count + 1).astype(np.int64, copy=False)
    return found


def _in_order(offsets: Indices) -> bool:
    return len(offsets) > 0 and offsets[0] == 0 and not (np.diff(offsets) < 0).any()


def _utf8(text: str | None, row: int) -> bytes:
    if text is None:
        return _GAP
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise ModelError(
            f"The text of row {row} cannot be stored: half of a surrogate pair at character "
            f"{error.start}; decode its source again."
        ) from error


def _write(descriptor: int, content: bytes, offset: int) -> None:
    remaining = memoryview(content)
    while remaining:
        written = os.pwrite(descriptor, remaining, offset)
        offset, remaining = offset + written, remaining[written:]
