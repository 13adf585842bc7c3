"""Boxes in Parquet as Hugging Face's data sets have them: a column ``objects``."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import pyarrow as pa

from workers.imports.drawn import Drawn, Rectangle, stated_size
from workers.imports.formats.boxes.attributes import keep
from workers.imports.formats.boxes.shapes import LEFT_ASIDE, number
from workers.imports.formats.declared import declared_names
from workers.imports.items import Refused, Said, printable
from workers.imports.values import is_yes

SOURCE: Final = "Parquet"
"""Source of what names nobody."""
COLUMN: Final = "objects"
FORMAT: Final = "bbox_format"
"""Column, or entry of the schema's metadata, that says what the four numbers are."""
_FORMATS: Final[Mapping[str, str]] = {
    "coco": "coco", "xywh": "coco", "xyxy": "cvat", "corners": "cvat", "pascal_voc": "cvat",
    "voc": "voc", "yolo": "yolo", "cxcywh": "yolo", "label_studio": "label_studio",
}  # fmt: skip
_BOXES: Final = ("bbox", "bboxes", "boxes", "box")
_CLASSES: Final = ("category", "categories", "category_id", "class", "label", "labels", "name")
_FLAGS: Final = {
    "occluded": "occluded", "truncated": "truncated", "difficult": "difficult", "crowd": "crowd",
    "iscrowd": "crowd", "is_crowd": "crowd",
}  # fmt: skip
_SCORES: Final = ("score", "scores", "confidence", "probability")
_ATTRIBUTES: Final = "attributes"
"""Field that holds what else is said of each box: an object, or one as JSON."""
# Fields that say nothing that a box has not by itself.
_OF_THE_FILE: Final = frozenset({"id", "bbox_id", "image_id", "area", "segmentation"})
_WRAPPING: Final = frozenset({"list", "element", "item", "array"})


@dataclass(frozen=True, slots=True)
class Objects:
    """Where the boxes of a file are.

    Attributes:
        boxes: Field of ``objects`` that holds the numbers.
        classes: Field that holds what the boxes are around.
        flags: Fields that are flags.
        others: Fields that are attributes.
        score: Field that holds how sure a model is of each, if there is one.
        names: What numbers of classes stand for, if the file declares it.
        format: What the numbers are, if the file says it for all rows.
        columns: Columns that say something of boxes for each row.
    """

    boxes: str
    classes: str
    flags: tuple[str, ...]
    others: tuple[str, ...]
    score: str | None
    names: tuple[str, ...]
    format: str | None
    columns: tuple[str, ...]

    @property
    def fields(self) -> list[str]:
        """Those of ``objects`` that are read."""
        found = (self.boxes, self.classes, *self.flags, *self.others, self.score)
        return [one for one in found if one is not None]

    def leaves(self, every: Iterable[str]) -> list[str]:
        """Those of a file's leaves that are read."""
        parts = {*self.fields}
        return [one for one in every if _part(one) in parts or one in self.columns]


def _part(leaf: str) -> str | None:
    column, *rest = leaf.split(".")
    inner = [one for one in rest if one not in _WRAPPING]
    return inner[0] if column == COLUMN and inner else None


def find(schema: pa.Schema) -> Objects | None:
    """Where boxes are; ``None`` if the file has no such column."""
    if COLUMN not in schema.names:
        return None
    kind = schema.field(COLUMN).type
    kind = kind.value_type if pa.types.is_list(kind) or pa.types.is_large_list(kind) else kind
    if not pa.types.is_struct(kind):
        return None
    fields = [field.name for field in kind]
    boxes = next((one for one in _BOXES if one in fields), None)
    classes = next((one for one in _CLASSES if one in fields), None)
    if boxes is None or classes is None:
        return None
    stated = (schema.metadata or {}).get(FORMAT.encode())
    score = next((one for one in _SCORES if one in fields), None)
    known = {*_BOXES, *_CLASSES, *_FLAGS, score, *_OF_THE_FILE} - {"name"} | {classes}
    return Objects(
        boxes,
        classes,
        tuple(one for one in fields if one in _FLAGS),
        tuple(one for one in fields if one not in known),
        score,
        declared_names(schema, COLUMN, classes),
        None if stated is None else stated.decode(errors="replace"),
        tuple(one for one in (FORMAT, "width", "height") if one in schema.names),
    )


def said(row: Mapping[str, Any], objects: Objects, place: str) -> tuple[Said, ...] | Refused:
    """What a row draws on its image: an empty list says that there is nothing, null says nothing.

    Args:
        row: Its cells.
        objects: Where boxes are.
        place: What the row is called.
    """
    found = row.get(COLUMN)
    if found is None:
        return ()
    stated = row.get(FORMAT) or objects.format
    convention = _FORMATS.get(str(stated or "coco").strip().lower())
    if convention is None:
        known = ", ".join(_FORMATS)
        return Refused(f"{place}: {FORMAT} says {str(stated)[:50]!r}, which is none of {known}")
    if isinstance(found, list):
        rows = [one for one in found if isinstance(one, dict)]
        found = {name: [one.get(name) for one in rows] for name in objects.fields}
    boxes, classes = found.get(objects.boxes), found.get(objects.classes)
    if boxes is None:
        return ()
    if not isinstance(boxes, list) or not isinstance(classes, list | None):
        named = f"{objects.boxes} and {objects.classes}"
        return Refused(f"{place}: {named} must be lists, with one entry for each box")
    if len(boxes) != len(classes or ()):
        return Refused(f"{place}: {len(boxes)} boxes, and {len(classes or ())} classes of them")
    flagged = {
        name: flags if isinstance(flags := found.get(name), list) else () for name in objects.flags
    }
    others = {name: held for name in objects.others if isinstance(held := found.get(name), list)}
    scores = found.get(objects.score) if objects.score else None
    notes: dict[str, None] = {}
    rectangles: list[Rectangle] = []
    for at, (box, class_) in enumerate(zip(boxes, classes or (), strict=True)):
        name = _name(class_, objects.names)
        if isinstance(name, Refused) or not isinstance(box, list) or len(box) != 4:
            reason = name.reason if isinstance(name, Refused) else _not_four(box)
            return Refused(f"{place}: box {at + 1} {reason}")
        flags = dict.fromkeys(_FLAGS[one] for one, set_ in flagged.items() if _is_set(set_, at))
        score = scores[at] if isinstance(scores, list) and at < len(scores) else None
        kept = keep(_said(others, at))
        if not kept.are_all:
            notes[LEFT_ASIDE] = None
        rectangles.append(
            Rectangle(
                at + 1,
                name,
                tuple(map(number, box)),
                tuple(flags),
                score=None if score is None else number(score),
                attributes=kept.attributes,
            )
        )
    drawn = Drawn(
        place,
        convention,
        tuple(rectangles),
        stated_size(row.get("width"), row.get("height")),
        tuple(notes),
        guessed=stated is None,
    )
    return (Said(SOURCE, None, drawn=drawn),)


def _said(others: Mapping[str, Sequence[object]], place: int) -> Iterator[tuple[object, object]]:
    """What columns say of one box; those of our exports are objects as JSON."""
    for name, held in others.items():
        value = held[place] if place < len(held) else None
        if name == _ATTRIBUTES and isinstance(value, str):
            try:
                read = json.loads(value)
            except (RecursionError, ValueError):
                read = value
            value = read if isinstance(read, dict) else value
        if name == _ATTRIBUTES and isinstance(value, Mapping):
            yield from value.items()
        else:
            yield name, value


def _not_four(box: object) -> str:
    return f"has {len(box) if isinstance(box, list) else 'no'} numbers where 4 should be"


def _is_set(flags: Sequence[object], place: int) -> bool:
    return place < len(flags) and is_yes(flags[place])


def _name(value: object, names: Sequence[str]) -> str | Refused:
    if isinstance(value, str):
        return printable(value)
    if not isinstance(value, int) or isinstance(value, bool):
        return Refused("has no class")
    if not names:
        return Refused(
            f"is of class {value}, and the file declares no names for such numbers: write names, "
            "or the features of Hugging Face's datasets"
        )
    if not 0 <= value < len(names):
        return Refused(f"is of class {value}, which is not one of the {len(names)} declared")
    return names[value]
