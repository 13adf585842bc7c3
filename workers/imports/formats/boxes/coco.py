"""COCO documents of boxes: all that the annotations of an image draw on it."""

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Final

from core.tasks.box_attributes import FLAGS, Attributes
from core.tasks.boxes import MOST_BOXES
from workers.imports.drawn import BOXES, PREDICTED, Drawn, Rectangle, stated_size
from workers.imports.formats.boxes.attributes import keep, without
from workers.imports.formats.boxes.shapes import (
    ENCLOSED,
    LEFT_ASIDE,
    OUTLINES,
    around,
    is_turned,
    number,
    pairs,
    texts,
    turned_by,
    vote,
)
from workers.imports.formats.coco import KEPT, SOURCE, UNDECIDED, CocoIndex, id_of
from workers.imports.formats.metadata import UNREAD, Problem
from workers.imports.items import Refused
from workers.imports.stated import is_stated
from workers.imports.values import is_yes

OOD: Final = "ood"
"""Member of our exports for images that show nothing of what is looked for, not even its kind."""
_SIZE: Final = ("width", "height")
_SAYING: Final = frozenset({"class", "label", "verdict"})
_MOST_FILES: Final = 3
# What an annotation says that is no attribute: where it is, of what, and joints of bodies.
_OTHERWISE: Final = frozenset({
    "id", "image_id", "category_id", "bbox", "segmentation", "area", "iscrowd", "score",
    "attributes", "keypoints", "num_keypoints",
})  # fmt: skip


class CocoBoxes(CocoIndex):
    """A document whose annotations are boxes.

    An image without annotations says nothing: others write images that nobody looked at. Those of
    our own exports state their verdicts.
    """

    _kept = KEPT | {*_SIZE}
    _without_label = (UNDECIDED, OOD)
    _models: tuple[str, ...] = ()
    is_key = False
    """Whether it only says what the numbers of results stand for."""

    def add_results(self, elements: Iterator[tuple[str | None, Any]], model: str) -> None:
        """Read a list of results, which counts images and categories as the document does.

        Args:
            elements: Of the list.
            model: What the model is called whose results they are.

        Raises:
            DomainError: ``invalid_archive`` from where it is no JSON any more.
        """
        if not self._models:
            self._index.execute("CREATE TABLE results (model TEXT, image TEXT, category, shape)")
        self._models = tuple(dict.fromkeys((*self._models, model)))
        self._index.execute("BEGIN")
        try:
            for _, one in elements:
                image = id_of(one.get("image_id")) if isinstance(one, dict) else None
                if image is not None:
                    row = (model, image, id_of(one.get("category_id")), self._shape(one))
                    self._index.execute("INSERT INTO results VALUES (?, ?, ?, ?)", row)
        finally:
            self._index.execute("COMMIT")
            self._index.execute("CREATE INDEX IF NOT EXISTS by_result ON results (image, model)")

    def problems(self) -> Iterator[Problem]:
        """What of the document, and of results, says nothing, and why."""
        yield from super().problems()
        if not self._models:
            return
        nowhere = self._index.execute(
            "SELECT DISTINCT model, image FROM results WHERE image NOT IN (SELECT id FROM images)"
        )
        for model, image in nowhere:
            yield Problem(f"{model}, image_id {image}", f"is not among the images of {self._name}")

    def _draws(self, annotation: dict[str, Any]) -> bool:
        """Whether it does: without its box the label of an image would not be whole."""
        return bool(annotation.get("bbox") or annotation.get("segmentation"))

    def _shape(self, annotation: dict[str, Any]) -> str | None:
        more = annotation.get("attributes")
        attributes: Mapping[str, Any] = more if isinstance(more, dict) else {}
        flags = [name for name in FLAGS if is_yes(attributes.get(name, annotation.get(name)))]
        if is_yes(annotation.get("iscrowd", 0)) and "crowd" not in flags:
            flags.append("crowd")
        box = annotation.get("bbox")
        outline = annotation.get("segmentation")
        shape: dict[str, Any] = {"flags": flags, "outlined": bool(outline)}
        angle = attributes.get("rotation", annotation.get("rotation"))
        kept = keep([*attributes.items(), *without(annotation, _OTHERWISE)])
        if kept.attributes:
            shape["attributes"] = kept.attributes
        if not kept.are_all:
            shape["left"] = True
        if annotation.get("score") is not None:
            shape["score"] = number(annotation["score"])
        if is_turned(angle):
            shape["wrong"] = turned_by(angle)
        elif isinstance(box, list) and len(box) == 4:
            shape["values"] = [number(one) for one in box]
        elif isinstance(box, list) and box:
            shape["wrong"] = f"has {len(box)} numbers where 4 should be"
        else:
            shape |= _outlined(outline)
        return json.dumps(shape)

    def _fields(self, image: str, kept: dict[str, Any]) -> dict[str, Any]:
        if is_stated(kept) and not self.is_key:
            return {**kept, **self._predicted(image, stated_size(*map(kept.get, _SIZE)))}
        size = stated_size(kept.pop("width", None), kept.pop("height", None))
        silent = {**kept, "class": None, "votes": [], **self._predicted(image, size)}
        if self.is_key:
            return {name: one for name, one in silent.items() if name not in _SAYING}
        found = self._index.execute(
            "SELECT category, shape FROM labels WHERE image = ? ORDER BY rowid LIMIT ?",
            (image, MOST_BOXES + 1),
        ).fetchall()
        if not found:
            return silent
        files = self._index.execute(
            "SELECT DISTINCT file FROM images WHERE id = ? LIMIT ?", (image, _MOST_FILES)
        ).fetchall()
        if len(files) > 1:
            shown = ", ".join(file for (file,) in files)[:100]
            return {**silent, UNREAD: [f"image id {image} stands for several files ({shown})"]}
        drawn = self._drawn(found, size)
        if isinstance(drawn, Refused):
            return {**silent, UNREAD: [drawn.reason]}
        return {**silent, BOXES: [vote(drawn, SOURCE)]}

    def _predicted(self, image: str, size: tuple[float, float] | None) -> dict[str, Any]:
        """What results say of an image, or why that is not read."""
        predicted: list[dict[str, Any]] = []
        for model in self._models:
            rows = self._index.execute(
                "SELECT category, shape FROM results WHERE image = ? AND model = ? "
                "ORDER BY rowid LIMIT ?",
                (image, model, MOST_BOXES + 1),
            ).fetchall()
            drawn = self._drawn(rows, size)
            if isinstance(drawn, Refused):
                predicted.append({"model": model, "refused": drawn.reason})
            elif rows:
                predicted.append({"model": model, **drawn.to_json()})
        return {PREDICTED: predicted} if predicted else {}

    def _drawn(
        self, found: Sequence[tuple[str | None, str]], size: tuple[float, float] | None
    ) -> Drawn | Refused:
        boxes: list[Rectangle] = []
        notes: dict[str, None] = {}
        for place, (category, stored) in enumerate(found, 1):
            shape: dict[str, Any] = json.loads(stored)
            names = self._names.get(category or "", [])
            if category is None:
                reason = "has no category_id"
            elif not names:
                reason = f"is of category {category}, which the document does not have"
            elif len(names) > 1:
                shown = ", ".join(names)[:100]
                reason = f"is of category {category}, which has several names ({shown})"
            else:
                reason = shape.get("wrong", "")
            if reason:
                return Refused(f"{self._name}: box {place} {reason}")
            if shape.get("made"):
                notes[ENCLOSED] = None
            elif shape["outlined"]:
                notes[OUTLINES] = None
            if shape.get("left"):
                notes[LEFT_ASIDE] = None
            boxes.append(
                Rectangle(
                    place,
                    names[0],
                    tuple(shape["values"]),
                    tuple(shape["flags"]),
                    is_made=bool(shape.get("made")),
                    score=shape.get("score"),
                    attributes=Attributes(shape.get("attributes", {})),
                )
            )
        return Drawn(self._name, "coco", tuple(boxes), size, tuple(notes))

    @cached_property
    def _names(self) -> dict[str, list[str]]:
        names: dict[str, list[str]] = {}
        rows: Iterator[tuple[str, str]] = self._index.execute(
            "SELECT DISTINCT id, name FROM categories ORDER BY rowid"
        )
        for id_, name in rows:
            names.setdefault(id_, []).append(name)
        return names


def _outlined(outline: object) -> dict[str, Any]:
    """The box around an outline of polygons, where an annotation has no box of its own."""
    if isinstance(outline, dict):
        return {"wrong": "is a mask without a bbox, and masks are not read"}
    if not isinstance(outline, list) or not outline:
        return {"wrong": "has no bbox"}
    try:
        points = [point for part in outline for point in pairs(part)]
        box = around(points)
    except (OverflowError, TypeError, ValueError):
        box = None
    if box is None:
        return {"wrong": "has no bbox, and its outline encloses nothing"}
    left, top, right, bottom = box
    return {"values": texts((left, top, right - left, bottom - top)), "made": True}
