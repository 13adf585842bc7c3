"""What an archive says of its files, indexed on disk so that memory stays flat.

Rows of ``metadata.csv`` and ``metadata.jsonl`` name their file exactly. Documents that another tool
wrote name it as that tool knew it, which ``matching`` makes sense of.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, Final, NamedTuple

from core.errors import DomainError
from core.names import composed
from workers.imports.formats.delimited import csv_rows
from workers.imports.formats.json_stream import json_rows
from workers.imports.formats.lines import PLAIN, Lines
from workers.imports.items import only, plain_path, printable
from workers.imports.matching import Called, Match, Matches, Unmatched
from workers.imports.scratch_index import scratch_index
from workers.imports.stated import text
from workers.imports.values import Values

NAMES: Final = frozenset({"metadata.csv", "metadata.jsonl"})
# Column that names the file, relative to the folder of the metadata file.
FILE: Final = "file_name"
# Columns whose names are read in any case.
ROLES: Final = frozenset({FILE, "label", "split"})
# Field that says why what a row says of a label is not taken: a list of reasons.
UNREAD: Final = "\0unread"
# Classes that files may list, which are kept in memory.
_MOST_CLASSES: Final = 10_000
# Why a shape or an annotation is no label, after what it is called.
SCORED: Final = (
    "has a score: it is what a model predicts, and not a label. Leave the score out if somebody "
    "has looked at it"
)


class Row(NamedTuple):
    """What one row says of a file; ``how`` as in ``Match``."""

    fields: dict[str, Any]
    how: str = ""


class Missing(NamedTuple):
    """A row whose file the archive lacks, or has more than once.

    ``found`` tells whether a document's is in the pool, or why a row means none.
    """

    file: str
    fields: dict[str, Any]
    found: Match | Unmatched | None
    is_row: bool = False
    """Whether it is of a metadata file, which names files of the archive alone."""


class Problem(NamedTuple):
    """A file, or a part of one, that says nothing of images, and why."""

    name: str
    reason: str


class Metadata:
    """Rows by path of the file in the archive."""

    def __init__(self, index: Path) -> None:
        """Start anew at ``index``: it can always be made again from the archive."""
        self._index = scratch_index(index)
        self._index.execute(
            "CREATE TABLE rows (id INTEGER PRIMARY KEY, file TEXT, path TEXT, fields TEXT, "
            "document INT, there INT DEFAULT 0, exact INT DEFAULT 0)"
        )
        self._matches = Matches(self._index)
        self._index.execute("CREATE TABLE problems (name TEXT, reason TEXT)")
        self._documents = 0
        self._class_names: dict[str, None] = {}

    @property
    def class_names(self) -> list[str]:
        """The classes that files list, each once, in the order of the first that does."""
        return list(self._class_names)

    def list_classes(self, names: Iterable[str]) -> None:
        """Note the classes that a file lists, by their numbers."""
        room = _MOST_CLASSES - len(self._class_names)
        self._class_names |= dict.fromkeys(islice(names, max(0, room)))

    def problem(self, name: str, reason: str) -> None:
        """Note a file, or a part of one, that says nothing of images, and why."""
        row = (printable(name), printable(reason))
        self._index.execute("INSERT INTO problems VALUES (?, ?)", row)

    def problems(self) -> Iterator[Problem]:
        """All of them, in their order."""
        rows = self._index.execute("SELECT name, reason FROM problems ORDER BY rowid")
        return (Problem(*row) for row in rows)

    def problem_count(self) -> int:
        """Length of ``problems``."""
        (count,) = self._index.execute("SELECT count(*) FROM problems").fetchone()
        return int(count)

    def add(self, name: str, content: BinaryIO, how: Lines = PLAIN) -> None:
        """Index the metadata file ``name``; what of it cannot be read becomes a problem."""
        folder = name.rpartition("/")[0]
        prefix = f"{printable(folder)}/" if folder else ""
        is_csv = name.lower().endswith(".csv")
        rows = csv_rows(content, name, FILE, how) if is_csv else json_rows(content, name, how)
        self._index.execute("BEGIN")
        try:
            for place, row in rows:
                if isinstance(row, dict):
                    _in_lower_case(row)
                file = None if isinstance(row, str) else text(row.pop(FILE, None))
                if isinstance(row, str) or file is None:
                    reason = row if isinstance(row, str) else f"it names no image by {FILE}"
                    self.problem(f"{name}, {place}", reason)
                    continue
                # Ours alone: another's may hold anything.
                row.pop(UNREAD, None)
                path = prefix + plain_path(file)
                self._index.execute(
                    "INSERT INTO rows (file, path, fields) VALUES (?, ?, ?)",
                    (path, composed(path), json.dumps(row, allow_nan=False)),
                )
        except DomainError as error:
            self.problem(name, error.detail)
        except ValueError as error:
            self.problem(name, str(error))
        self._index.execute("COMMIT")

    def add_row(self, file: str, fields: Mapping[str, Any]) -> None:
        """Index what something else says of the file at a path; within ``together``."""
        kept = {key: value for key, value in fields.items() if key not in {FILE, UNREAD}}
        _in_lower_case(kept)
        self._index.execute(
            "INSERT INTO rows (file, path, fields) VALUES (?, ?, ?)",
            (file, composed(file), json.dumps(kept, allow_nan=False)),
        )

    @contextmanager
    def together(self) -> Iterator[None]:
        """Index many rows at once."""
        self._index.execute("BEGIN")
        try:
            yield
        finally:
            self._index.execute("COMMIT")

    def add_document(
        self,
        folder: str,
        rows: Iterable[tuple[Sequence[Called], dict[str, Any]]],
        *,
        below: bool,
    ) -> None:
        """Index the rows of a document: what each calls its image, and fields.

        Args:
            folder: Where the document lies; empty at the top.
            rows: Names, the likeliest first, and fields.
            below: Whether only files below ``folder`` can be meant.
        """
        self._documents += 1
        self._index.execute("BEGIN")
        try:
            for names, fields in rows:
                row = self._index.execute(
                    "INSERT INTO rows (file, fields, document) VALUES (?, ?, ?)",
                    (names[0].path, json.dumps(fields, allow_nan=False), self._documents),
                ).lastrowid
                assert row is not None
                self._matches.call(row, self._documents, folder, names, below=below)
        finally:
            # What was read before a document breaks off holds.
            self._index.execute("COMMIT")

    def match(self, files: Iterable[str]) -> None:
        """Note which files there are, by path."""
        self._index.execute("CREATE INDEX rows_path ON rows (path)")
        self._index.execute("BEGIN")
        # Names are compared as their letters are composed, but of twins the exact name wins.
        self._index.executemany(
            "UPDATE rows SET there = there + 1, exact = exact OR file = ? WHERE path = ?",
            ((path, composed(path)) for path in files),
        )
        self._index.execute("COMMIT")

    def match_documents(
        self, files: Iterable[tuple[int, str]], pool: Iterable[tuple[int, str]]
    ) -> None:
        """Find the files that documents mean, and for what is none of them an image of the pool.

        Args:
            files: Numbers and paths of the images that come with the documents.
            pool: Ids, 1 and more, and names of those that are there: they stand as negative numbers
                beside those of files.
        """
        if self._documents:
            self._matches.look_through(files)
            self._matches.look_through(((-id_, name) for id_, name in pool), again=True)

    def rows_of(self, number: int, file: str) -> list[Row]:
        """What is said of a file."""
        found = self._index.execute(
            "SELECT fields FROM rows WHERE path = ? AND (file = ? OR NOT exact AND there = 1) "
            "ORDER BY id",
            (composed(file), file),
        ).fetchall()
        said = [Row(json.loads(fields)) for (fields,) in found]
        for row, how in self._matches.rows_of(number) if self._documents else ():
            (fields,) = self._index.execute(
                "SELECT fields FROM rows WHERE id = ?", (row,)
            ).fetchone()
            said.append(Row(json.loads(fields), how))
        return said

    def columns(self) -> list[str]:
        """Fields that any row has, in order of their names."""
        keys = self._index.execute(
            "SELECT DISTINCT key FROM rows, json_each(rows.fields) ORDER BY key"
        )
        return [key for (key,) in keys if not key.startswith("\0")]

    def values(self, columns: Iterable[str]) -> Mapping[str, Values]:
        """What stands in each of ``columns`` of the metadata files."""
        found: dict[str, Values] = {}
        for column in columns:
            held = found[column] = Values()
            rows = self._index.execute(
                "SELECT DISTINCT value, type FROM rows, json_each(rows.fields) "
                "WHERE document IS NULL AND key = ? AND value IS NOT NULL",
                (column,),
            )
            for value, kind in rows:
                one = only(json.loads(value)) if kind == "array" else value
                if (written := text(one)) is not None:
                    held.add(written)
        return found

    def missing(self) -> Iterator[Missing]:
        """Rows whose file is not in the archive."""
        rows = self._index.execute(
            "SELECT id, file, fields, document, there FROM rows "
            "WHERE NOT there OR NOT exact AND there > 1 ORDER BY id"
        )
        for row, file, fields, document, there in rows:
            if document is None:
                twins = Unmatched(f"{there} files are called so, in other letters", known=True)
                yield Missing(file, json.loads(fields), twins if there else None, is_row=True)
                continue
            found = self._matches.found(row)
            if isinstance(found, Unmatched):
                yield Missing(file, json.loads(fields), found)
            elif found.image < 0:
                yield Missing(file, json.loads(fields), Match(-found.image, found.how))

    def missing_count(self) -> int:
        """Length of ``missing``."""
        return sum(1 for _ in self.missing())

    def close(self) -> None:
        """Close the index."""
        self._index.close()


def _in_lower_case(row: dict[str, Any]) -> None:
    """Call ``File_Name`` and the like as they are looked for, unless there is such a column."""
    for name in [name for name in row if name not in ROLES and name.casefold() in ROLES]:
        if name.casefold() not in row:
            row[name.casefold()] = row.pop(name)
