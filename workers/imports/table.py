"""A CSV or JSON Lines of labels: each row is about an image that the pool has."""

import csv
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, Final

from core.cells import original
from core.errors import Invalid
from workers.imports.items import (
    ELSEWHERE,
    HERE,
    Item,
    Refused,
    invalid_archive,
    invalid_column,
    key_column,
    printable,
    reference,
    refused_item,
    short_name,
)
from workers.imports.json_stream import json_lines
from workers.imports.stated import is_stated, read_said_of, text

TABLES: Final = frozenset({".csv", ".jsonl"})
HOLDS: Final = "holds"
"""Column that says whether an annotation is part of what its image counts as."""
_MOST_COLUMNS: Final = 1000


class TableSource:
    """Rows of a CSV with a header, or of JSON Lines, one at a time."""

    def __init__(
        self, path: Path, filename: str, columns: Mapping[str, str], annotations: Sequence[str]
    ) -> None:
        """Read the header, and count the rows.

        Args:
            path: The file.
            filename: What its sender called it.
            columns: Name of the key column, where the sender gave it.
            annotations: Names of the columns that become annotations. Without any, the file has to
                have a column ``verdict``, as our exports do.

        Raises:
            DomainError: ``invalid_archive``, ``invalid_column`` or ``no_annotation_column``.
        """
        self._filename = filename
        self._annotations = annotations
        self._is_csv = Path(filename).suffix.lower() == ".csv"
        self._file = path.open(encoding="utf-8-sig", newline="")
        try:
            self._total, header = self._scan()
            if not header:
                raise self._empty()
            for column in annotations:
                if column not in header:
                    raise invalid_column(
                        "annotation", f"The file has no column {column!r}.", header
                    )
            self._is_stated = not annotations and is_stated(header)
            if not annotations and not self._is_stated:
                raise Invalid(
                    "no_annotation_column",
                    "Say which columns of the table hold labels, each with annotation_column=NAME, "
                    "or name one verdict (class, ood, unsure or skip), with the class beside it.",
                    field="annotation_column",
                )
            order = ELSEWHERE if self._is_stated else HERE
            self._key = key_column(header, columns.get("key"), order)
        except BaseException:
            self._file.close()
            raise

    @property
    def total(self) -> int:
        """Number of rows."""
        return self._total

    def items(self, start: int) -> Iterator[Item]:
        """Rows from ``start`` on."""
        for number, row in enumerate(islice(self._rows(), start, None), start):
            yield self._stated(number, row) if self._is_stated else self._labeled(number, row)

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _labeled(self, number: int, row: Mapping[str, Any]) -> Item:
        found = reference(self._key, row.get(self._key))
        said = {column: (text(row.get(column)) or "").strip() for column in self._annotations}
        refused = found if isinstance(found, Refused) else Refused("the row holds no image")
        return Item(
            name=self._name(number, row),
            read=partial(_same, refused),
            reference=None if isinstance(found, Refused) else found,
            annotations={column: value for column, value in said.items() if value},
        )

    def _stated(self, number: int, row: Mapping[str, Any]) -> Item:
        if self._is_csv:
            row = {key: original(value or "") for key, value in row.items() if key is not None}
        name = self._name(number, row)
        found, said = reference(self._key, row.get(self._key)), read_said_of(row)
        if isinstance(found, Refused):
            return refused_item(name, found.reason)
        if isinstance(said, Refused):
            return refused_item(name, said.reason)
        if str(row.get(HOLDS, True)).lower() in ("false", "0"):
            said = ()
        return Item(
            name=name,
            read=partial(_same, Refused("the row holds no image")),
            reference=found,
            said=said,
            silence="no verdict that holds: corrected, late or overruled",
        )

    def _name(self, number: int, row: Mapping[str, Any]) -> str:
        return short_name(text(row.get(self._key)) or f"{self._filename}#{number}")

    def _scan(self) -> tuple[int, list[str]]:
        """Number of rows, and the names of the columns; of JSON Lines all that any row has."""
        if self._is_csv:
            header = list(self._reader().fieldnames or ())
            twice = [name for name, count in Counter(header).items() if count > 1]
            if twice:
                raise invalid_column(
                    "annotation", f"The file has several columns {twice[0]!r}.", header
                )
            return sum(1 for _ in self._rows()), header
        count, names = 0, dict[str, None]()
        for row in self._rows():
            count += 1
            if len(names) < _MOST_COLUMNS:
                names.update(dict.fromkeys(row))
        return count, list(names)

    def _rows(self) -> Iterator[dict[str, Any]]:
        return self._csv_rows() if self._is_csv else self._json_rows()

    def _reader(self) -> "csv.DictReader[str]":
        self._file.seek(0)
        try:
            reader = csv.DictReader(self._file, strict=True)
            _ = reader.fieldnames
        except (csv.Error, UnicodeDecodeError) as error:
            raise self._unreadable(1, error) from error
        return reader

    def _csv_rows(self) -> Iterator[dict[str, Any]]:
        reader = self._reader()
        try:
            yield from reader
        except (csv.Error, UnicodeDecodeError) as error:
            raise self._unreadable(reader.line_num, error) from error

    def _json_rows(self) -> Iterator[dict[str, Any]]:
        self._file.seek(0)
        try:
            yield from json_lines(self._file)
        except ValueError as error:
            name, reason = printable(self._filename), printable(str(error))
            raise invalid_archive(f"{name} cannot be read as JSON Lines: {reason}.") from error

    def _empty(self) -> Exception:
        name = printable(self._filename)
        if self._is_csv:
            needs = "a header, such as file,label, and a row for each image"
        else:
            needs = 'a line for each image, such as {"file": "cat/1.png", "label": "cat"}'
        return invalid_archive(f"{name} is empty. It needs {needs}.")

    def _unreadable(self, line: int, error: Exception) -> Exception:
        return invalid_archive(
            f"{printable(self._filename)} cannot be read near line {line} "
            f"({type(error).__name__}: {error}). It must be a CSV in UTF-8 with a header."
        )


def _same(refused: Refused) -> Refused:
    return refused
