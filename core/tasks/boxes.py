"""Boxes around things of the project's classes; none is an answer, too."""

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from math import fsum
from typing import Annotated, Any, Final, Literal, Self

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, model_validator

from core.tasks.box_attributes import FLAGS, MOST_CHARACTERS, NONE, Attributes, agreed, within_bound
from core.tasks.box_geometry import Classes, Corners, iou, matched
from core.tasks.spec import Label, TaskType, refused

MOST_BOXES: Final = 10_000
MOST_PROPOSALS: Final = 300
SAME_IOU: Final = 0.5
"""Two boxes of a class that overlap so much are the same box."""
FURTHEST: Final = 1e6
SMALLEST: Final = 1e-6

Origin = Literal["drawn", "kept", "adjusted", "imported"]
ClassId = Annotated[int, Field(ge=1, lt=2**63)]
Place = Annotated[float, Field(ge=-FURTHEST, le=FURTHEST, allow_inf_nan=False)]
Side = Annotated[float, Field(ge=SMALLEST, le=FURTHEST, allow_inf_nan=False)]
Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Given(_Frozen):
    """The numbers of a box letter by letter, as a file had them."""

    format: Annotated[str, Field(pattern=r"^[a-z0-9_]{1,32}$")]
    # Printable: they are numbers.
    values: Annotated[
        tuple[Annotated[str, Field(pattern=r"^[ -~]{0,64}$")], ...],
        Field(min_length=4, max_length=8),
    ]


def _are_none(attributes: Attributes) -> bool:
    """Whether labels are written without them, as all were once."""
    return not attributes


def _may_be_missing(schema: dict[str, Any]) -> None:
    """Say of a field no default, as whoever reads it may find none."""
    del schema["default"]


class Rectangle(_Frozen):
    """A rectangle of a class, in continuous pixels of the upright image: 0 is its left edge."""

    class_id: ClassId
    x: Place
    """Left."""
    y: Place
    """Top."""
    w: Side
    h: Side
    attributes: Annotated[
        Attributes, Field(exclude_if=_are_none, json_schema_extra=_may_be_missing)
    ] = NONE
    """What else a file said of it, which whoever changes it leaves as it is."""


class Box(Rectangle):
    """A box of an answer."""

    occluded: bool = False
    truncated: bool = False
    difficult: bool = False
    crowd: bool = False
    origin: Origin = "drawn"
    """`kept` is a proposal as it was, `adjusted` one that was moved or is of another class."""
    proposal: Annotated[int, Field(ge=0, lt=MOST_PROPOSALS)] | None = None
    """The place of that proposal among those of the query."""
    given: Given | None = None
    """As it came in; whoever moves the box drops it."""


class Proposal(Rectangle):
    """A box that a model proposes."""

    score: Annotated[float, Field(gt=0, le=1, allow_inf_nan=False)]
    """How sure it is."""


class BoxesLabel(Label):
    """Everything of the project's classes in an image; no box says that there is nothing."""

    type: Literal["boxes"]
    boxes: Annotated[tuple[Box, ...], Field(max_length=MOST_BOXES)]
    threshold: Share | None = None
    """The lowest score of the proposals shown: those of it or above that no box names are wrong."""

    @model_validator(mode="after")
    def _is_short(self) -> Self:
        if sum(box.attributes.characters for box in self.boxes if box.attributes) > MOST_CHARACTERS:
            raise ValueError(
                f"the attributes of all boxes have more than {MOST_CHARACTERS:,} characters "
                "together"
            )
        return self


def bounded(boxes: Iterable[Box]) -> tuple[Box, ...]:
    """Boxes of one image, the last ones without attributes where all would be too long."""
    found = tuple(boxes)
    kept = within_bound(box.attributes for box in found)
    return tuple(
        box if one is box.attributes else box.model_copy(update={"attributes": one})
        for box, one in zip(found, kept, strict=True)
    )


def corners_of(boxes: Sequence[Rectangle]) -> Corners:
    """(N, 4) left, top, right, bottom."""
    return np.array(
        [(one.x, one.y, one.x + one.w, one.y + one.h) for one in boxes], dtype=np.float64
    ).reshape(-1, 4)


def classes_of(boxes: Sequence[Rectangle]) -> Classes:
    """(N,) class ids."""
    return np.array([one.class_id for one in boxes], dtype=np.int64)


def matched_boxes(
    one: Sequence[Rectangle],
    other: Sequence[Rectangle],
    *,
    at_least: float = SAME_IOU,
    any_class: bool = False,
) -> list[tuple[int, int, float]]:
    """Which boxes of two lists are the same, as positions in both and their IoU.

    Args:
        one: Boxes.
        other: Boxes.
        at_least: The smallest IoU of a pair.
        any_class: Whether boxes of different classes are paired as well.
    """
    classes = None if any_class else (classes_of(one), classes_of(other))
    return matched(corners_of(one), corners_of(other), classes=classes, at_least=at_least)


def overlap(one: Rectangle, other: Rectangle) -> float:
    """IoU of two boxes, whatever their classes."""
    return float(iou(corners_of([one]), corners_of([other]))[0, 0])


def _place(one: Rectangle) -> tuple[int, float, float, float, float]:
    return one.class_id, one.x, one.y, one.w, one.h


class Boxes(TaskType[BoxesLabel]):
    """The boxes of an image; two people mean the same whose boxes are nearly all matched."""

    name = "boxes"
    label = BoxesLabel
    media = frozenset({"image"})
    fewest_classes = 1
    noun = "a list of boxes"
    lists_objects = True
    in_files = "rectangles"
    fit = "pad"
    alike = 0.2
    learner = "models.tasks.boxes.learner:LEARNER"

    def check(self, label: BoxesLabel, classes: Collection[int]) -> None:
        """Look whether the project has the class of each box."""
        for place, box in enumerate(label.boxes):
            if box.class_id not in classes:
                raise refused(
                    "unknown_class",
                    f"Box {place + 1} is of class {box.class_id}, which the project does not have.",
                )

    def check_size(self, label: BoxesLabel, width: int, height: int) -> None:
        """Look whether each box has a part inside the image; clipping is left to people."""
        for place, box in enumerate(label.boxes):
            is_beside = box.x >= width or box.y >= height
            if is_beside or box.x + box.w <= 0 or box.y + box.h <= 0:
                raise refused(
                    "outside_image",
                    f"Box {place + 1} lies entirely outside the image of {width} × {height} "
                    "pixels; leave it out.",
                )

    def distance(self, one: BoxesLabel, other: BoxesLabel) -> float:
        """1 − F1 of the boxes that are matched one to one within their class at IoU ≥ 0.5."""
        several = len(one.boxes) + len(other.boxes)
        if not several or one.boxes == other.boxes:
            return 0.0
        if not one.boxes or not other.boxes:
            return 1.0
        return (several - 2 * len(matched_boxes(one.boxes, other.boxes))) / several

    def agree(self, labels: Sequence[BoxesLabel]) -> BoxesLabel:
        """The mean of each box that half of the labels have, or more (weighted box fusion)."""
        if len(labels) == 1:
            return labels[0]
        groups: list[list[Box]] = []
        for label in labels:
            found = matched_boxes([_fused(group) for group in groups], label.boxes)
            of = {column: row for row, column, _ in found}
            fresh: list[list[Box]] = []
            for place, box in enumerate(label.boxes):
                (groups[of[place]] if place in of else _begun(fresh)).append(box)
            groups.extend(fresh)
        kept = [group for group in groups if 2 * len(group) >= len(labels)]
        if len(kept) > MOST_BOXES:
            # What fewest have goes first, and of equals what was said last.
            order = sorted(range(len(kept)), key=lambda place: -len(kept[place]))
            kept = [kept[place] for place in sorted(order[:MOST_BOXES])]
        boxes = bounded(map(_fused, kept))
        thresholds = {label.threshold for label in labels}
        threshold = thresholds.pop() if len(thresholds) == 1 else None
        return BoxesLabel(type="boxes", boxes=boxes, threshold=threshold)

    def class_of(self, label: BoxesLabel) -> None:  # noqa: ARG002  it names several
        """None."""
        return

    def classes_of(self, label: BoxesLabel) -> frozenset[int]:
        """Those of its boxes."""
        return frozenset(box.class_id for box in label.boxes)

    def read(self, text: str, classes: Mapping[str, int]) -> BoxesLabel | None:
        """The boxes of a JSON list of objects in names of classes, as ``write`` makes it."""
        try:
            rows = json.loads(text)
            boxes = tuple(_read(row, classes) for row in rows) if isinstance(rows, list) else None
            return None if boxes is None else BoxesLabel(type="boxes", boxes=boxes)
        except (ValueError, KeyError, TypeError, RecursionError):
            return None

    def why_not(self, text: str, classes: Mapping[str, int]) -> str | None:
        """Which box of a JSON list is none, or of no class."""
        try:
            rows = json.loads(text)
        except (ValueError, RecursionError):
            return None
        if not isinstance(rows, list):
            return None
        if len(rows) > MOST_BOXES:
            return f"it holds more than {MOST_BOXES:,} boxes"
        for place, row in enumerate(rows, 1):
            name = row.get("class") if isinstance(row, dict) else None
            if isinstance(name, str) and name not in classes:
                return (
                    f"box {place} is of {name[:100]!r}, which is not a class of the project; "
                    "add it, and import again"
                )
            if not _is_box(row, classes):
                return f"box {place} is none: it needs class, x, y, w and h"
        return None

    def write(self, label: BoxesLabel, classes: Mapping[int, str]) -> str | None:
        """A JSON list with class, x, y, w, h, origin, and what else is known of each box."""
        if any(box.class_id not in classes for box in label.boxes):
            return None
        rows = [
            {
                "class": classes[box.class_id],
                **{name: getattr(box, name) for name in ("x", "y", "w", "h")},
                **{name: True for name in FLAGS if getattr(box, name)},
                "origin": box.origin,
                **({"attributes": dict(box.attributes)} if box.attributes else {}),
                # So that the export of another program's format has its numbers again.
                **({"given": box.given.model_dump(mode="json")} if box.given else {}),
            }
            for box in label.boxes
        ]
        return json.dumps(rows, ensure_ascii=False)


def _read(row: Any, classes: Mapping[str, int]) -> Box:
    if not isinstance(row, dict) or row.keys() & {"class_id", "proposal"}:
        raise ValueError("a box is an object that names its class, and knows no queries")
    rest = {name: value for name, value in row.items() if name != "class"}
    return Box(**{"origin": "imported", **rest}, class_id=classes[row["class"]])


def _is_box(row: Any, classes: Mapping[str, int]) -> bool:
    try:
        _read(row, classes)
    except (ValueError, KeyError, TypeError):
        return False
    return True


def _begun(groups: list[list[Box]]) -> list[Box]:
    groups.append([])
    return groups[-1]


def _fused(group: Sequence[Box]) -> Box:
    """What boxes amount to that are one: their mean, and what most of them say of it."""
    first, places = group[0], {_place(box) for box in group}
    said: dict[str, Any] = {
        name: 2 * sum(getattr(box, name) for box in group) > len(group) for name in FLAGS
    }
    said["attributes"] = agreed([box.attributes for box in group])
    is_one = len(places) == 1 and len({(box.origin, box.proposal, box.given) for box in group}) == 1
    if is_one:
        return first.model_copy(update=said)
    sides = {"x": first.x, "y": first.y, "w": first.w, "h": first.h}
    if len(places) > 1:
        sides = _mean_sides(group)
    return Box(class_id=first.class_id, **sides, **said)


def _mean_sides(group: Sequence[Box]) -> dict[str, float]:
    """The mean of edges, so that equal edges stay where they are."""

    def mean(edge: Callable[[Box], float]) -> float:
        values = [edge(box) for box in group]
        return values[0] if len(set(values)) == 1 else fsum(values) / len(values)

    x, y = mean(lambda box: box.x), mean(lambda box: box.y)
    return {
        "x": x,
        "y": y,
        "w": max(mean(lambda box: box.x + box.w) - x, SMALLEST),
        "h": max(mean(lambda box: box.y + box.h) - y, SMALLEST),
    }


BOXES = Boxes()
