"""COCO documents: of each image the one category that its annotations name."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from workers.imports.formats import label_studio
from workers.imports.formats.metadata import SCORED, UNREAD, Problem
from workers.imports.items import plain_path, printable
from workers.imports.matching import Called
from workers.imports.scratch_index import scratch_index
from workers.imports.stated import SOURCE as SAID_BY
from workers.imports.stated import is_stated
from workers.imports.values import whole_number

SOURCE: Final = "COCO"
"""Source of what names nobody."""
UNDECIDED: Final = "undecided"
"""Member of our exports for images that are neither labeled nor OOD."""
KEPT: Final = frozenset({
    "name", "sha256", "split", "class", "label", "verdict", "votes", "meta", SAID_BY,
})  # fmt: skip
_SHOWN: Final = 3


class CocoIndex:
    """The three tables of a document, joined on disk: their order and number are not known."""

    _kept = KEPT
    _without_label: tuple[str, ...] = (UNDECIDED,)

    def __init__(self, path: Path, name: str) -> None:
        """Start anew at ``path``, for the document ``name``."""
        self._name = printable(name)
        self._index = scratch_index(path)
        self._index.execute(
            "CREATE TABLE images (seq INTEGER PRIMARY KEY, id TEXT, file TEXT, fields TEXT)"
        )
        self._index.execute("CREATE TABLE categories (id TEXT, name TEXT)")
        self._index.execute("CREATE TABLE labels (image TEXT, category TEXT, shape TEXT)")
        self._index.execute("CREATE TABLE problems (name TEXT, reason TEXT)")
        self._without_category = 0
        self.names_keypoints = False
        """Whether it is about the joints of bodies."""
        self._is_label_studios = False

    def add(self, elements: Iterator[tuple[str | None, Any]]) -> None:
        """Read the elements of a document; what cannot be used of them becomes a problem.

        Raises:
            DomainError: ``invalid_archive`` from where it is no JSON any more.
        """
        self._index.execute("BEGIN")
        numbers: dict[str, int] = {}
        for key, one in elements:
            if key == "info" and isinstance(one, dict):
                self._is_label_studios = one.get("contributor") == label_studio.SOURCE
            if key not in ("images", *self._without_label, "categories", "annotations"):
                continue
            number = numbers[key] = numbers.get(key, -1) + 1
            reason = self._add(key, one)
            if reason:
                entry = f"{self._name}, entry {number} of {key}"
                self._index.execute("INSERT INTO problems VALUES (?, ?)", (entry, reason))
        if not self.has_categories:
            # That is how the document is, and no fault of an image.
            self._without_category += self._index.execute("DELETE FROM labels").rowcount
        self._index.execute("COMMIT")
        self._index.execute("CREATE INDEX by_id ON images (id)")
        self._index.execute("CREATE INDEX by_image ON labels (image)")
        self._index.execute("CREATE INDEX by_category ON categories (id)")

    def _add(self, key: str, one: object) -> str | None:
        """Note an entry; why it cannot be used, if it cannot."""
        if not isinstance(one, dict):
            return "is not an object"
        if key in ("images", *self._without_label):
            id_, file = id_of(one.get("id")), one.get("file_name")
            path = plain_path(file).lstrip("/") if isinstance(file, str) else ""
            if id_ is None or not path:
                return f"has no {'id' if id_ is None else 'file_name'}"
            fields = {name: value for name, value in one.items() if name in self._kept}
            row = (id_, path, json.dumps(fields, allow_nan=False))
            self._index.execute("INSERT INTO images (id, file, fields) VALUES (?, ?, ?)", row)
            return None
        if key == "categories":
            id_, name = id_of(one.get("id")), one.get("name")
            self.names_keypoints |= "keypoints" in one
            if id_ is None or not isinstance(name, str) or not name.strip():
                return f"has no {'id' if id_ is None else 'name'}"
            self._index.execute("INSERT INTO categories VALUES (?, ?)", (id_, printable(name)))
            return None
        image, category = id_of(one.get("image_id")), id_of(one.get("category_id"))
        self.names_keypoints |= "keypoints" in one
        if image is None:
            return "has no image_id"
        if category is None and not self._draws(one):
            self._without_category += 1
            return None
        self._index.execute(
            "INSERT INTO labels VALUES (?, ?, ?)", (image, category, self._shape(one))
        )
        return None

    def _draws(self, annotation: dict[str, Any]) -> bool:  # noqa: ARG002
        """Whether an annotation counts without a category: never, for classes."""
        return False

    def _shape(self, annotation: dict[str, Any]) -> str | None:
        """What is kept of where in the image an annotation is: for classes why it is no label."""
        return None if annotation.get("score") is None else f"an annotation {SCORED}"

    @property
    def has_categories(self) -> bool:
        """Whether any annotation names one."""
        found = self._index.execute("SELECT 1 FROM labels WHERE category IS NOT NULL LIMIT 1")
        return found.fetchone() is not None

    @property
    def class_names(self) -> list[str]:
        """Names of the categories, by their numbers; as they come if any id is none."""
        rows = self._index.execute("SELECT id, name FROM categories ORDER BY rowid").fetchall()
        numbers = {id_: whole_number(id_) for id_, _ in rows}
        if None not in numbers.values():
            rows.sort(key=lambda row: numbers[row[0]] or 0)
        return [name for _, name in rows]

    def rows(self) -> Iterator[tuple[Sequence[Called], dict[str, Any]]]:
        """The path of each image, and fields (of ``stated``, and why a label is not taken)."""
        images = self._index.execute("SELECT id, file, fields FROM images ORDER BY seq")
        for image, path, stored in images:
            names = [Called(path)]
            if self._is_label_studios:
                names += label_studio.names_before_upload(path)
            yield names, self._fields(image, json.loads(stored))

    def problems(self) -> Iterator[Problem]:
        """What of the document says nothing, and why."""
        for row in self._index.execute("SELECT name, reason FROM problems ORDER BY rowid"):
            yield Problem(*row)
        if self._without_category:
            reason = (
                "annotations without a category_id, as those of captions and panoptic ones are, "
                f"are left aside: {self._without_category:,}"
            )
            yield Problem(self._name, reason)
        nowhere = self._index.execute(
            "SELECT DISTINCT image FROM labels WHERE image NOT IN (SELECT id FROM images)"
        )
        for (image,) in nowhere:
            yield Problem(f"{self._name}, image_id {image}", "is annotated, but not among images")

    def close(self) -> None:
        """Close the index."""
        self._index.close()

    def _fields(self, image: str, kept: dict[str, Any]) -> dict[str, Any]:
        if is_stated(kept):
            return kept
        files = self._index.execute(
            "SELECT DISTINCT file FROM images WHERE id = ? LIMIT ?", (image, _SHOWN)
        ).fetchall()
        categories = self._index.execute(
            "SELECT DISTINCT l.category, c.name FROM labels l "
            "LEFT JOIN categories c ON c.id = l.category WHERE l.image = ? ORDER BY 1, 2 LIMIT 9",
            (image,),
        ).fetchall()
        if not categories:
            return {**kept, "class": None, "votes": []}
        (wrong,) = self._index.execute(
            "SELECT max(shape) FROM labels WHERE image = ?", (image,)
        ).fetchone()
        reason = wrong or _unread(image, [file for (file,) in files], categories)
        if reason:
            return {**kept, "class": None, "votes": [], UNREAD: [reason]}
        label = categories[0][1]
        return {**kept, "class": label, "votes": [{"annotator": SOURCE, "class": label}]}


def _unread(
    image: str, files: Sequence[str], categories: Sequence[tuple[str, str | None]]
) -> str | None:
    """Why the categories of an image are no label; ``None`` if they are one."""
    if len(files) > 1:
        return f"image id {image} stands for several files ({', '.join(files)[:100]})"
    unknown = [id_ for id_, name in categories if name is None]
    if unknown:
        return f"category {unknown[0]} is not among the categories of the document"
    names = dict.fromkeys(name for _, name in categories if name is not None)
    ids = {id_ for id_, _ in categories}
    if len(names) == 1:
        return None
    shown = ", ".join(names)[:100]
    if len(ids) == 1:
        return f"category {min(ids)} has several names ({shown})"
    return f"annotations of several categories ({shown}); an image has one class"


def id_of(value: object) -> str | None:
    """An id as it is compared: a number is one however it is written."""
    if isinstance(value, bool):
        return None
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, str | int) and value != "":
        return printable(str(value))
    return None
