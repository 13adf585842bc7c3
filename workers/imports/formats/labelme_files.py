"""Files of LabelMe in an archive, as many as it has images.

Which there are is kept on disk, so that memory stays flat in their number.
"""

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

from workers.imports.formats import labelme
from workers.imports.formats.boxes import labelme as shapes
from workers.imports.formats.documents import SUFFIX
from workers.imports.formats.metadata import Metadata
from workers.imports.items import Refused
from workers.imports.layout import is_called_image
from workers.imports.matching import Called, stem_of
from workers.imports.scratch_index import scratch_index

Row = tuple[list[Called], dict[str, Any]]


class LabelMeFiles:
    """Those of one archive."""

    def __init__(
        self,
        path: Path,
        files: Callable[[], Iterable[tuple[str, Any]]],
        open_: Callable[[Any], BinaryIO | Refused],
        *,
        boxes: bool,
    ) -> None:
        """Know of none yet.

        Args:
            path: Where to note which there are; made when there is one.
            files: Gives the path of every file of the archive, and what goes with it.
            open_: Opens what goes with a path.
            boxes: Whether they are read for what they draw, and not for classes.
        """
        self._path, self._files, self._open = path, files, open_
        self._read: labelme.Read = shapes.read if boxes else labelme.read
        self._index: sqlite3.Connection | None = None
        self._first = ""

    def add(self, name: str) -> None:
        """Note that a file is one."""
        if self._index is None:
            self._index = scratch_index(self._path)
            self._index.execute("CREATE TABLE files (name TEXT PRIMARY KEY, stem TEXT)")
            self._index.execute("CREATE TABLE images (stem TEXT, path TEXT)")
            self._index.execute("BEGIN")
        self._index.execute("INSERT OR IGNORE INTO files VALUES (?, ?)", (name, stem_of(name)))

    def __bool__(self) -> bool:
        """Whether there is one."""
        return self._index is not None

    def __iter__(self) -> Iterator[str]:
        """The path of each."""
        if self._index is not None:
            yield from (name for (name,) in self._index.execute("SELECT name FROM files"))

    def __contains__(self, name: str) -> bool:
        """Whether a file is one."""
        if self._index is None or not name.lower().endswith(SUFFIX):
            return False
        found = self._index.execute("SELECT 1 FROM files WHERE name = ?", (name,)).fetchone()
        return found is not None

    @property
    def documents(self) -> list[tuple[str, str]]:
        """The first that says something of an image, and what its format is called."""
        return [(self._first, labelme.SOURCE)] if self._first else []

    def read(self, metadata: Metadata) -> None:
        """Index what all of them say."""
        if self._index is None:
            return
        self._index.execute("CREATE INDEX by_stem ON files (stem)")
        known = "SELECT ?1, ?2 WHERE EXISTS (SELECT 1 FROM files WHERE stem = ?1)"
        for name, _ in self._files():
            if is_called_image(name):
                self._index.execute(f"INSERT INTO images {known}", (stem_of(name), name))
        self._index.execute("CREATE INDEX by_image ON images (stem)")
        self._index.execute("COMMIT")
        metadata.add_document("", self._rows(metadata), below=False)

    def close(self) -> None:
        """Close the index."""
        if self._index is not None:
            self._index.close()

    def _rows(self, metadata: Metadata) -> Iterator[Row]:
        for name, entry in self._files():
            if name not in self:
                continue
            file = self._open(entry)
            if isinstance(file, Refused):
                metadata.problem(name, file.reason)
                continue
            with file:
                found = self._read(file, name)
            if isinstance(found, Refused):
                metadata.problem(name, found.reason)
            elif found.fields is not None:
                self._first = self._first or name
                yield labelme.called(name, found.image, self._beside(name)), found.fields

    def _beside(self, name: str) -> list[str]:
        """The images in the folder of a file that are called like it."""
        assert self._index is not None
        rows = self._index.execute("SELECT path FROM images WHERE stem = ?", (stem_of(name),))
        return [path for (path,) in rows]
