"""Rows of instruction data in Parquet, as Hugging Face writes it."""

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Final

from workers.imports.formats.declared import declared_names, written
from workers.imports.formats.parquet.bounds import MOST_ROW_TEXT, BoundedParquet
from workers.imports.formats.rows import Place
from workers.imports.instructions.parse import HISTORIES, NO_TEXTS, OURS, TURN, find_columns
from workers.imports.instructions.row_source import SPLIT
from workers.imports.instructions.shapes import PARTS, find_shape
from workers.imports.items import usual_column
from workers.imports.stated import EXTRAS

_LONGEST_LIST: Final = 1000
# Files hold a text more than once, apart and among messages; lines of JSON may take as much.
_TIMES: Final = 6


class ParquetTable:
    """Rows of a Parquet file, a few hundred at a time."""

    def __init__(self, path: Path, most: int) -> None:
        """Open the file.

        Args:
            path: The file.
            most: How long a text may be, in bytes.

        Raises:
            DomainError: ``invalid_archive`` or ``invalid_column``.
        """
        self._file = BoundedParquet(path)
        self._most = most
        self.names: Sequence[str] = self._file.schema.names
        split = usual_column((SPLIT,), self.names)
        # As Hugging Face writes it, a split may be the number of a name.
        self._split_names = declared_names(self._file.schema, split) if split else ()
        self._split = split or SPLIT

    @property
    def total(self) -> int:
        """Number of rows."""
        return self._file.total

    def rows(self, start: int) -> Iterator[Place]:
        """Rows from ``start`` on; row groups before it are not read."""
        found, shape = find_columns(self.names), find_shape(self.names)
        needed = set() if found is None else found.all
        # With our own columns, which hold turns, find_shape finds none.
        parts = (*TURN, *PARTS) if shape else TURN
        needed |= set() if shape is None else set(shape.needed)
        leaves = [
            leaf
            for name in self.names
            for leaf in self._file.leaves(name, parts if name in needed else None)
        ]
        more = [leaf for leaf in self._file.every_leaf if _is_nested(leaf, needed)]
        leaves = list(dict.fromkeys((*leaves, *more)))
        optional = [leaf for leaf in leaves if leaf.split(".")[0] not in needed]
        longest_row = _TIMES * self._most + MOST_ROW_TEXT
        extras = (EXTRAS,) if OURS.issubset(self.names) else ()
        for first, batch in self._file.batches(leaves, (), optional, start=start):
            rows = self._file.rows(
                batch, needed, _LONGEST_LIST, self._most, longest_row, extras=extras
            )
            for number, row in enumerate(rows, first):
                if self._split_names and not isinstance(row, str) and self._split in row:
                    row[self._split] = written(row[self._split], self._split_names)
                yield f"row {number}", row

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def _is_nested(leaf: str, needed: Collection[str]) -> bool:
    """Whether a leaf is of a history, or within what messages say beside text."""
    column, *inside = leaf.split(".")
    is_read = column.casefold() in HISTORIES or not set(NO_TEXTS).isdisjoint(inside)
    return column in needed and is_read
