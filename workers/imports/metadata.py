"""``metadata.csv`` and ``metadata.jsonl`` of a zip, indexed on disk so that memory stays flat."""

import csv
import io
import json
import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

from workers.imports.items import invalid_archive, printable

NAMES: Final = frozenset({"metadata.csv", "metadata.jsonl"})
# Column that names the file, relative to the folder of the metadata file.
FILE: Final = "file_name"


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
            "CREATE TABLE rows (file TEXT PRIMARY KEY, fields TEXT, found INT DEFAULT 0)"
        )

    def add(self, name: str, content: bytes) -> None:
        """Index the metadata file ``name``; of two rows for a file, the later one holds."""
        folder = name.rpartition("/")[0]
        prefix = f"{printable(folder)}/" if folder else ""
        try:
            text = content.decode("utf-8-sig")
            parse = _csv if name.lower().endswith(".csv") else _jsonl
            self._index.execute("BEGIN")
            self._index.executemany(
                "INSERT OR REPLACE INTO rows (file, fields) VALUES (?, ?)",
                ((prefix + _path(row.pop(FILE)), json.dumps(row)) for row in parse(text)),
            )
            self._index.execute("COMMIT")
        except (ValueError, KeyError, csv.Error) as error:
            raise invalid_archive(
                f"{printable(name)} cannot be read ({type(error).__name__}: {error}). It needs a "
                f"column {FILE}, and may have label and split."
            ) from error

    def mark(self, files: Iterable[str]) -> None:
        """Note which files there are."""
        self._index.execute("BEGIN")
        self._index.executemany(
            "UPDATE rows SET found = 1 WHERE file = ?", ((file,) for file in files)
        )
        self._index.execute("COMMIT")

    def row(self, file: str) -> dict[str, Any]:
        """Fields of ``file``; empty if it has none."""
        found = self._index.execute("SELECT fields FROM rows WHERE file = ?", (file,)).fetchone()
        return dict(json.loads(found[0])) if found else {}

    def missing(self) -> Iterator[str]:
        """Files that have a row and are not in the archive."""
        rows = self._index.execute("SELECT file FROM rows WHERE found = 0 ORDER BY file")
        return (file for (file,) in rows)

    def missing_count(self) -> int:
        """Length of ``missing``."""
        (count,) = self._index.execute("SELECT count(*) FROM rows WHERE found = 0").fetchone()
        return int(count)

    def close(self) -> None:
        """Close the index."""
        self._index.close()


def _path(file: object) -> str:
    return printable(str(file)).replace("\\", "/").removeprefix("./")


def _csv(text: str) -> Iterator[dict[str, Any]]:
    reader = csv.DictReader(io.StringIO(text, newline=""))
    if FILE not in (reader.fieldnames or ()):
        raise KeyError(FILE)
    for row in reader:
        yield {key: value for key, value in row.items() if key is not None and value}


def _jsonl(text: str) -> Iterator[dict[str, Any]]:
    for line in io.StringIO(text):
        if line.strip():
            row = json.loads(line)
            if not isinstance(row, dict):
                raise ValueError("a line is not an object")
            yield row
