"""What an archive says of its files, indexed on disk so that memory stays flat.

Rows of ``metadata.csv`` and ``metadata.jsonl`` name their file exactly. Documents that another tool
wrote name it as that tool knew it, and are matched by as much of the path's end as agrees.
"""

import csv
import io
import json
import sqlite3
from collections.abc import Iterable, Iterator
from itertools import takewhile
from pathlib import Path
from typing import Any, BinaryIO, Final, NamedTuple

from workers.imports.items import invalid_archive, printable
from workers.imports.json_stream import json_lines

NAMES: Final = frozenset({"metadata.csv", "metadata.jsonl"})
# Column that names the file, relative to the folder of the metadata file.
FILE: Final = "file_name"
# Field that says why a document's row is refused.
REFUSED: Final = "\0refused"
_AMBIGUOUS: Final = ""


class Missing(NamedTuple):
    """A row whose file the archive lacks; a document's may be about an image of the pool."""

    file: str
    fields: dict[str, Any]
    loose: bool


class Metadata:
    """Rows by path of the file in the archive."""

    def __init__(self, index: Path) -> None:
        """Start anew at ``index``: it can always be made again from the archive."""
        index.parent.mkdir(parents=True, exist_ok=True)
        index.unlink(missing_ok=True)
        self._index = sqlite3.connect(index, isolation_level=None)
        self._index.execute("PRAGMA journal_mode = OFF")
        self._index.execute("PRAGMA synchronous = OFF")
        self._index.execute(
            "CREATE TABLE rows (id INTEGER PRIMARY KEY, file TEXT, fields TEXT, base TEXT, "
            "other_base TEXT, claimed TEXT, agrees INT DEFAULT 0)"
        )
        self._index.execute("CREATE UNIQUE INDEX by_file ON rows (file) WHERE base IS NULL")

    def add(self, name: str, content: BinaryIO) -> None:
        """Index the metadata file ``name``; of two rows for a file, the later one holds."""
        folder = name.rpartition("/")[0]
        prefix = f"{printable(folder)}/" if folder else ""
        try:
            lines = io.TextIOWrapper(content, encoding="utf-8-sig", newline="")
            parse = _csv if name.lower().endswith(".csv") else json_lines
            self._index.execute("BEGIN")
            self._index.executemany(
                "INSERT INTO rows (file, fields) VALUES (?, ?) "
                "ON CONFLICT (file) WHERE base IS NULL DO UPDATE SET fields = excluded.fields",
                ((prefix + plain_path(row.pop(FILE)), json.dumps(row)) for row in parse(lines)),
            )
            self._index.execute("COMMIT")
        except (ValueError, KeyError, csv.Error) as error:
            raise invalid_archive(
                f"{printable(name)} cannot be read ({type(error).__name__}: {error}). It needs a "
                f"column {FILE}, and may have label and split."
            ) from error

    def add_loose(self, rows: Iterable[tuple[str, str | None, dict[str, Any]]]) -> None:
        """Index rows of a document: a path, another name that its file may have, and fields."""
        self._index.execute("BEGIN")
        self._index.executemany(
            "INSERT INTO rows (file, base, other_base, fields) VALUES (?, ?, ?, ?)",
            ((file, base_of(file), other, json.dumps(fields)) for file, other, fields in rows),
        )
        self._index.execute("COMMIT")

    def claim(self, files: Iterable[str], *, loosely: bool = False) -> None:
        """Note which files there are: first those that rows name exactly, then the others."""
        self._index.execute("CREATE INDEX IF NOT EXISTS by_path ON rows (file)")
        self._index.execute("CREATE INDEX IF NOT EXISTS by_base ON rows (base)")
        self._index.execute("CREATE INDEX IF NOT EXISTS by_other ON rows (other_base)")
        self._index.execute("CREATE INDEX IF NOT EXISTS by_claim ON rows (claimed)")
        self._index.execute("BEGIN")
        if loosely:
            for file in files:
                self._claim_loosely(file)
        else:
            self._index.executemany(
                "UPDATE rows SET claimed = file, agrees = 1000000 WHERE file = ?",
                ((file,) for file in files),
            )
        self._index.execute("COMMIT")

    def _claim_loosely(self, file: str) -> None:
        """Give ``file`` to the row that agrees best with it; to none if two agree as well."""
        if self.row(file) is not None:
            return
        base = base_of(file)
        for column in ("base", "other_base"):
            found = self._index.execute(
                f"SELECT id, file, claimed, agrees FROM rows WHERE {column} = ?", (base,)
            ).fetchmany(1000)
            scored = sorted(((_agreement(file, row[1]), row) for row in found), reverse=True)
            if not scored:
                continue
            score, (row_id, _, claimed, agrees) = scored[0]
            if len(scored) > 1 and scored[1][0] == score:
                return
            if claimed is None or score > agrees:
                values = (file, score, row_id)
            elif score == agrees:
                values = (_AMBIGUOUS, score, row_id)
            else:
                return
            self._index.execute("UPDATE rows SET claimed = ?, agrees = ? WHERE id = ?", values)
            return

    def row(self, file: str) -> dict[str, Any] | None:
        """Fields of ``file``; ``None`` if nothing is said of it."""
        found = self._index.execute(
            "SELECT fields FROM rows WHERE claimed = ? ORDER BY id DESC LIMIT 1", (file,)
        ).fetchone()
        return dict(json.loads(found[0])) if found else None

    def columns(self) -> list[str]:
        """Fields that any row has, in order of their names."""
        keys = self._index.execute(
            "SELECT DISTINCT key FROM rows, json_each(rows.fields) ORDER BY key"
        )
        return [key for (key,) in keys if key != REFUSED]

    def missing(self) -> Iterator[Missing]:
        """Rows whose file is not in the archive."""
        rows = self._index.execute(
            "SELECT file, fields, base IS NOT NULL FROM rows "
            "WHERE coalesce(claimed, '') = '' ORDER BY id"
        )
        return (Missing(file, json.loads(fields), bool(loose)) for file, fields, loose in rows)

    def missing_count(self) -> int:
        """Length of ``missing``."""
        (count,) = self._index.execute(
            "SELECT count(*) FROM rows WHERE coalesce(claimed, '') = ''"
        ).fetchone()
        return int(count)

    def close(self) -> None:
        """Close the index."""
        self._index.close()


def plain_path(file: object) -> str:
    """A path as it would stand in an archive."""
    return printable(str(file)).replace("\\", "/").removeprefix("./")


def base_of(path: str) -> str:
    """The last part of ``path``."""
    return path.rpartition("/")[2]


def _agreement(one: str, other: str) -> int:
    """How many folders, from the last on, two paths have in common."""
    folders = zip(one.split("/")[-2::-1], other.split("/")[-2::-1], strict=False)
    return len(list(takewhile(lambda pair: pair[0] == pair[1], folders)))


def _csv(lines: io.TextIOWrapper) -> Iterator[dict[str, Any]]:
    reader = csv.DictReader(lines)
    if FILE not in (reader.fieldnames or ()):
        raise KeyError(FILE)
    for row in reader:
        yield {key: value for key, value in row.items() if key is not None and value}
