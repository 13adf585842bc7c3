"""Parquet within bounds: what a file holds is known before it is read, and text before it is made.

A value that a million rows share stands in the file once. So the pages are measured from their own
headers, since the footer may say anything; text is read as dictionaries; and what is too long is
seen there, before there is a Python string for each row.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from pyarrow import parquet

from workers.imports.formats.parquet.kinds import is_list, is_read, is_text
from workers.imports.formats.parquet.pages import DELTA_BYTE_ARRAY, DICTIONARY_PAGE, page_at
from workers.imports.items import MAX_TEXT_BYTES, invalid_archive, printable, require_distinct

MOST_ROWS: Final = 5_000_000
_ROWS: Final = 256
_BATCH_BYTES: Final = 128 << 20
_READ_AHEAD: Final = 1 << 20
_MOST_PAGE: Final = 64 << 20
# Writers put a thousand images into one page.
_MOST_IMAGE_PAGE: Final = 1 << 30
# Elements of one list column in a row group: a single row may hold all of them.
_MOST_ELEMENTS: Final = 4 << 20
MOST_ROW_TEXT: Final = 1 << 20
# As JSON: of a thousand extras names and values of a thousand characters, of four bytes each.
_MOST_EXTRAS: Final = 8 << 20
# Text that becomes Python's at once.
_TEXT_AT_ONCE: Final = 16 << 20
_ROWS_OF_MUCH_TEXT: Final = 16
# As a zip may unpack to.
_MOST_TIMES: Final = 200
_ALWAYS_FINE: Final = 4 << 30


@dataclass(frozen=True, slots=True)
class Chunk:
    """One column of a row group, as its pages say.

    Attributes:
        path: Of the leaf, such as ``votes.list.element.class``.
        largest: Bytes of the largest page, unpacked; no value is larger.
        total: Bytes of all pages, unpacked.
        values: How many values there are, those of lists counted one by one.
        is_wide: Whether a few hundred rows may take far more memory than a page: values are of any
            length, and rows share them, or there is much of them.
    """

    path: str
    largest: int
    total: int
    values: int
    is_wide: bool


class BoundedParquet:
    """Rows of a Parquet file, a few at a time.

    Args:
        path: The file.

    Raises:
        DomainError: ``invalid_archive``, or ``invalid_column`` if two columns have one name.
    """

    def __init__(self, path: Path) -> None:
        try:
            with parquet.ParquetFile(path, pre_buffer=False) as plain:
                leaves = [plain.schema.column(index) for index in range(len(plain.schema))]
                metadata = plain.metadata
                text = [one.path for one in leaves if one.logical_type.type in ("STRING", "JSON")]
            self._leaves = [one.path for one in leaves]
            require_distinct("The Parquet file", self._leaves)
            self._encodings = _encodings(metadata, text)
            self._text = frozenset(
                one for one in text if not any("DELTA" in kind for kind in self._encodings[one])
            )
            self._file = parquet.ParquetFile(
                path,
                buffer_size=_READ_AHEAD,
                pre_buffer=False,
                read_dictionary=sorted(self._text),
                metadata=metadata,
            )
        except (pa.ArrowException, OSError) as error:
            raise invalid_archive(
                "The upload is not a whole Parquet file: its footer cannot be read."
            ) from error
        self._raw: BinaryIO = path.open("rb")
        self._left = max(_ALWAYS_FINE, _MOST_TIMES * path.stat().st_size)
        self._is_repeated = {one.path: one.max_repetition_level > 0 for one in leaves}
        if self.total > MOST_ROWS:
            self.close()
            raise invalid_archive(
                f"The Parquet file has {self.total:,} rows; at most {MOST_ROWS:,} are read. Split "
                "it into several."
            )

    @property
    def total(self) -> int:
        """Number of rows."""
        return int(self._file.metadata.num_rows)

    @property
    def schema(self) -> pa.Schema:
        """Columns, those of text as dictionaries."""
        return self._file.schema_arrow

    @property
    def every_leaf(self) -> list[str]:
        """Paths of all that can be read."""
        return self._leaves

    def close(self) -> None:
        """Close the file."""
        self._file.close()
        self._raw.close()

    def leaves(
        self,
        column: str,
        parts: Collection[str] | None = None,
        fits: Callable[[pa.DataType], bool] | None = None,
    ) -> list[str]:
        """Paths of what is read of a column.

        Args:
            column: Its name.
            parts: Of a struct, or a list of them, these fields only.
            fits: Which types; ``is_read`` unless given.
        """
        fits = fits or is_read
        kind = self.schema.field(column).type
        is_repeated = is_list(kind)
        if is_repeated:
            kind = kind.value_type
        found = [one for one in self._leaves if one == column or one.startswith(f"{column}.")]
        if not pa.types.is_struct(kind):
            return [one for one in found if (one != column) is is_repeated and fits(kind)]
        fields = {field.name for field in kind if fits(field.type)}
        wanted = fields if parts is None else fields.intersection(parts)
        return [one for one in found if one.rsplit(".", 1)[-1] in wanted]

    def batches(
        self,
        leaves: Sequence[str],
        images: Collection[str] = (),
        optional: Collection[str] = (),
        *,
        start: int = 0,
        most: int = _ROWS,
    ) -> Iterator[tuple[int, pa.RecordBatch]]:
        """Rows from ``start`` on, with the number of the first of each batch.

        Args:
            leaves: What is read.
            images: Those of them that hold images.
            optional: Those that are left out where they are too large.
            start: Row groups before it are not read, and rows before it not given.
            most: Rows at once.

        Raises:
            DomainError: ``invalid_archive`` for what is damaged or too large.
        """
        first = 0
        for group in range(self._file.num_row_groups):
            rows = self._file.metadata.row_group(group).num_rows
            try:
                if first + rows > start:
                    yield from self._batches(group, first, start, most, leaves, images, optional)
            except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
                raise invalid_archive(
                    f"The Parquet file is damaged near row {first}: {printable(str(error))[:200]}"
                ) from error
            first += rows

    def _batches(
        self,
        group: int,
        first: int,
        start: int,
        most: int,
        leaves: Sequence[str],
        images: Collection[str],
        optional: Collection[str],
    ) -> Iterator[tuple[int, pa.RecordBatch]]:
        chunks = [self._chunk(group, path) for path in leaves]
        read = [one for one in chunks if self._fits(one, group, images, one.path in optional)]
        batches = self._file.iter_batches(
            rows_at_once(read, most),
            row_groups=[group],
            columns=[one.path for one in read],
            use_threads=False,
        )
        for batch in batches:
            skipped = max(0, start - first)
            if skipped < batch.num_rows:
                yield first + skipped, batch.slice(skipped)
            first += batch.num_rows

    def _fits(self, chunk: Chunk, group: int, images: Collection[str], is_optional: bool) -> bool:
        """Whether the column is read; what is needed and does not fit ends the import."""
        most = _MOST_IMAGE_PAGE if chunk.path in images else _MOST_PAGE
        column = f"Column {printable(chunk.path)[:200]!r}"
        wrong = ""
        if chunk.largest > most:
            wrong = f"{column} has a page of {chunk.largest >> 20:,} MiB; at most {most >> 20:,}"
        elif self._is_repeated[chunk.path] and chunk.values > _MOST_ELEMENTS:
            wrong = f"{column} has {chunk.values:,} elements; at most {_MOST_ELEMENTS:,}"
        if wrong and not is_optional:
            raise invalid_archive(
                f"{wrong} are read. Write the file with smaller pages and row groups (it is in row "
                f"group {group})."
            )
        return not wrong

    def _chunk(self, group: int, path: str) -> Chunk:
        index = self._leaves.index(path)
        stored = self._file.metadata.row_group(group).column(index)
        begin = stored.data_page_offset
        if stored.has_dictionary_page and 0 < (stored.dictionary_page_offset or 0) < begin:
            begin = stored.dictionary_page_offset
        largest = total = values = 0
        is_shared = False
        end = begin + stored.total_compressed_size
        while begin < end and values < stored.num_values:
            page = page_at(self._raw, begin)
            largest, total = max(largest, page.size), total + page.size
            values += page.values
            # In this encoding a value repeats what the one before it begins with.
            is_shared |= page.encoding == DELTA_BYTE_ARRAY
            is_shared |= page.kind == DICTIONARY_PAGE and path not in self._text
            begin = page.end
        is_wide = "BYTE_ARRAY" in stored.physical_type and (is_shared or total > _BATCH_BYTES)
        return Chunk(path, largest, total, values, is_wide)

    def rows(
        self,
        batch: pa.RecordBatch,
        needed: Collection[str],
        longest_list: int,
        longest_text: int = MAX_TEXT_BYTES,
        longest_row: int = MOST_ROW_TEXT,
        *,
        extras: Collection[str] = (),
    ) -> Iterator[dict[str, Any] | str]:
        """The rows of a batch, or why one is refused: of those nothing is made.

        Args:
            batch: Without images.
            needed: Columns that are no extras. Extras that are too long are left out instead.
            longest_list: Elements of a list.
            longest_text: Bytes of a text that is needed.
            longest_row: Bytes of all texts of a row, but for ``extras``.
            extras: Columns that hold all extras of an example in one text.

        Raises:
            DomainError: ``invalid_archive`` once the file unpacks to too much text.
        """
        wrong: dict[int, str] = {}
        sizes, beside = np.zeros((2, batch.num_rows), np.int64)
        columns = []
        for name, array in zip(batch.schema.names, batch.columns, strict=True):
            is_optional = name in extras or name not in needed
            most = MAX_TEXT_BYTES if is_optional else longest_text
            most = _MOST_EXTRAS if name in extras else most
            for long in _long_lists(array, longest_list):
                wrong[long] = f"column {printable(name)} has more than {longest_list} elements"
            if is_optional:
                array = without_long(array, most)
            for leaf, rows in _texts(array, np.arange(batch.num_rows)):
                lengths = _lengths(leaf)
                np.add.at(beside if name in extras else sizes, rows, lengths)
                for row in rows[lengths > most]:
                    wrong[int(row)] = (
                        f"column {printable(name)} holds more than {most >> 10} KiB of text"
                    )
            columns.append(array)
        for row in np.flatnonzero(sizes > longest_row):
            wrong.setdefault(int(row), f"the row holds more than {longest_row >> 20} MiB of text")
        sizes += beside
        sizes[list(wrong)] = 0
        self._left -= int(sizes.sum())
        if self._left < 0:
            raise invalid_archive(
                f"The text in the Parquet file unpacks to more than {_MOST_TIMES} times its size."
            )
        if not columns:
            yield from ({} for _ in range(batch.num_rows))
            return
        bounded = pa.RecordBatch.from_arrays(columns, names=batch.schema.names)
        yield from _made(bounded, wrong, sizes)


def rows_at_once(chunks: Collection[Chunk], most: int) -> int:
    """So many rows that even the largest values that the chunks can hold fit that often."""
    sizes = [one.largest for one in chunks if one.is_wide]
    return min(most, max(1, _BATCH_BYTES // max(1, sum(sizes))))


def _encodings(metadata: parquet.FileMetaData, paths: Collection[str]) -> Mapping[str, set[str]]:
    found: dict[str, set[str]] = {path: set() for path in paths}
    for group in range(metadata.num_row_groups):
        stored = metadata.row_group(group)
        for index in range(stored.num_columns):
            chunk = stored.column(index)
            if chunk.path_in_schema in found:
                found[chunk.path_in_schema].update(chunk.encodings)
    return found


def _made(
    batch: pa.RecordBatch, wrong: Mapping[int, str], sizes: NDArray[np.int64]
) -> Iterator[dict[str, Any] | str]:
    """The rows, with the bytes of text of each; not many at once that have much."""
    if not wrong and sizes.sum() <= _TEXT_AT_ONCE:
        yield from batch.to_pylist()
        return
    step = min(_ROWS_OF_MUCH_TEXT, max(1, _TEXT_AT_ONCE // max(1, int(sizes.max()))))
    for at in range(0, batch.num_rows, step):
        part = range(at, min(at + step, batch.num_rows))
        good = [row for row in part if row not in wrong]
        made = iter(batch.take(pa.array(good, pa.int64())).to_pylist() if good else ())
        for row in part:
            yield wrong[row] if row in wrong else next(made)


def _long_lists(array: pa.Array, most: int) -> list[int]:
    if not is_list(array.type):
        return []
    lengths = pc.fill_null(pc.list_value_length(array), 0).to_numpy(zero_copy_only=False)
    return [int(row) for row in np.flatnonzero(lengths > most)]


def _texts(
    array: pa.Array, rows: NDArray[np.int64]
) -> Iterator[tuple[pa.Array, NDArray[np.int64]]]:
    """The arrays of text within ``array``, with the row of each value."""
    kind = array.type
    if is_list(kind):
        parents = pc.list_parent_indices(array).to_numpy(zero_copy_only=False)
        yield from _texts(array.flatten(), rows[parents])
    elif pa.types.is_struct(kind):
        for child in array.flatten():
            yield from _texts(child, rows)
    elif is_text(kind):
        yield array, rows


def _lengths(array: pa.Array) -> NDArray[np.int64]:
    """Bytes of each value; 0 for none."""
    if pa.types.is_dictionary(array.type):
        lengths = pc.take(pc.binary_length(array.dictionary), array.indices)
    else:
        lengths = pc.binary_length(_plain(array))
    found: NDArray[np.int64] = pc.fill_null(lengths, 0).to_numpy(zero_copy_only=False)
    return found.astype(np.int64)


def without_long(array: pa.Array, most: int = MAX_TEXT_BYTES) -> pa.Array:
    """``array`` without text of more than ``most`` bytes."""
    if not is_text(array.type):
        return array
    if not pa.types.is_dictionary(array.type):
        plain = _plain(array)
        return pc.if_else(pc.less_equal(pc.binary_length(plain), most), plain, None)
    values = _plain(array.dictionary)
    short = pc.less_equal(pc.binary_length(values), most)
    if pc.all(short).as_py() is not False:
        return array
    return pa.DictionaryArray.from_arrays(array.indices, pc.if_else(short, values, None))


def _plain(array: pa.Array) -> pa.Array:
    return array.cast(pa.large_string()) if pa.types.is_string_view(array.type) else array
