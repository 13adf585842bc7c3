"""A table whose rows name images that stay in a bucket, and say what they are."""

import csv
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from core.ahead import AT_ONCE, in_order
from core.cells import original
from core.places import Object
from workers.imports.ahead import read_ahead
from workers.imports.bucket import Bucket
from workers.imports.items import (
    NAME_COLUMNS,
    Fetched,
    Item,
    Refused,
    extras,
    invalid_archive,
    invalid_column,
    printable,
    refused_item,
    short_name,
)
from workers.imports.json_stream import json_lines
from workers.imports.layout import is_flag, row_split, split_text
from workers.imports.parquet import is_small, rows_at_once
from workers.imports.stated import VOTES, is_stated, read_stated
from workers.imports.table import HOLDS

_KEYS: Final = ("key", "object_key", "location", "uri", *NAME_COLUMNS)
# In a table of annotations, as we export it, each has a key of its own.
_OURS: Final = frozenset({"annotation_id", "key"})
_OF_ANNOTATIONS: Final = frozenset({
    *_OURS, "example_id", "pool_index", "effective", "counted", "source", "cost", "purity",
    "informativeness", "meta_score", "supersedes",
})  # fmt: skip

Row = Mapping[str, Any]


class KeySource:
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
        self._is_csv = Path(filename).suffix.lower() == ".csv"
        first = next(self._rows(), {})
        self._is_ours = first.keys() >= _OURS
        usual = _KEYS[1:] if self._is_ours else _KEYS
        self._key = _column("key", columns, usual, first)
        if self._key is None:
            raise invalid_column(
                "key", "No column names the images; call it key, or say which it is.", first
            )
        self._is_stated = is_stated(first, annotations)
        self._label = _column("label", columns, ("label",), first)
        self._split = _column("split", columns, ("split",), first)
        self._flags = () if self._split else tuple(name for name in first if is_flag(name))
        for column in annotations:
            if column not in first:
                raise invalid_column("annotation", f"The file has no column {column!r}.", first)
        self._total = sum(1 for _ in self._rows())
        self._threads = ThreadPoolExecutor(2 * AT_ONCE)

    @property
    def total(self) -> int:
        """Number of rows."""
        return self._total

    def items(self, start: int) -> Iterator[Item]:
        """Items from ``start`` on, looked up and read ahead."""
        rows = enumerate(islice(self._rows(), start, None), start)
        if self._names_only:
            unread = Refused("it was not looked up")
            return (self._item(number, row, unread) for number, row in rows)
        found = in_order(rows, self._look, self._threads)
        items = (self._item(number, row, what) for (number, row), what in found)
        return read_ahead(items, self._threads)

    def close(self) -> None:
        """Stop reading ahead."""
        self._threads.shutdown(cancel_futures=True)

    def _look(self, numbered: tuple[int, Row]) -> Object | Refused:
        text = _text(numbered[1].get(self._key or ""))
        if text is None:
            return Refused(f"column {self._key} is empty")
        location = self._bucket.locate(text)
        return location if isinstance(location, Refused) else self._bucket.head(location)

    def _item(self, number: int, row: Row, what: Object | Refused) -> Item:
        own = {self._key, self._label, self._split, *self._flags, *self._annotations}
        said = {column: _text(row.get(column)) for column in self._annotations}
        key = _text(row.get(self._key or "")) or f"{self._filename}#{number}"
        name = short_name(key.removeprefix(f"{self._bucket.location}/"))
        size = 0 if isinstance(what, Refused) else what.size
        if self._is_stated:
            return self._stated(row, name, partial(self._read, what), size)
        return Item(
            name=name,
            read=partial(self._read, what),
            size=size,
            label=_text(row.get(self._label or "")),
            label_column=self._label or "label",
            split=self._split_of(row),
            annotations={name: value for name, value in said.items() if value is not None},
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
            return refused_item(name, found.reason)
        return Item(
            name=name,
            read=read,
            size=size,
            label=found.label,
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

    def _rows(self) -> Iterator[Row]:
        read = {".csv": _csv, ".jsonl": _jsonl}.get(Path(self._filename).suffix.lower(), _parquet)
        try:
            yield from read(self._path)
        except (csv.Error, ValueError, OSError, pa.ArrowException) as error:
            raise invalid_archive(
                f"{printable(self._filename)} cannot be read ({type(error).__name__}: "
                f"{printable(str(error))[:200]}). It must be a CSV with a header or JSON lines, in "
                "UTF-8, or Parquet."
            ) from error


def _column(role: str, given: Mapping[str, str], usual: Sequence[str], columns: Row) -> str | None:
    """The column of a role: the one that was given, or the first usual one that is there."""
    name = given.get(role)
    if name is not None and name not in columns:
        raise invalid_column(role, f"The file has no column {name!r}.", columns)
    return name or next((one for one in usual if one in columns), None)


def _text(value: object) -> str | None:
    text = "" if value is None else printable(str(value)).strip()
    return text or None


def _csv(path: Path) -> Iterator[Row]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        for row in csv.DictReader(file, strict=True):
            yield {name: value for name, value in row.items() if isinstance(name, str)}


def _jsonl(path: Path) -> Iterator[Row]:
    with path.open(encoding="utf-8-sig") as file:
        yield from json_lines(file)


def _parquet(path: Path) -> Iterator[Row]:
    with pq.ParquetFile(path) as file:
        names = [
            field.name for field in file.schema_arrow if is_small(field.type) or field.name == VOTES
        ]
        for group in range(file.num_row_groups):
            size = rows_at_once(file, group, names)
            for batch in file.iter_batches(size, row_groups=[group], columns=names):
                yield from batch.to_pylist()
