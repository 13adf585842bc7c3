"""Tables and documents whose rows are instruction data each: JSON Lines, JSON, CSV, Parquet."""

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Final, Protocol

from core.tasks.instruction_rows import canonical, rendered
from workers.imports.formats.json_stream import elements
from workers.imports.formats.lines import Lines
from workers.imports.formats.rows import Place, header_of, survey, text_rows
from workers.imports.formats.text_columns import ID_COLUMNS
from workers.imports.instructions.parse import (
    NEEDED,
    OURS,
    Columns,
    Parsed,
    find_columns,
    parse,
    remark,
    rivals_hint,
)
from workers.imports.items import (
    Item,
    Refused,
    Source,
    extras,
    invalid_archive,
    invalid_column,
    printable,
    refused_item,
    short_name,
)
from workers.imports.split_words import is_flag, meaning, row_split, split_text
from workers.imports.stated import text
from workers.imports.values import Values

TABLES: Final = frozenset({".jsonl", ".json", ".csv", ".tsv", ".parquet"})
_KEY: Final = "\0key"
_SPLIT: Final = "split"


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


class TextTable:
    """Rows of JSON Lines, of a JSON list, or of a CSV."""

    def __init__(self, path: Path, filename: str, how: Lines) -> None:
        """Count the rows.

        Raises:
            DomainError: ``invalid_archive`` or ``invalid_column``.
        """
        self._path, self._filename, self._how = path, filename, how
        self._is_json = Path(filename).suffix.lower() == ".json"
        header = () if self._is_json else header_of(path, filename, how)
        found = survey(self._all(), header, ())
        self.total = found.total
        self.names = [name for name in found.columns if not name.startswith("\0")]

    def rows(self, start: int) -> Iterator[Place]:
        """Rows from ``start`` on."""
        return islice(self._all(), start, None)

    def close(self) -> None:
        """Nothing stays open between rows."""

    def _all(self) -> Iterator[Place]:
        if not self._is_json:
            yield from text_rows(self._path, self._filename, self._how)
            return
        with self._path.open("rb") as file:
            for number, (key, one) in enumerate(elements(file, self._filename), 1):
                if key is not None and not isinstance(one, dict):
                    # What stands beside the arrays of an object says nothing of their elements.
                    continue
                is_row = isinstance(one, dict)
                keyed = {**one, _KEY: key} if is_row and key is not None else one
                yield f"entry {number}", keyed if is_row else "is not an object"


class InstructionSource(Source):
    """Instruction data of one table, a row at a time."""

    def __init__(self, table: Table, filename: str, most: int) -> None:
        """Find the columns.

        Args:
            table: Its rows; closed with the source, also if that cannot be made.
            filename: What its sender called it.
            most: How long a row may be, in bytes.

        Raises:
            DomainError: ``invalid_archive`` or ``invalid_column``.
        """
        self._table, self._filename, self._most = table, filename, most
        names = table.names
        found = find_columns(names)
        if found is None:
            table.close()
            if not names:
                raise invalid_archive(f"{printable(filename)} holds no rows: it is empty.")
            said = f"No columns hold instruction data; it needs {NEEDED}.{rivals_hint(names)}"
            raise invalid_column("text", said, names)
        self._columns: Columns = found
        there = {name.casefold(): name for name in names}
        self._is_ours = OURS.issubset(names)
        ids = ("name",) if self._is_ours else ID_COLUMNS
        self._name = next((there[one] for one in ids if one in there), None)
        self._flags = () if _SPLIT in names else tuple(name for name in names if is_flag(name))

    @property
    def total(self) -> int:
        """Number of rows."""
        return self._table.total

    @property
    def values(self) -> Mapping[str, Values]:
        """No column holds labels: what is said of rows, people say here."""
        return {}

    @property
    def roles(self) -> Mapping[str, str]:
        """Columns by what they were taken for."""
        held = self._columns
        found = {
            "messages": held.chat,
            "instruction": held.asked,
            "input": held.inputs,
            "response": held.answered,
            "system": held.system,
        }
        return {role: name for role, name in found.items() if name}

    def items(self, start: int) -> Iterator[Item]:
        """Rows from ``start`` on."""
        for place, row in self._table.rows(start):
            if isinstance(row, str):
                yield refused_item(f"{self._filename}, {place}", row)
            else:
                yield self._item(f"{self._filename}, {place}", row)

    def close(self) -> None:
        """Close the file."""
        self._table.close()

    def _item(self, place: str, row: Mapping[str, Any]) -> Item:
        found = parse(row, self._columns)
        if isinstance(found, Refused):
            return refused_item(place, found.reason)
        if (reason := self._too_long(found)) is not None:
            return refused_item(place, reason)
        content = canonical(found.row)
        called = text(row.get(self._name)) if self._name else None
        split = self._split_of(row)
        return Item(
            name=short_name(called or place),
            read=lambda: content,
            split=split,
            remark=remark(found),
            meta=extras(self._others(row)),
        )

    def _others(self, row: Mapping[str, Any]) -> Mapping[str, Any]:
        """What a row holds beside its parts; of our own exports what it held before."""
        if not self._is_ours:
            own = {*self._columns.all, _SPLIT, *self._flags, _KEY}
            return {name: value for name, value in row.items() if name not in own}
        try:
            held = json.loads(row.get("meta") or "{}")
        except (TypeError, ValueError):
            return {}
        return held if isinstance(held, dict) else {}

    def _too_long(self, found: Parsed) -> str | None:
        length = len(rendered(found.row).encode())
        if length <= self._most:
            return None
        return (
            f"the row is longer than {self._most:,} bytes; divide it, or raise KARAT_MAX_TEXT_BYTES"
        )

    def _split_of(self, row: Mapping[str, Any]) -> str | None:
        if _SPLIT in row:
            said = split_text(_SPLIT, row[_SPLIT])
        else:
            said = row_split({name: row.get(name) for name in self._flags}, self._flags)
        keyed = row.get(_KEY)
        if said is None and keyed is not None and meaning(keyed) is not None:
            said = keyed
        return None if said is None else printable(said)
