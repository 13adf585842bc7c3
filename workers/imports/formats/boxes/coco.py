"""COCO documents of boxes: all that the annotations of an image draw on it."""

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Final

from core.tasks.boxes import FLAGS, MOST_BOXES
from workers.imports.drawn import BOXES, Drawn, Rectangle, stated_size
from workers.imports.formats.boxes.shapes import (
    ENCLOSED,
    OUTLINES,
    around,
    is_turned,
    number,
    pairs,
    texts,
    turned_by,
    vote,
)
from workers.imports.formats.coco import KEPT, SOURCE, UNDECIDED, CocoIndex
from workers.imports.formats.metadata import SCORED, UNREAD
from workers.imports.items import Refused
from workers.imports.stated import is_stated
from workers.imports.values import is_yes

OOD: Final = "ood"
"""Member of our exports for images that show nothing of what is looked for, not even its kind."""
_SIZE: Final = ("width", "height")
_MOST_FILES: Final = 3


class CocoBoxes(CocoIndex):
    """A document whose annotations are boxes.

    An image without annotations says nothing: others write images that nobody looked at. Those of
    our own exports state their verdicts.
    """

    _kept = KEPT | {*_SIZE}
    _without_label = (UNDECIDED, OOD)

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
        if annotation.get("score") is not None:
            shape["wrong"] = SCORED
        elif is_turned(angle):
            shape["wrong"] = turned_by(angle)
        elif isinstance(box, list) and len(box) == 4:
            shape["values"] = [number(one) for one in box]
        elif isinstance(box, list) and box:
            shape["wrong"] = f"has {len(box)} numbers where 4 should be"
        else:
            shape |= _outlined(outline)
        return json.dumps(shape)

    def _fields(self, image: str, kept: dict[str, Any]) -> dict[str, Any]:
        if is_stated(kept):
            return kept
        size = stated_size(kept.pop("width", None), kept.pop("height", None))
        silent = {**kept, "class": None, "votes": []}
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
            boxes.append(
                Rectangle(
                    place,
                    names[0],
                    tuple(shape["values"]),
                    tuple(shape["flags"]),
                    is_made=bool(shape.get("made")),
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
