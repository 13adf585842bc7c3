"""CSV with a header, as programs and spreadsheets write it: commas, semicolons or tabs; UTF-8 or,
with its mark, UTF-16.
"""

import codecs
import csv
import io
import re
import shutil
import tempfile
from collections.abc import Iterator
from typing import BinaryIO, Final, Protocol

from core.errors import DomainError
from workers.imports.formats.lines import PLAIN, Lines, not_whole
from workers.imports.items import invalid_archive, printable, require_distinct, require_utf_8

_DELIMITERS: Final = (",", ";", "\t")
# Excel writes the delimiter it used into a first line of its own.
_SEPARATOR: Final = re.compile(r"sep=(.)\r?\n?", re.IGNORECASE)
_QUOTED: Final = re.compile(r'"(?:[^"]|"")*"')
_LOOKED_AT: Final = 64
# Of one cell; a row, whatever it is made of, is bounded where it is read.
csv.field_size_limit(1 << 30)
_MARKS: Final = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}

Line = tuple[int, "dict[str, str] | str"]
"""Number of a line, and its cells by column; or why they cannot be told apart."""


class Delimited:
    """A CSV that is read from the beginning as often as it is asked for."""

    def __init__(self, file: BinaryIO, name: str, how: Lines = PLAIN) -> None:
        """Read the header.

        Args:
            file: Seekable, at its beginning; stays open as long as this is used.
            name: What it is called in messages.
            how: How its lines are read.

        Raises:
            DomainError: ``invalid_archive``, or ``invalid_column`` if two columns have one name.
        """
        self._file, self._name, self._how = file, printable(name), how
        self._too_long = f"is longer than {how.most >> 20} MiB"
        start = file.read(_LOOKED_AT)
        self._encoding = next(
            (encoding for mark, encoding in _MARKS.items() if start.startswith(mark)), "utf-8"
        )
        if self._encoding == "utf-8":
            require_utf_8(start, name, "CSV")
        self._skip, self._delimiter = False, ","
        try:
            with self._text() as text:
                first = text.readline(how.most)
                marked = _SEPARATOR.fullmatch(first)
                if marked:
                    self._skip, self._delimiter = True, marked[1]
                else:
                    bare = _QUOTED.sub("", first)
                    is_tsv = "\t" in bare and name.lower().endswith(".tsv")
                    self._delimiter = "\t" if is_tsv else max(_DELIMITERS, key=bare.count)
            with self._text() as text:
                lines = _Lines(text, how.most)
                self.header = [cell.strip() for cell in next(self._reader(lines), [])]
                if lines.take():
                    raise csv.Error(f"the header {self._too_long}")
                if bad := not_whole("".join(self.header)):
                    raise csv.Error(bad)
        except (csv.Error, UnicodeError) as error:
            raise self._unreadable(1, error) from error
        require_distinct(self._name, self.header)

    def rows(self) -> Iterator[Line]:
        """Every row that is not empty; without the columns that have no name.

        Raises:
            DomainError: ``invalid_archive`` from where it cannot be read on.
        """
        number = 1
        try:
            with self._text() as text:
                lines = _Lines(text, self._how.most)
                reader = self._reader(lines)
                next(reader, None)
                lines.take()
                while True:
                    begun = reader.line_num
                    try:
                        cells = next(reader)
                    except StopIteration:
                        return
                    except csv.Error as error:
                        number = reader.line_num + self._skip
                        # Where a row of several lines would end is not known.
                        if not self._how.is_lenient or reader.line_num != begun + 1:
                            raise
                        lines.take()
                        yield number, f"its quotes do not fit: {printable(str(error))[:200]}"
                        continue
                    number = reader.line_num + self._skip
                    yield from self._row(number, cells, is_long=lines.take())
        except (csv.Error, UnicodeError) as error:
            raise self._unreadable(number, error) from error

    def _row(self, number: int, cells: list[str], *, is_long: bool) -> Iterator[Line]:
        if is_long:
            yield number, self._too_long
        elif any(cells[len(self.header) :]):
            yield number, self._too_many(len(cells))
        elif cells:
            bad = not_whole("".join(cells)) if self._how.is_lenient else None
            row = dict(zip(self.header, cells, strict=False))
            row.pop("", None)
            yield number, bad or row

    def _too_many(self, cells: int) -> str:
        return (
            f"it has {cells} cells, the header {len(self.header)}; quote text with "
            f"{self._delimiter!r} in it"
        )

    def _text(self) -> "_Borrowed":
        self._file.seek(0)
        errors = self._how.errors if self._encoding.startswith("utf-8") else "strict"
        text = _Borrowed(self._file, encoding=self._encoding, newline="", errors=errors)
        if self._skip:
            text.readline()
        return text

    def _reader(self, lines: "_Lines") -> "_Reader":
        return csv.reader(lines, strict=True, delimiter=self._delimiter)

    def _unreadable(self, line: int, error: Exception) -> DomainError:
        return invalid_archive(
            f"{self._name} cannot be read near line {line} ({type(error).__name__}: "
            f"{printable(str(error))[:200]}). It must be a CSV with a header, in UTF-8 or UTF-16 "
            "with its mark; Excel saves both, as CSV UTF-8 and as Unicode text."
        )


class _Reader(Protocol):
    """What ``csv.reader`` makes."""

    @property
    def line_num(self) -> int: ...

    def __iter__(self) -> Iterator[list[str]]: ...

    def __next__(self) -> list[str]: ...


class _Lines:
    """Lines for ``csv.reader``, of which a record takes no more than ``most`` characters.

    A longer line is handed on as an empty one. What goes on over many lines ends the reading, since
    where it would end is not known.
    """

    def __init__(self, text: io.TextIOWrapper, most: int) -> None:
        self._text, self._most = text, most
        self._taken = 0
        self._is_long = False

    def take(self) -> bool:
        """Begin a record; whether the line of the last one was too long."""
        was_long, self._is_long, self._taken = self._is_long, False, 0
        return was_long

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = self._text.readline(self._most)
        if not line:
            raise StopIteration
        length = len(line)
        if self._taken + length >= self._most:
            if self._taken or self._pass_over(line):
                raise csv.Error(f"a row is longer than {self._most >> 20} MiB")
            self._is_long = True
            return "\n"
        self._taken += length
        return line

    def _pass_over(self, part: str) -> bool:
        """Read to the end of a line; whether a quotation goes on in the next."""
        is_open = part.count('"') % 2
        while part and not part.endswith(("\n", "\r")):
            part = self._text.readline(self._most)
            is_open ^= part.count('"') % 2
        return bool(is_open)


class _Borrowed(io.TextIOWrapper):
    """Text over a file that stays open."""

    def close(self) -> None:
        self.detach()


def csv_rows(
    file: BinaryIO, name: str, needed: str, how: Lines = PLAIN
) -> Iterator[tuple[str, "dict[str, str] | str"]]:
    """Where each row is, and its cells that are not empty, by column; or why there are none.

    Args:
        file: The CSV.
        name: What it is called in messages.
        needed: A column that it must have.
        how: How its lines are read.

    Raises:
        DomainError: ``invalid_archive``.
    """
    with tempfile.TemporaryFile() as copy:
        # Of an archive, where one cannot go back to the beginning.
        shutil.copyfileobj(file, copy)
        copy.seek(0)
        found = Delimited(copy, name, how)
        if needed not in (column.casefold() for column in found.header):
            raise invalid_archive(
                f"{printable(name)} has no column {needed}, so it says nothing of the images "
                f"(it has: {', '.join(found.header)[:200]})."
            )
        for number, row in found.rows():
            if isinstance(row, dict):
                row = {column: cell for column, cell in row.items() if cell and column}
            yield f"line {number}", row
