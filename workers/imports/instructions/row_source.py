"""What sources of instruction data have in common: rows of a table, and rows made of them."""

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, Protocol

from core.tasks.instruction_rows import canonical, rendered
from workers.imports.formats.rows import Place
from workers.imports.formats.text_columns import ID_COLUMNS
from workers.imports.instructions.parse import OURS, Parsed, remark
from workers.imports.items import (
    Item,
    Source,
    printable,
    refused_item,
    short_name,
    usual_column,
)
from workers.imports.meta import extras
from workers.imports.split_words import is_flag, meaning, row_split, split_text
from workers.imports.stated import text
from workers.imports.values import Values

KEY: Final = "\0key"
"""Of a row: the member of the document in whose list it stood."""
SPLIT: Final = "split"


class Table(Protocol):
    """Rows of a file, from the beginning as often as asked."""

    @property
    def total(self) -> int:
        """Number of rows."""
        ...

    @property
    def names(self) -> Sequence[str]:
        """Of its columns."""
        ...

    def rows(self, start: int) -> Iterator[Place]:
        """Rows from ``start`` on, each with its place in the file."""
        ...

    def close(self) -> None:
        """Close the file."""


class RowSource(Source):
    """What sources of instruction data have in common."""

    def __init__(self, table: Table, filename: str, most: int) -> None:
        """Read the rows of a table.

        Args:
            table: Its rows; closed with the source.
            filename: What its sender called it.
            most: How long a row may be, in bytes.
        """
        self._table, self._filename, self._most = table, filename, most
        names = table.names
        there = {name.casefold(): name for name in names}
        self._is_ours = OURS.issubset(names)
        ids = ("name",) if self._is_ours else ID_COLUMNS
        self._name = next((there[one] for one in ids if one in there), None)
        self._split = usual_column((SPLIT,), names)
        self._flags = () if self._split else tuple(name for name in names if is_flag(name))

    @property
    def values(self) -> Mapping[str, Values]:
        """No column holds labels as others do: rankings are of several rows."""
        return {}

    def close(self) -> None:
        """Close the file."""
        self._table.close()

    @abstractmethod
    def _items(self, place: str, row: Mapping[str, Any]) -> Iterator[Item]:
        """What a row of the file is."""

    def _every(self, start: int) -> Iterator[Item]:
        """What the rows of the file are, from row ``start`` on."""
        for place, row in self._table.rows(start):
            if isinstance(row, str):
                yield refused_item(f"{self._filename}, {place}", row)
            else:
                yield from self._items(f"{self._filename}, {place}", row)

    def _item(
        self,
        name: str,
        found: Parsed,
        row: Mapping[str, Any],
        others: Mapping[str, Any],
        told: str = "",
    ) -> Item:
        """A row of instruction data of a row of the file, with what else that holds and is told."""
        content = canonical(found.row)
        return Item(
            name=short_name(name),
            read=lambda: content,
            split=self._split_of(row),
            remark=told or remark(found),
            meta=extras(others),
        )

    def _called(self, place: str, row: Mapping[str, Any]) -> str:
        return (text(row.get(self._name)) if self._name else None) or place

    def _without(self, row: Mapping[str, Any], taken: set[str]) -> dict[str, Any]:
        own = {*taken, self._split, *self._flags, KEY}
        return {name: value for name, value in row.items() if name not in own}

    def _too_long(self, found: Parsed) -> str | None:
        length = len(rendered(found.row).encode())
        if length <= self._most:
            return None
        return (
            f"the row is longer than {self._most:,} bytes; divide it, or raise KARAT_MAX_TEXT_BYTES"
        )

    def _split_of(self, row: Mapping[str, Any]) -> str | None:
        if self._split is not None:
            said = split_text(SPLIT, row.get(self._split))
        else:
            said = row_split({name: row.get(name) for name in self._flags}, self._flags)
        keyed = row.get(KEY)
        if said is None and keyed is not None and meaning(keyed) is not None:
            said = keyed
        return None if said is None else printable(said)
