"""A table whose rows name images that stay in a bucket, and say what they are."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, Final

import pyarrow as pa

from core.errors import DomainError
from core.files.object_stores import Object
from core.files.prefetch import AT_ONCE, in_order
from workers.imports.bucket import Bucket
from workers.imports.formats.declared import declared_names, first_declared, written
from workers.imports.formats.lines import PLAIN, Lines
from workers.imports.formats.parquet.bounds import BoundedParquet
from workers.imports.formats.parquet.columns import holds_votes, states
from workers.imports.formats.parquet.kinds import is_list
from workers.imports.formats.row_items import RowItems, column_of, is_ours
from workers.imports.formats.rows import Place, Row, header_of, is_csv, survey, text_rows
from workers.imports.formats.table import TABLES
from workers.imports.items import (
    NAME_COLUMNS,
    Fetched,
    Item,
    Refused,
    Source,
    invalid_archive,
    invalid_column,
    printable,
    refused_item,
    short_name,
    usual_column,
)
from workers.imports.prefetch import read_ahead
from workers.imports.stated import EXTRAS, MOST_VOTES, OF_VOTES, VOTES
from workers.imports.values import Values

_KEYS: Final = ("key", "object_key", "location", "uri", *NAME_COLUMNS)


class KeySource(Source):
    """Items that the rows of a CSV, JSONL or Parquet file name."""

    def __init__(
        self,
        path: Path,
        filename: str,
        columns: Mapping[str, str],
        annotations: Sequence[str],
        bucket: Bucket,
        *,
        how: Lines = PLAIN,
        names_only: bool = False,
    ) -> None:
        """Read the header, and count the rows.

        Args:
            path: The table.
            filename: What its sender called it.
            columns: Names of the columns ``key``, ``label`` and ``split``, where they were given.
            annotations: Names of the columns that become annotations.
            bucket: Where the images are.
            how: How lines of a table in text are read.
            names_only: Whether what the rows say is enough, and nothing is looked up or read.

        Raises:
            DomainError: ``invalid_archive`` or ``invalid_column``.
        """
        self._path, self._filename, self._bucket = path, filename, bucket
        self._how, self._names_only = how, names_only
        self._is_parquet = Path(filename).suffix.lower() not in TABLES
        schema = self._schema() if self._is_parquet else None
        usual = usual_column(("label",), () if schema is None else schema.names) or "label"
        labels = dict.fromkeys((*annotations, columns.get("label", usual)))
        self._needed: Collection[str] = labels
        found = survey(self._rows(labels), self._header(labels), labels)
        names = found.columns
        keys = _KEYS[1:] if is_ours(names) else _KEYS
        self._key = column_of("key", columns, keys, names)
        if self._key is None:
            raise invalid_column(
                "key", "No column names the images; call it key, or say which it is.", names
            )
        is_stated = found.is_stated(annotations) if schema is None else states(schema, annotations)
        self._items = RowItems(
            names, columns, annotations, is_csv=is_csv(filename), is_stated=is_stated
        )
        self._values = self._items.values(found.values)
        self._class_names = () if schema is None else first_declared(schema, labels)
        self._needed = {self._key, *self._items.needed}
        self._total = found.total
        self._threads = ThreadPoolExecutor(2 * AT_ONCE)

    @property
    def total(self) -> int:
        """Number of rows."""
        return self._total

    @property
    def values(self) -> Mapping[str, Values]:
        """What stands in the columns of labels."""
        return self._values

    @property
    def class_names(self) -> Sequence[str]:
        """Names that a Parquet file declares for the numbers of its labels."""
        return self._class_names

    def items(self, start: int) -> Iterator[Item]:
        """Items from ``start`` on, looked up and read ahead."""
        rows = (
            (place, row if isinstance(row, str) else self._items.original(row))
            for place, row in islice(self._rows(), start, None)
        )
        if self._names_only:
            unread = Refused("it was not looked up")
            return (self._item(place, row, unread) for place, row in rows)
        found = in_order(rows, self._look, self._threads)
        items = (self._item(place, row, what) for (place, row), what in found)
        return read_ahead(items, self._threads)

    def close(self) -> None:
        """Stop reading ahead."""
        self._threads.shutdown(cancel_futures=True)

    def _look(self, place: Place) -> Object | Refused:
        _, row = place
        if isinstance(row, str):
            return Refused(row)
        text = _text(row.get(self._key or ""))
        if text is None:
            return Refused(f"column {self._key} is empty")
        location = self._bucket.locate(text)
        return location if isinstance(location, Refused) else self._bucket.head(location)

    def _item(self, place: str, row: Row | str, what: Object | Refused) -> Item:
        if isinstance(row, str):
            return refused_item(f"{self._filename}, {place}", row)
        key = _text(row.get(self._key or "")) or f"{self._filename}, {place}"
        name = short_name(key.removeprefix(f"{self._bucket.location}/"))
        size = 0 if isinstance(what, Refused) else what.size
        own = {self._key or ""}
        return self._items.item(row, name, partial(self._read, what), size, own)

    def _read(self, what: Object | Refused) -> Fetched | Refused:
        return what if isinstance(what, Refused) else self._bucket.read(what)

    def _header(self, needed: Collection[str]) -> Sequence[str]:
        """Names of the columns that are read; of JSON Lines only the rows tell."""
        if not self._is_parquet:
            return header_of(self._path, self._filename, self._how)
        with closing(BoundedParquet(self._path)) as file:
            return [name for name in file.schema.names if _leaves(file, name, needed)]

    def _schema(self) -> pa.Schema:
        with closing(BoundedParquet(self._path)) as file:
            return file.schema

    def _rows(self, columns: Collection[str] | None = None) -> Iterator[Place]:
        """Every row; of a Parquet file with these columns."""
        try:
            if self._is_parquet:
                yield from _parquet(self._path, self._needed, columns)
            else:
                yield from text_rows(self._path, self._filename, self._how)
        except DomainError:
            raise
        except (ValueError, OSError, pa.ArrowException) as error:
            raise invalid_archive(
                f"{printable(self._filename)} cannot be read ({type(error).__name__}: "
                f"{printable(str(error))[:200]}). It must be a CSV with a header or JSON lines, in "
                "UTF-8, or Parquet."
            ) from error


def _text(value: object) -> str | None:
    text = "" if value is None else printable(str(value)).strip()
    return text or None


def _leaves(file: BoundedParquet, column: str, needed: Collection[str]) -> list[str]:
    """What is read of a column; lists only where they are needed."""
    kind = file.schema.field(column).type
    is_votes = column == VOTES and holds_votes(kind)
    is_needed = is_votes or (column in needed and is_list(kind))
    return file.leaves(column, OF_VOTES) if is_needed or not pa.types.is_nested(kind) else []


def _named(row: dict[str, Any], declared: Mapping[str, tuple[str, ...]]) -> Row:
    """A row with names in place of the numbers that the file declares them for."""
    return row | {name: written(row.get(name), names) for name, names in declared.items() if names}


def _parquet(
    path: Path, needed: Collection[str], columns: Collection[str] | None
) -> Iterator[Place]:
    """Rows of a Parquet file.

    Args:
        path: The file.
        needed: Columns that are no extras, and refuse a row that holds too much there.
        columns: Those that are read; all that say something if ``None``.
    """
    number = 0
    with closing(BoundedParquet(path)) as file:
        names = [name for name in file.schema.names if columns is None or name in columns]
        declared = {name: declared_names(file.schema, name) for name in names if name in needed}
        leaves = [leaf for name in names for leaf in _leaves(file, name, needed)]
        extras = [name for name in leaves if name not in needed]
        # Of rows that state nothing it is an extra itself.
        told = {EXTRAS}.intersection(needed)
        for _, batch in file.batches(leaves, optional=extras):
            for row in file.rows(batch, needed, MOST_VOTES, extras=told):
                yield f"row {number}", row if isinstance(row, str) else _named(row, declared)
                number += 1
