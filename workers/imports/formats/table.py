"""A CSV, TSV or JSON Lines of labels: each row is about an image that the pool has."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, Final

from core.errors import Invalid
from core.files.csv_escape import original
from workers.imports.formats.lines import PLAIN, Lines
from workers.imports.formats.rows import Place, cell, header_of, is_csv, survey, text_rows
from workers.imports.items import (
    Item,
    Keys,
    Refused,
    Source,
    annotated,
    columns_of,
    invalid_archive,
    invalid_column,
    key_columns,
    printable,
    reference,
    refused_item,
    short_name,
)
from workers.imports.stated import read_said_of, text
from workers.imports.values import Values

TABLES: Final = frozenset({".csv", ".tsv", ".jsonl"})
_OF_THE_WEB: Final = ("http://", "https://")
HOLDS: Final = "holds"
"""Column that says whether an annotation is part of what its image counts as."""


class TableSource(Source):
    """Rows of a CSV with a header, or of JSON Lines, one at a time."""

    def __init__(
        self,
        path: Path,
        filename: str,
        columns: Mapping[str, str],
        annotations: Sequence[str],
        how: Lines = PLAIN,
    ) -> None:
        """Read the header, and count the rows.

        Args:
            path: The file.
            filename: What its sender called it.
            columns: Name of the key column, where the sender gave it.
            annotations: Names of the columns that become annotations. Without any, the file has to
                state verdicts, as our exports do.
            how: How its lines are read.

        Raises:
            DomainError: ``invalid_archive``, ``invalid_column`` or ``no_annotation_column``.
        """
        self._filename = filename
        self._path, self._how = path, how
        self._annotations = annotations
        self._is_csv = is_csv(filename)
        self._found = survey(self._rows(), header_of(path, filename, how), annotations)
        names = self._found.columns
        if not names:
            raise self._empty()
        for column in annotations:
            if column not in names:
                raise invalid_column("annotation", f"The file has no column {column!r}.", names)
        self._is_stated = not annotations and self._found.is_stated()
        self._keys = self._read_keys(names, columns.get("key"))
        if not annotations and not self._is_stated:
            raise Invalid(
                "no_annotation_column",
                "Say which columns of the table hold labels, each with annotation_column=NAME, "
                "or name one verdict (class, ood, unsure or skip), with the class beside it. "
                + columns_of(names),
                field="annotation_column",
            )
        self._key = self._keys.column

    @property
    def total(self) -> int:
        """Number of rows."""
        return self._found.total

    def items(self, start: int) -> Iterator[Item]:
        """Rows from ``start`` on."""
        for place, row in islice(self._rows(), start, None):
            if isinstance(row, str):
                yield refused_item(f"{self._filename}, {place}", row)
            else:
                yield self._stated(place, row) if self._is_stated else self._labeled(place, row)

    @property
    def values(self) -> Mapping[str, Values]:
        """What stands in the columns that become annotations."""
        return self._found.values

    def close(self) -> None:
        """Nothing stays open between rows."""

    def _read_keys(self, names: Sequence[str], given: str | None) -> Keys:
        try:
            return key_columns(names, given, elsewhere=self._is_stated)
        except Invalid:
            row: Mapping[str, Any] = next(
                (row for _, row in self._rows() if not isinstance(row, str)), {}
            )
            held = ((name, cell(row, name) or "") for name in names)
            web = next((name for name, value in held if value.startswith(_OF_THE_WEB)), None)
            if given is not None or web is None:
                raise
            raise invalid_column(
                "key",
                f"Nothing is fetched from the web, as from the addresses in {web!r}: load what "
                "they lead to first, with img2dataset, say, and import the folder.",
                names,
            ) from None

    def _labeled(self, place: str, row: Mapping[str, Any]) -> Item:
        found = reference(self._key, row.get(self._key))
        if isinstance(found, Refused):
            return refused_item(self._name(place, row), found.reason)
        return Item(
            name=self._name(place, row),
            read=partial(_same, Refused("the row holds no image")),
            reference=found,
            also=self._keys.also(row),
            annotations=annotated(self._annotations, partial(cell, row)),
        )

    def _stated(self, place: str, row: Mapping[str, Any]) -> Item:
        if self._is_csv:
            row = {key: original(value or "") for key, value in row.items()}
        name = self._name(place, row)
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
            also=self._keys.also(row),
            said=said,
            silence="no verdict that holds: corrected, late or overruled",
        )

    def _name(self, place: str, row: Mapping[str, Any]) -> str:
        return short_name(text(row.get(self._key)) or f"{self._filename}, {place}")

    def _rows(self) -> Iterator[Place]:
        return text_rows(self._path, self._filename, self._how)

    def _empty(self) -> Exception:
        name = printable(self._filename)
        if self._is_csv:
            needs = "a header, such as file,label, and a row for each image"
        else:
            needs = 'a line for each image, such as {"file": "cat/1.png", "label": "cat"}'
        unread = self._found.unread
        said = f"{name}: {unread}" if unread else f"{name} is empty"
        return invalid_archive(f"{said}. It needs {needs}.")


def _same(refused: Refused) -> Refused:
    return refused
