"""A table whose rows name images that stay in a bucket, and say what they are."""

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from core.ahead import AT_ONCE, in_order
from core.places import Object
from workers.imports.ahead import read_ahead
from workers.imports.bucket import Bucket
from workers.imports.items import (
    NAME_COLUMNS,
    Fetched,
    Item,
    Refused,
    invalid_archive,
    invalid_column,
    json_value,
    printable,
    short_name,
)

_KEYS: Final = ("key", "object_key", "location", "uri", *NAME_COLUMNS)
_ROWS_AT_ONCE: Final = 1000
_MOST_LINE: Final = 1 << 20

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
    ) -> None:
        """Read the header, and count the rows.

        Args:
            path: The table.
            filename: What its sender called it.
            columns: Names of the columns ``key``, ``label`` and ``split``, where they were given.
            annotations: Names of the columns that become annotations.
            bucket: Where the images are.

        Raises:
            DomainError: ``invalid_archive`` or ``invalid_column``.
        """
        self._path, self._filename, self._bucket = path, filename, bucket
        self._annotations = annotations
        first = next(self._rows(), {})
        self._key = _column("key", columns, _KEYS, first)
        if self._key is None:
            raise invalid_column(
                "key", "No column names the images; call it key, or say which it is.", first
            )
        self._label = _column("label", columns, ("label",), first)
        self._split = _column("split", columns, ("split",), first)
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
        own = {self._key, self._label, self._split, *self._annotations}
        said = {column: _text(row.get(column)) for column in self._annotations}
        meta = {
            printable(name): json_value(value) for name, value in row.items() if name not in own
        }
        key = _text(row.get(self._key or "")) or f"{self._filename}#{number}"
        return Item(
            name=short_name(key.removeprefix(f"{self._bucket.location}/")),
            read=partial(self._read, what),
            size=0 if isinstance(what, Refused) else what.size,
            label=_text(row.get(self._label or "")),
            label_column=self._label or "label",
            split=_text(row.get(self._split or "")),
            annotations={name: value for name, value in said.items() if value is not None},
            meta={name: value for name, value in meta.items() if value is not None},
        )

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
        while line := file.readline(_MOST_LINE):
            if not line.strip():
                continue
            row = json.loads(line)
            if not isinstance(row, dict):
                raise ValueError("a line is not an object")
            yield row


def _parquet(path: Path) -> Iterator[Row]:
    with pq.ParquetFile(path) as file:
        names = [field.name for field in file.schema_arrow if not pa.types.is_nested(field.type)]
        for batch in file.iter_batches(_ROWS_AT_ONCE, columns=names):
            yield from batch.to_pylist()
