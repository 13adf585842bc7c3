"""Rows of tables in text, a CSV or JSON Lines: read from the beginning as often as asked."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from core.errors import Invalid
from workers.imports.formats.delimited import Delimited
from workers.imports.formats.json_stream import json_rows
from workers.imports.formats.lines import PLAIN, Lines
from workers.imports.items import invalid_archive, only, printable
from workers.imports.stated import VOTES, holds_votes, is_stated, text
from workers.imports.values import Values

_MOST_COLUMNS: Final = 1000
_LINES: Final = " It needs an object in each line; a list of objects is called .json."

Row = Mapping[str, Any]
Place = tuple[str, "Row | str"]
"""Where a row is, and the row; or why it is none."""


@dataclass(frozen=True, slots=True)
class Survey:
    """What a table has.

    Attributes:
        total: Number of rows.
        columns: Names, in their order.
        values: What stands in the columns that were asked for.
        votes: What stands in a column of that name, in the first row where that is votes.
        refused: The first row that is none, and why.
    """

    total: int
    columns: Sequence[str]
    values: Mapping[str, Values]
    votes: Any = None
    refused: str = ""

    @property
    def unread(self) -> str:
        """Of a table without columns why no row is one; empty if there are none."""
        return self.refused and f"none of its {self.total:,} rows can be read: {self.refused}"

    def is_stated(self, annotations: Collection[str] = ()) -> bool:
        """Whether its rows state verdicts, where ``annotations`` become annotations."""
        return is_stated({**dict.fromkeys(self.columns), VOTES: self.votes}, annotations)


def survey(rows: Iterable[Place], header: Sequence[str], columns: Iterable[str]) -> Survey:
    """Read a table once.

    Args:
        rows: All of them.
        header: Names of the columns; without one, these are all that any row has.
        columns: Those of labels, also where they are called so in other letters.
    """
    names = dict.fromkeys(header)
    wanted = set(columns)
    values = {name: Values() for name in (*wanted, *_alike(header, wanted))}
    total, votes, refused = 0, None, ""
    for place, row in rows:
        total += 1
        if isinstance(row, str):
            refused = refused or f"{place} {row}"
            continue
        if not header and len(names) < _MOST_COLUMNS and not row.keys() <= names.keys():
            values |= {name: Values() for name in _alike(row.keys() - names.keys(), wanted)}
            names.update(dict.fromkeys(row))
        # An empty list tells nothing of the others.
        if not holds_votes(votes):
            votes = row.get(VOTES) or votes
        for column, held in values.items():
            if (value := cell(row, column)) is not None:
                held.add(value)
    return Survey(total, [name for name in names if name], values, votes, refused)


def without_columns(filename: str, what: str, found: Survey) -> Invalid:
    """The refusal of a table that holds nothing, where JSON is read as well as JSON Lines."""
    is_lines = found.unread and Path(filename).suffix.lower() == ".jsonl"
    said = f"{printable(filename)} holds no {what}: {found.unread or 'it is empty'}."
    return invalid_archive(f"{said}{_LINES if is_lines else ''}")


def _alike(names: Iterable[str], columns: Collection[str]) -> list[str]:
    return [name for name in names if name not in columns and name.casefold() in columns]


def cell(row: Row, column: str) -> str | None:
    """What stands in a column, or is the one element of a list there; ``None`` for nothing."""
    return (text(only(row.get(column))) or "").strip() or None


def is_csv(filename: str) -> bool:
    """Whether a file is called like a CSV, whatever divides its cells."""
    return Path(filename).suffix.lower() in {".csv", ".tsv"}


def header_of(path: Path, filename: str, how: Lines = PLAIN) -> Sequence[str]:
    """Names of the columns of a CSV; JSON Lines have no header.

    Raises:
        DomainError: ``invalid_archive`` or ``invalid_column``.
    """
    if not is_csv(filename):
        return ()
    with path.open("rb") as file:
        return Delimited(file, filename, how).header


def text_rows(path: Path, filename: str, how: Lines = PLAIN) -> Iterator[Place]:
    """Rows of a CSV, or of JSON Lines.

    Raises:
        DomainError: ``invalid_archive`` or ``invalid_column``.
    """
    with path.open("rb") as file:
        if is_csv(filename):
            for number, row in Delimited(file, filename, how).rows():
                yield f"line {number}", row
        else:
            yield from json_rows(file, filename, how)
