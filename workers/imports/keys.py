"""A table whose rows name images that stay in a bucket, and say what they are."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Final

import pyarrow as pa

from core.csv_escape import original
from core.errors import DomainError
from core.object_stores import Object
from core.prefetch import AT_ONCE, in_order
from workers.imports.bucket import Bucket
from workers.imports.items import (
    NAME_COLUMNS,
    Fetched,
    Item,
    Refused,
    Source,
    digests,
    extras,
    invalid_archive,
    invalid_column,
    printable,
    refused_item,
    short_name,
)
from workers.imports.parquet_bounds import BoundedParquet, is_list
from workers.imports.prefetch import read_ahead
from workers.imports.rows import Place, Row, cell, header_of, is_csv, survey, text_rows
from workers.imports.split_words import is_flag, row_split, split_text
from workers.imports.stated import MOST_VOTES, OF_VOTES, READ, VOTES, is_stated, read_stated
from workers.imports.table import HOLDS, TABLES
from workers.imports.values import Values

_KEYS: Final = ("key", "object_key", "location", "uri", *NAME_COLUMNS)
# In a table of annotations, as we export it, each has a key of its own.
_OURS: Final = frozenset({"annotation_id", "key"})
_OF_ANNOTATIONS: Final = frozenset({
    *_OURS, "example_id", "pool_index", "effective", "counted", "source", "cost", "purity",
    "informativeness", "meta_score", "supersedes",
})  # fmt: skip


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
        names_only: bool = False,
    ) -> None:
        """Read the header, and count the rows.

        Args:
            path: The table.
            filename: What its sender called it.
            columns: Names of the columns ``key``, ``label`` and ``split``, where they were given.
            annotations: Names of the columns that become annotations.
            bucket: Where the images are.
            names_only: Whether what the rows say is enough, and nothing is looked up or read.

        Raises:
            DomainError: ``invalid_archive`` or ``invalid_column``.
        """
        self._path, self._filename, self._bucket = path, filename, bucket
        self._annotations = annotations
        self._names_only = names_only
        self._is_csv = is_csv(filename)
        self._is_parquet = Path(filename).suffix.lower() not in TABLES
        labels = dict.fromkeys((*annotations, columns.get("label", "label")))
        self._needed: Collection[str] = labels
        found = survey(self._rows(labels), self._header(labels), labels)
        names = found.columns
        self._is_ours = _OURS.issubset(names)
        usual = _KEYS[1:] if self._is_ours else _KEYS
        self._key = _column("key", columns, usual, names)
        if self._key is None:
            raise invalid_column(
                "key", "No column names the images; call it key, or say which it is.", names
            )
        self._is_stated = is_stated(names, annotations)
        self._label = _column("label", columns, ("label",), names)
        self._split = _column("split", columns, ("split",), names)
        self._flags = () if self._split else tuple(name for name in names if is_flag(name))
        for column in annotations:
            if column not in names:
                raise invalid_column("annotation", f"The file has no column {column!r}.", names)
        self._values = {
            name: held for name, held in found.values.items() if name in (*annotations, self._label)
        }
        roles = (self._key, *self._values, self._split, *self._flags)
        self._needed = {name for name in roles if name}
        if self._is_stated:
            self._needed |= READ
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

    def items(self, start: int) -> Iterator[Item]:
        """Items from ``start`` on, looked up and read ahead."""
        rows = islice(self._rows(), start, None)
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
        own = {self._key, self._label, self._split, *self._flags, *self._annotations}
        said = [(column, cell(row, column)) for column in self._annotations]
        told = digests([row.get("sha256")])
        key = _text(row.get(self._key or "")) or f"{self._filename}, {place}"
        name = short_name(key.removeprefix(f"{self._bucket.location}/"))
        size = 0 if isinstance(what, Refused) else what.size
        if self._is_stated:
            return replace(self._stated(row, name, partial(self._read, what), size), digests=told)
        return Item(
            name=name,
            read=partial(self._read, what),
            size=size,
            digests=told,
            label=cell(row, self._label or ""),
            label_column=self._label,
            split=self._split_of(row),
            annotations=tuple((name, value) for name, value in said if value is not None),
            meta=extras({name: value for name, value in row.items() if name not in own}),
        )

    def _stated(
        self, row: Row, name: str, read: Callable[[], Fetched | Refused], size: int
    ) -> Item:
        """An image with the verdicts that its row states."""
        fields = dict(row)
        if self._is_csv:
            fields = {key: original(value or "") for key, value in row.items()}
        given = {"label": fields.get(self._label or ""), "split": self._split_of(fields)}
        holds = str(fields.get(HOLDS, True)).lower() not in ("false", "0")
        others = {self._key, HOLDS, *(_OF_ANNOTATIONS if self._is_ours else ())}
        found = read_stated(
            {**{key: value for key, value in fields.items() if key not in others}, **given}
        )
        if isinstance(found, Refused):
            split = _text(given["split"])
            return Item(name=name, read=read, size=size, split=split, unread=(found.reason,))
        return Item(
            name=name,
            read=read,
            size=size,
            label=found.label,
            label_column=self._label,
            split=found.split,
            said=found.said if holds else (),
            meta=found.meta,
        )

    def _split_of(self, row: Row) -> str | None:
        if self._split is None:
            said = row_split({name: row.get(name) for name in self._flags}, self._flags)
        else:
            said = split_text(self._split, row.get(self._split))
        return None if said is None else printable(said)

    def _read(self, what: Object | Refused) -> Fetched | Refused:
        return what if isinstance(what, Refused) else self._bucket.read(what)

    def _header(self, needed: Collection[str]) -> Sequence[str]:
        """Names of the columns that are read; of JSON Lines only the rows tell."""
        if not self._is_parquet:
            return header_of(self._path, self._filename)
        with closing(BoundedParquet(self._path)) as file:
            return [name for name in file.schema.names if _leaves(file, name, needed)]

    def _rows(self, columns: Collection[str] | None = None) -> Iterator[Place]:
        """Every row; of a Parquet file with these columns."""
        try:
            if self._is_parquet:
                yield from _parquet(self._path, self._needed, columns)
            else:
                yield from text_rows(self._path, self._filename)
        except DomainError:
            raise
        except (ValueError, OSError, pa.ArrowException) as error:
            raise invalid_archive(
                f"{printable(self._filename)} cannot be read ({type(error).__name__}: "
                f"{printable(str(error))[:200]}). It must be a CSV with a header or JSON lines, in "
                "UTF-8, or Parquet."
            ) from error


def _column(
    role: str, given: Mapping[str, str], usual: Sequence[str], columns: Collection[str]
) -> str | None:
    """The column of a role: the one that was given, or the first usual one that is there."""
    name = given.get(role)
    if name is not None and name not in columns:
        raise invalid_column(role, f"The file has no column {name!r}.", columns)
    return name or next((one for one in usual if one in columns), None)


def _text(value: object) -> str | None:
    text = "" if value is None else printable(str(value)).strip()
    return text or None


def _leaves(file: BoundedParquet, column: str, needed: Collection[str]) -> list[str]:
    """What is read of a column; lists only where they are needed."""
    kind = file.schema.field(column).type
    is_needed = column == VOTES or (column in needed and is_list(kind))
    return file.leaves(column, OF_VOTES) if is_needed or not pa.types.is_nested(kind) else []


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
        leaves = [leaf for name in names for leaf in _leaves(file, name, needed)]
        extras = [name for name in leaves if name not in needed]
        for _, batch in file.batches(leaves, optional=extras):
            for row in file.rows(batch, needed, MOST_VOTES):
                yield f"row {number}", row
                number += 1
