"""Files that stand beside an image under its name, as WebDataset and img2dataset write them.

``0001.jpg`` is described by ``0001.cls`` (its class, or the number of one), ``0001.txt`` (its
caption) and ``0001.json`` (anything: the address that it was crawled from, for one).
"""

import json
import sqlite3
from collections.abc import Callable, Iterable
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO, Final

from core.media.texts.medium import NotText, decoded
from workers.imports.formats.metadata import Metadata
from workers.imports.items import Refused
from workers.imports.layout import is_called_image
from workers.imports.matching import stem_of
from workers.imports.meta import extras
from workers.imports.scratch_index import scratch_index

FORMAT: Final = "WebDataset"
# Columns, as a metadata.csv would have them.
_COLUMNS: Final = {".cls": "label", ".txt": "caption"}
_JSON: Final = ".json"
_ENDINGS: Final = frozenset({*_COLUMNS, _JSON})
_DIGEST: Final = "sha256"
_ORIGINAL: Final = "original_sha256"
_MOST_BYTES: Final = 1 << 20


class Sidecars:
    """Those of one archive, noted on disk: memory stays flat in their number."""

    def __init__(self, path: Path, files: Callable[[], Iterable[tuple[str, Any]]]) -> None:
        """Find which files stand beside exactly one image, in its folder and called like it.

        Args:
            path: Where to note it.
            files: Gives the path of every file, and what goes with it.
        """
        self._files = files
        self._index: sqlite3.Connection | None = None
        if not any(_ending(name) in _ENDINGS for name, _ in files()):
            return
        self._index = index = scratch_index(path)
        index.execute("CREATE TABLE images (stem TEXT, path TEXT)")
        index.execute("CREATE TABLE beside (name TEXT PRIMARY KEY, stem TEXT, ending TEXT)")
        index.execute("BEGIN")
        for name, _ in files():
            stem, ending = stem_of(name), _ending(name)
            if ending in _ENDINGS:
                index.execute("INSERT OR IGNORE INTO beside VALUES (?, ?, ?)", (name, stem, ending))
            elif is_called_image(name):
                index.execute("INSERT INTO images VALUES (?, ?)", (stem, name))
        index.execute("CREATE INDEX by_stem ON images (stem)")
        one = "SELECT stem FROM images GROUP BY stem HAVING count(*) = 1"
        index.execute(f"DELETE FROM beside WHERE stem NOT IN ({one})")
        index.execute("COMMIT")

    def __contains__(self, name: str) -> bool:
        """Whether a file stands beside an image."""
        if self._index is None or _ending(name) not in _ENDINGS:
            return False
        found = self._index.execute("SELECT 1 FROM beside WHERE name = ?", (name,)).fetchone()
        return found is not None

    @property
    def in_sum(self) -> list[tuple[str, str]]:
        """How many there are, of which endings, as one document among others, if there are any."""
        counted = "SELECT ending, count(*) FROM beside GROUP BY ending ORDER BY ending"
        counts = dict(self._index.execute(counted)) if self._index else {}
        return [(f"{sum(counts.values()):,} × {', '.join(counts)}", FORMAT)] if counts else []

    def leave_out(self, names: Iterable[str], *, documents: bool) -> None:
        """Take files for none of them that are documents of another tool.

        Args:
            names: Their paths.
            documents: Whether every JSON is one, also those that are not read.
        """
        if self._index is None:
            return
        delete = "DELETE FROM beside WHERE"
        self._index.executemany(f"{delete} name = ?", ((name,) for name in names))
        if documents:
            self._index.execute(f"{delete} ending = ?", (_JSON,))

    def read(self, metadata: Metadata, open_file: Callable[[Any], BinaryIO | Refused]) -> None:
        """Note what they say of their images, or why they say nothing.

        Args:
            metadata: Where to.
            open_file: Opens what goes with a path.
        """
        with metadata.together():
            for name, entry in self._files() if self._index else ():
                if name not in self:
                    continue
                said = _read(name, open_file(entry))
                if isinstance(said, Refused):
                    metadata.problem(name, said.reason)
                else:
                    metadata.add_row(self._image_of(name), said)

    def close(self) -> None:
        """Close the index."""
        if self._index:
            self._index.close()

    def _image_of(self, name: str) -> str:
        assert self._index is not None
        statement = "SELECT path FROM images WHERE stem = ?"
        (found,) = self._index.execute(statement, (stem_of(name),)).fetchone()
        return str(found)


def _ending(name: str) -> str:
    return PurePosixPath(name).suffix.lower()


def _read(name: str, file: BinaryIO | Refused) -> dict[str, Any] | Refused:
    """What a file says, by column; or why it says nothing."""
    if isinstance(file, Refused):
        return file
    try:
        with file:
            content = file.read(_MOST_BYTES + 1)
        if len(content) > _MOST_BYTES:
            return Refused(f"larger than {_MOST_BYTES >> 20} MiB")
        text = decoded(content).content
        if (ending := _ending(name)) != _JSON:
            return {_COLUMNS[ending]: text.strip()}
        # Numbers that JSON has not are written all the same, for what is missing.
        found = json.loads(text, parse_constant=lambda _: None)
    except (NotText, ValueError, RecursionError) as error:
        return Refused(f"it cannot be read: {error}")
    if not isinstance(found, dict):
        return Refused("no JSON object, which would name columns")
    # Of the bytes that were downloaded, before they were made smaller.
    kept = extras({_ORIGINAL if key == _DIGEST else key: value for key, value in found.items()})
    return kept or Refused("it says nothing that can be kept of an image")
