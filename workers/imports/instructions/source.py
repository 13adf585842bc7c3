"""Tables and documents whose rows are instruction data: JSON Lines, JSON, CSV, Parquet."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import islice
from math import isfinite, nan
from pathlib import Path
from typing import Any, Final

from core.tasks.instruction_rows import digest
from workers.imports.formats.json_stream import elements
from workers.imports.formats.lines import Lines
from workers.imports.formats.rows import Place, header_of, survey, text_rows, without_columns
from workers.imports.instructions.compared import SAME, Compared, compared, question_of
from workers.imports.instructions.exported import COLUMNS as RANKED
from workers.imports.instructions.exported import ExportedRankings
from workers.imports.instructions.parse import (
    NEEDED,
    OURS,
    Columns,
    Parsed,
    find_columns,
    may_be_history,
    parse,
)
from workers.imports.instructions.row_source import KEY, RowSource, Table
from workers.imports.instructions.shape import Shape
from workers.imports.instructions.shapes import find_rank, find_shape
from workers.imports.items import (
    Item,
    Refused,
    Source,
    invalid_column,
    printable,
    refused_item,
)
from workers.imports.ranked import Ranked

_APART: Final = "Each answer becomes a row of its own."
TABLES: Final = frozenset({".jsonl", ".json", ".csv", ".tsv", ".parquet"})


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
        if not self.names:
            raise without_columns(filename, "rows", found)

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
                keyed = {**one, KEY: key} if is_row and key is not None else one
                yield f"entry {number}", keyed if is_row else "is not an object"


def instruction_source(table: Table, filename: str, most: int) -> Source:
    """The source of a table of instruction data, by what its columns are.

    Args:
        table: Its rows; closed with the source, also if that cannot be made.
        filename: What its sender called it.
        most: How long a row may be, in bytes.

    Raises:
        DomainError: ``invalid_archive`` or ``invalid_column``.
    """
    names = table.names
    if RANKED.issubset(names):
        return ExportedRankings(table, filename, most)
    shape = None if OURS.issubset(names) else find_shape(names)
    columns = find_columns(names)
    # Where nothing is ranked, what is a row by itself stays one.
    if shape is not None and (shape.how or columns is None):
        return ComparisonSource(table, filename, most, shape)
    if columns is not None:
        return InstructionSource(table, filename, most, columns)
    table.close()
    said = f"No columns hold instruction data; it needs {NEEDED}."
    raise invalid_column("text", said, names)


class InstructionSource(RowSource):
    """Instruction data of one table, a row at a time."""

    def __init__(self, table: Table, filename: str, most: int, columns: Columns) -> None:
        """Read the rows of a table.

        Args:
            table: Its rows; closed with the source.
            filename: What its sender called it.
            most: How long a row may be, in bytes.
            columns: Which hold the parts of rows.
        """
        super().__init__(table, filename, most)
        self._columns = columns
        self._rank = None if self._is_ours else find_rank(table.names)

    @property
    def total(self) -> int:
        """Number of rows."""
        return self._table.total

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
            "history": held.history,
            "ranking": self._rank,
        }
        return {role: name for role, name in found.items() if name}

    @property
    def notes(self) -> Sequence[str]:
        """How rows that ask the same are ranked, if they are."""
        if self._rank is None:
            return ()
        return (
            printable(f"Rows that ask the same are ranked by {self._rank}, the lowest the best."),
        )

    def items(self, start: int) -> Iterator[Item]:
        """Rows from ``start`` on."""
        return self._every(start)

    def rankings(self) -> Iterator[Ranked]:
        """The place of each row among those that ask the same."""
        if self._rank is None:
            return
        for _, row in self._table.rows(0):
            found = None if isinstance(row, str) else parse(row, self._columns)
            if not isinstance(found, Parsed) or isinstance(row, str):
                continue
            place = _number(row.get(self._rank))
            if isfinite(place):
                key = question_of(found.row)
                yield Ranked(key, self._rank, {digest(found.row): place}, is_part=True)

    def _items(self, place: str, row: Mapping[str, Any]) -> Iterator[Item]:
        found = parse(row, self._columns)
        reason = found.reason if isinstance(found, Refused) else self._too_long(found)
        if isinstance(found, Refused) or reason is not None:
            yield refused_item(place, reason or "")
        else:
            others, told = self._others(row), self._unranked(row)
            yield self._item(self._called(place, row), found, row, others, told)

    def _unranked(self, row: Mapping[str, Any]) -> str:
        """Why a row that says its place has none; empty if it has one, or says none."""
        value = None if self._rank is None else row.get(self._rank)
        if value is None or not str(value).strip() or isfinite(_number(value)):
            return ""
        return printable(f"column {self._rank} holds what is no number: the row is not ranked")

    def _others(self, row: Mapping[str, Any]) -> Mapping[str, Any]:
        """What a row holds beside its parts; of our own exports what it held before."""
        if not self._is_ours:
            taken, history = self._columns.all, self._columns.history
            if history is not None and not may_be_history(row.get(history)):
                taken.remove(history)
            return self._without(row, taken)
        try:
            held = json.loads(row.get("meta") or "{}")
        except (TypeError, ValueError):
            return {}
        return held if isinstance(held, dict) else {}


def _number(value: Any) -> float:
    """A cell as a number; NaN if it holds none."""
    try:
        return float(value)
    except (OverflowError, TypeError, ValueError):
        return nan


class ComparisonSource(RowSource):
    """Answers to compare: each answer of a row of the file is a row of instruction data."""

    def __init__(self, table: Table, filename: str, most: int, shape: Shape) -> None:
        """Read the rows of a table.

        Args:
            table: Its rows; closed with the source.
            filename: What its sender called it.
            most: How long a row may be, in bytes.
            shape: Where they have what they compare.
        """
        super().__init__(table, filename, most)
        self._shape = shape

    @cached_property
    def total(self) -> int:
        """Number of answers, and of rows that compare none."""
        return sum(1 for _ in self._every(0))

    @property
    def roles(self) -> Mapping[str, str]:
        """Columns by what they were taken for."""
        return self._shape.roles

    @property
    def notes(self) -> Sequence[str]:
        """What is compared, and what is above what."""
        if not self._shape.how:
            return (_APART, "Nothing says which answer is better: people can rank them.")
        return (_APART, printable(self._shape.how))

    def items(self, start: int) -> Iterator[Item]:
        """Answers from ``start`` on."""
        return islice(self._every(0), start, None)

    def rankings(self) -> Iterator[Ranked]:
        """What is said of the answers of each row."""
        for _, row in self._table.rows(0):
            found = None if isinstance(row, str) else self._compared(row)
            if isinstance(found, Compared):
                for author, places in found.rankings:
                    yield Ranked(found.question, author, places)

    def _compared(self, row: Mapping[str, Any]) -> Compared | Refused:
        stated = self._shape.state(row)
        found = stated if isinstance(stated, Refused) else compared(stated)
        if isinstance(found, Refused):
            return found
        reasons = (self._too_long(one) for _, one in found.rows)
        reason = next((one for one in reasons if one is not None), None)
        return found if reason is None else Refused(reason)

    def _items(self, place: str, row: Mapping[str, Any]) -> Iterator[Item]:
        found = self._compared(row)
        if isinstance(found, Refused):
            yield refused_item(place, found.reason)
            return
        name, others = self._called(place, row), self._without(found.others, set())
        for called, one in found.rows:
            item = self._item(f"{name}, {called}", one, row, others)
            has_more = found.has_twins and not item.remark
            yield replace(item, remark=SAME) if has_more else item
