"""COCO documents: of each image the one category that its annotations name."""

import json
import sqlite3
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from workers.imports.items import invalid_archive, printable
from workers.imports.metadata import REFUSED, plain_path
from workers.imports.stated import is_stated

SOURCE: Final = "COCO"
"""Source of what names nobody."""
UNDECIDED: Final = "undecided"
"""Member of our exports for images that are neither labeled nor OOD."""
_KEPT: Final = frozenset({"name", "sha256", "split", "class", "label", "verdict", "votes", "meta"})


class CocoIndex:
    """The three tables of a document, joined on disk: their order and number are not known."""

    def __init__(self, path: Path, name: str) -> None:
        """Start anew at ``path``, for the document ``name``."""
        path.unlink(missing_ok=True)
        self._name = name
        self._index = sqlite3.connect(path, isolation_level=None)
        self._index.execute("PRAGMA journal_mode = OFF")
        self._index.execute("PRAGMA synchronous = OFF")
        self._index.execute("CREATE TABLE images (seq INTEGER PRIMARY KEY, id TEXT, fields TEXT)")
        self._index.execute("CREATE TABLE categories (id TEXT, name TEXT)")
        self._index.execute("CREATE TABLE labels (image TEXT, category TEXT)")

    def add(self, elements: Iterator[tuple[str | None, Any]]) -> None:
        """Read the elements of a document.

        Raises:
            DomainError: ``invalid_archive`` where one lacks what it needs.
        """
        self._index.execute("BEGIN")
        for key, one in elements:
            if key in ("images", UNDECIDED):
                row = (
                    self._need(one, "id", key),
                    json.dumps({**one, "file_name": self._file(one)}),
                )
                self._index.execute("INSERT INTO images (id, fields) VALUES (?, ?)", row)
            elif key == "categories":
                row = (self._need(one, "id", key), self._need(one, "name", key))
                self._index.execute("INSERT INTO categories VALUES (?, ?)", row)
            elif key == "annotations":
                row = (self._need(one, "image_id", key), self._need(one, "category_id", key))
                self._index.execute("INSERT INTO labels VALUES (?, ?)", row)
        self._index.execute("COMMIT")
        self._index.execute("CREATE INDEX by_image ON labels (image)")
        self._index.execute("CREATE INDEX by_category ON categories (id)")

    def rows(self) -> Iterator[tuple[str, str | None, dict[str, Any]]]:
        """Path, no other name, and fields (of ``stated``, or why it is refused) of each image."""
        for image, stored in self._index.execute("SELECT id, fields FROM images ORDER BY seq"):
            fields = json.loads(stored)
            path = fields.pop("file_name")
            yield path, None, self._fields(image, fields)

    def close(self) -> None:
        """Close the index."""
        self._index.close()

    def _fields(self, image: str, fields: Mapping[str, Any]) -> dict[str, Any]:
        kept = {key: value for key, value in fields.items() if key in _KEPT}
        if is_stated(kept):
            return kept
        names = self._index.execute(
            "SELECT DISTINCT coalesce(c.name, l.category) FROM labels l "
            "LEFT JOIN categories c ON c.id = l.category WHERE l.image = ? LIMIT 3",
            (image,),
        ).fetchall()
        if len(names) > 1:
            shown = ", ".join(name for (name,) in names)[:100]
            return {REFUSED: f"annotations of several categories ({shown}); an image has one class"}
        label = names[0][0] if names else None
        votes = [{"annotator": SOURCE, "class": label}] if names else []
        return {**kept, "class": label, "votes": votes}

    def _file(self, image: Mapping[str, Any]) -> str:
        named = {"file_name": plain_path(self._need(image, "file_name", "images")).lstrip("/")}
        return self._need(named, "file_name", "images")

    def _need(self, one: object, field: str, key: str) -> str:
        value = one.get(field) if isinstance(one, dict) else None
        if not isinstance(value, str | int) or value == "":
            raise invalid_archive(
                f"{printable(self._name)}: an entry of {key} has no {field}. It must be as COCO's "
                "are, with images, annotations and categories."
            )
        return printable(str(value))
