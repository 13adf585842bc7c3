"""A CSV of labels: each row is about an image that the pool has."""

import csv
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from pathlib import Path

from workers.imports.items import (
    Item,
    Refused,
    invalid_archive,
    invalid_column,
    key_column,
    printable,
    reference,
    short_name,
)


class TableSource:
    """Rows of a CSV with a header, one at a time."""

    def __init__(
        self, path: Path, filename: str, columns: Mapping[str, str], annotations: Sequence[str]
    ) -> None:
        """Read the header, and count the rows.

        Args:
            path: The file.
            filename: What its sender called it.
            columns: Name of the key column, where the sender gave it.
            annotations: Names of the columns that become annotations.

        Raises:
            DomainError: ``invalid_archive`` or ``invalid_column``.
        """
        self._filename = filename
        self._annotations = annotations
        self._file = path.open(encoding="utf-8-sig", newline="")
        try:
            header = self._reader().fieldnames or ()
            twice = [name for name, count in Counter(header).items() if count > 1]
            if twice:
                raise invalid_column(
                    "annotation", f"The file has several columns {twice[0]!r}.", header
                )
            for column in annotations:
                if column not in header:
                    raise invalid_column(
                        "annotation", f"The file has no column {column!r}.", header
                    )
            self._key = key_column(header, columns.get("key"))
            self._total = sum(1 for _ in self._rows())
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
            found = reference(self._key, row.get(self._key))
            said = {column: row.get(column) or "" for column in self._annotations}
            refused = found if isinstance(found, Refused) else Refused("the row holds no image")
            yield Item(
                name=short_name(row.get(self._key) or f"{self._filename}#{number}"),
                read=partial(_same, refused),
                reference=None if isinstance(found, Refused) else found,
                annotations={
                    column: printable(value.strip())
                    for column, value in said.items()
                    if value.strip()
                },
            )

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _reader(self) -> "csv.DictReader[str]":
        self._file.seek(0)
        try:
            reader = csv.DictReader(self._file, strict=True)
            _ = reader.fieldnames
        except (csv.Error, UnicodeDecodeError) as error:
            raise self._unreadable(1, error) from error
        return reader

    def _rows(self) -> Iterator[dict[str, str]]:
        reader = self._reader()
        try:
            yield from reader
        except (csv.Error, UnicodeDecodeError) as error:
            raise self._unreadable(reader.line_num, error) from error

    def _unreadable(self, line: int, error: Exception) -> Exception:
        return invalid_archive(
            f"{printable(self._filename)} cannot be read near line {line} "
            f"({type(error).__name__}: {error}). It must be a CSV in UTF-8 with a header."
        )


def _same(refused: Refused) -> Refused:
    return refused
