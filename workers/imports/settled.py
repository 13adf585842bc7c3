"""From what a file draws to boxes in an image of known size, or why they are none. Pure.

A box that cannot be read costs its image the label, and never the box alone: with a box missing an
image would teach that there is nothing.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from pydantic import ValidationError

from core.tasks.box_conventions import (
    CONVENTIONS,
    Convention,
    Sides,
    Size,
    number_of,
    turned,
    without_crumbs,
)
from core.tasks.boxes import MOST_BOXES, Box, BoxesLabel, Given, bounded
from core.tasks.class_lookup import ClassLookup
from workers.imports.drawn import Drawn, Rectangle
from workers.imports.items import Refused

_ON_ITS_SIDE: Final = frozenset({5, 6, 7, 8})
# Sides of an image that was scaled are rounded to pixels.
_SAME_SHAPE: Final = 0.01
_TURNED: Final = "boxes of the pixels as stored were turned upright with their image"
_GUESSED: Final = "taken as left, top, width and height, as no bbox_format says otherwise"
# Of numbers that were rounded.
_BEYOND: Final = 1.0
_LONGEST_NUMBER: Final = 64
_ANY: Final = (1.0, 1.0)
_TOO_MUCH: Final = (
    "attributes of its last boxes are left aside, as those of one image are too long together"
)
_SCORED: Final = (
    "has a score: it is what a model predicts, and not a label. Import the file as predictions of "
    "that model, or leave the score out if somebody has looked at it"
)


class Upright(NamedTuple):
    """An image held upright.

    Attributes:
        width: Columns.
        height: Rows.
        orientation: By which EXIF says to turn what is stored, 1 to 8; ``None`` if that is not
            known here.
    """

    width: int
    height: int
    orientation: int | None = None


class Settled(NamedTuple):
    """A label, and what had to be decided for it."""

    label: BoxesLabel
    notes: tuple[str, ...]


class _Read(NamedTuple):
    box: Rectangle
    class_id: int
    values: list[float]


def settle(drawn: Drawn, classes: ClassLookup, image: Upright | None = None) -> Settled | Refused:
    """The label that a file means.

    Args:
        drawn: What it draws.
        classes: The project's.
        image: The image; without it, what would hold if it were as the file says.
    """
    convention = CONVENTIONS[drawn.convention]
    read = _read(drawn, convention, classes)
    if isinstance(read, Refused):
        return read
    size = _size_of(drawn, convention, image)
    if isinstance(size, Refused):
        return size
    stored, orientation = size
    upright = (stored[1], stored[0]) if orientation else stored
    is_known = image is not None or drawn.size is not None
    if drawn.guessed and is_known and _are_corners([one.values for one in read], stored):
        return Refused(
            f"{drawn.file}: its boxes reach beyond the image as left, top, width and height, and "
            "fit it as corners; say which they are in a column bbox_format: xywh or xyxy"
        )
    boxes: list[Box] = []
    for one in read:
        sides = convention.sides(one.values, stored)
        if not convention.is_same:
            left, top, width, height = map(without_crumbs, sides)
            sides = left, top, width, height
        if orientation:
            sides = turned(sides, stored, orientation)
        if is_known and _is_outside(sides, upright):
            return _wrong(
                drawn,
                one.box,
                f"lies outside the image of {upright[0]:g} × {upright[1]:g} pixels",
            )
        box = _box(one, sides, None if orientation else convention.name)
        if box is None:
            return _wrong(drawn, one.box, "is too large, too small or too far away to be a box")
        boxes.append(box)
    notes = list(drawn.notes)
    if boxes:
        notes += [_TURNED] if orientation else []
        notes += [_GUESSED] if drawn.guessed else []
    kept = bounded(boxes)
    notes += [_TOO_MUCH] if kept != tuple(boxes) else []
    return Settled(BoxesLabel(type="boxes", boxes=kept), tuple(notes))


def _read(drawn: Drawn, convention: Convention, classes: ClassLookup) -> list[_Read] | Refused:
    if len(drawn.boxes) > MOST_BOXES:
        return Refused(f"{drawn.file}: more than {MOST_BOXES:,} boxes on one image")
    found: list[_Read] = []
    for one in drawn.boxes:
        if one.score is not None:
            return _wrong(drawn, one, _SCORED)
        class_id = _class_of(one.class_name, classes)
        if isinstance(class_id, Refused):
            return _wrong(drawn, one, class_id.reason)
        values = [number_of(text) for text in one.values]
        read = zip(one.values, values, strict=True)
        bad = next((text for text, value in read if value is None), None)
        if bad is not None or len(values) != 4:
            return _wrong(drawn, one, f"has {(bad or 'nothing')[:20]!r} where a number should be")
        numbers = [value for value in values if value is not None]
        _, _, width, height = convention.sides(numbers, _ANY)
        if width <= 0 or height <= 0:
            return _wrong(drawn, one, _degenerate(width, height))
        found.append(_Read(one, class_id, numbers))
    return found


def _degenerate(width: float, height: float) -> str:
    side = "width" if width <= 0 else "height"
    if min(width, height) < 0:
        return f"ends before it begins: its {side} is less than 0"
    return f"has no {side}"


def _class_of(name: str, classes: ClassLookup) -> int | Refused:
    found = classes.get(name)
    if found is not None:
        return found
    rivals = classes.rivals(name)
    hint = f" (it may be any of {rivals})" if rivals else ""
    return Refused(
        f"is of {name[:100]!r}, which is not a class of the project{hint}; add it, and import again"
    )


def _size_of(
    drawn: Drawn, convention: Convention, image: Upright | None
) -> tuple[Size, int] | Refused:
    """The size that the file's numbers are of, and how they are to be turned; 0 if not at all."""
    stated = drawn.size
    if image is None:
        return stated or _ANY, 0
    size = float(image.width), float(image.height)
    if stated is None or _rounded(stated) == size:
        return size, 0
    on_its_side = size[1], size[0]
    if _rounded(stated) == on_its_side and image.orientation in _ON_ITS_SIDE:
        return on_its_side, image.orientation or 0
    said = f"{drawn.file} says that the image has {stated[0]:g} × {stated[1]:g} pixels"
    there = f"it has {image.width} × {image.height}"
    if _rounded(stated) == on_its_side and image.orientation is None:
        return Refused(
            f"{said}, and held upright {there}: send the image along, since only its file tells "
            "how it is turned"
        )
    first, second = stated[0] * size[1], stated[1] * size[0]
    if convention.is_relative and abs(first - second) <= _SAME_SHAPE * max(first, second):
        return size, 0
    return Refused(f"{said}, and {there}: what it draws may lie elsewhere")


def _rounded(size: Size) -> Size:
    return float(round(size[0])), float(round(size[1]))


def _are_corners(boxes: Sequence[Sequence[float]], size: Size) -> bool:
    """Whether numbers fit an image as corners alone."""
    right, lower = size[0] + _BEYOND, size[1] + _BEYOND
    fit = all(one[0] < one[2] <= right and one[1] < one[3] <= lower for one in boxes)
    reach = any(one[0] + one[2] > right or one[1] + one[3] > lower for one in boxes)
    return fit and reach


def _is_outside(sides: Sides, size: Size) -> bool:
    left, top, width, height = sides
    return left >= size[0] or top >= size[1] or left + width <= 0 or top + height <= 0


def _box(one: _Read, sides: Sides, convention: str | None) -> Box | None:
    """A box; its numbers go along if they are of ``convention`` and stood in the file."""
    left, top, width, height = sides
    given = None
    is_short = all(len(text) <= _LONGEST_NUMBER for text in one.box.values)
    if convention is not None and not one.box.is_made and is_short:
        given = tuple(text.strip() for text in one.box.values)
    try:
        return Box(
            class_id=one.class_id,
            x=left,
            y=top,
            w=width,
            h=height,
            origin="imported",
            given=None if given is None else Given(format=str(convention), values=given),
            attributes=one.box.attributes,
            **dict.fromkeys(one.box.flags, True),
        )
    except ValidationError:
        return None


def _wrong(drawn: Drawn, box: Rectangle, reason: str) -> Refused:
    return Refused(f"{drawn.file}: box {box.number} {reason}")
