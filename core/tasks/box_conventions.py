"""How file formats write the sides of a box, and back, without losing a digit. Pure.

A box of ours is left, top, width and height in continuous pixels of the upright picture: 0 is the
left edge of the first pixel, and the image's width the right edge of its last.
"""

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from core.tasks.boxes import Box, Given

Sides = tuple[float, float, float, float]
"""Left, top, width and height."""
Size = tuple[float, float]
"""Width and height of an image."""

_NUMBER: Final = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_JSON_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_NEAR: Final = 1e-6
"""So far, relative to the image, a box may lie from what it came as and still be the same."""
# A millionth of a millionth of an image's side: far below what a pixel or a share can mean.
_DECIMALS: Final = 12
_EXACT: Final = 2.0**53
# By EXIF orientation that lays an image on its side: left, top, width and height of a box in the
# upright picture, from those among the stored pixels and the stored size.
_TURNS: Final[dict[int, Callable[[Sides, Size], Sides]]] = {
    5: lambda box, _: (box[1], box[0], box[3], box[2]),
    6: lambda box, size: (size[1] - box[1] - box[3], box[0], box[3], box[2]),
    7: lambda box, size: (size[1] - box[1] - box[3], size[0] - box[0] - box[2], box[3], box[2]),
    8: lambda box, size: (box[1], size[0] - box[0] - box[2], box[3], box[2]),
}


@dataclass(frozen=True, slots=True)
class Convention:
    """What the four numbers of a format mean.

    Attributes:
        name: What ``Given.format`` calls it.
        sides: Our sides, of its numbers and the size of the image.
        numbers: Its numbers, of our sides and the size.
        is_relative: Whether numbers are shares of the image, so that only its shape matters.
        is_same: Whether its numbers are our sides, so that nothing is worked out.
    """

    name: str
    sides: Callable[[Sequence[float], Size], Sides]
    numbers: Callable[[Sides, Size], Sides]
    is_relative: bool = False
    is_same: bool = False


def _same(values: Sequence[float], _: Size) -> Sides:
    left, top, width, height = values
    return left, top, width, height


def _of_corners(values: Sequence[float], _: Size) -> Sides:
    left, top, right, bottom = values
    return left, top, right - left, bottom - top


def _corners(box: Sides, _: Size) -> Sides:
    return box[0], box[1], box[0] + box[2], box[1] + box[3]


def _of_pixels(values: Sequence[float], _: Size) -> Sides:
    first, top, last, bottom = values
    return first - 1, top - 1, last - first + 1, bottom - top + 1


def _pixels(box: Sides, _: Size) -> Sides:
    """No side less than a pixel: its first would be written after its last."""
    left, top, width, height = box
    return left + 1, top + 1, left + max(width, 1.0), top + max(height, 1.0)


def _of_percent(values: Sequence[float], size: Size) -> Sides:
    left, top, width, height = values
    return (
        left * size[0] / 100,
        top * size[1] / 100,
        width * size[0] / 100,
        height * size[1] / 100,
    )


def _percent(box: Sides, size: Size) -> Sides:
    return (
        100 * box[0] / size[0],
        100 * box[1] / size[1],
        100 * box[2] / size[0],
        100 * box[3] / size[1],
    )


def _of_centre(values: Sequence[float], size: Size) -> Sides:
    across, down, width, height = values
    return (
        (across - width / 2) * size[0],
        (down - height / 2) * size[1],
        width * size[0],
        height * size[1],
    )


def _centre(box: Sides, size: Size) -> Sides:
    """Cut at the border first: readers of YOLO's files refuse an image with a number beyond it."""
    left, right = (min(max(edge, 0.0), size[0]) for edge in (box[0], box[0] + box[2]))
    top, bottom = (min(max(edge, 0.0), size[1]) for edge in (box[1], box[1] + box[3]))
    return (
        (left + right) / 2 / size[0],
        (top + bottom) / 2 / size[1],
        (right - left) / size[0],
        (bottom - top) / size[1],
    )


COCO: Final = Convention("coco", _same, lambda box, _: box, is_same=True)
"""Left, top, width, height in pixels."""
VOC: Final = Convention("voc", _of_pixels, _pixels)
"""First and last column and row of pixels, counted from 1, both within the box."""
YOLO: Final = Convention("yolo", _of_centre, _centre, is_relative=True)
"""Middle, width and height as shares of the image's."""
LABEL_STUDIO: Final = Convention("label_studio", _of_percent, _percent, is_relative=True)
"""Left, top, width and height in percent of the image's."""
CVAT: Final = Convention("cvat", _of_corners, _corners)
"""Left, top, right and bottom edge in pixels."""
CONVENTIONS: Final = {one.name: one for one in (COCO, VOC, YOLO, LABEL_STUDIO, CVAT)}


def number_of(text: str) -> float | None:
    """The number that a file writes; ``None`` for what is none, or not finite."""
    if not _NUMBER.fullmatch(text.strip()):
        return None
    value = float(text)
    return value if math.isfinite(value) else None


def turned(box: Sides, stored: Size, orientation: int) -> Sides:
    """A box among the stored pixels of an image, in the picture held upright.

    Args:
        box: Its sides there.
        stored: Width and height of the image as stored.
        orientation: EXIF's, 5 to 8: those that lay the image on its side.
    """
    return _TURNS[orientation](box, stored)


def written(box: Box, convention: Convention, size: Size, *, is_json: bool = False) -> list[str]:
    """The numbers of a box as a file of a format has them.

    Those that it came with in the same format, letter by letter, as long as they still say where it
    is; else the shortest that are read as the same number.

    Args:
        box: What is written.
        convention: Of the format.
        size: Of the upright picture.
        is_json: Whether only what JSON takes for a number will do.
    """
    given = box.given
    if given is not None and _holds(given, box, convention, size, is_json=is_json):
        return [one.strip() for one in given.values[:4]]
    numbers = convention.numbers((box.x, box.y, box.w, box.h), size)
    if convention.is_same:
        return [shortest(one) for one in numbers]
    return [shortest(without_crumbs(one)) for one in numbers]


def without_crumbs(value: float) -> float:
    """A number without what arithmetic has left at its end: 0.3 in place of 0.30000000000000004."""
    return round(value, _DECIMALS)


def shortest(value: float) -> str:
    """The shortest number that is read as ``value``."""
    return str(int(value)) if value.is_integer() and abs(value) < _EXACT else repr(float(value))


def _holds(given: Given, box: Box, convention: Convention, size: Size, *, is_json: bool) -> bool:
    """Whether numbers that came are of this format, are numbers, and still mean this box."""
    texts = [one.strip() for one in given.values]
    if given.format != convention.name or len(texts) != 4:
        return False
    if is_json and not all(map(_JSON_NUMBER.fullmatch, texts)):
        return False
    values = [value for text in texts if (value := number_of(text)) is not None]
    if len(values) != 4:
        return False
    far = _NEAR * max(size)
    sides = zip(convention.sides(values, size), (box.x, box.y, box.w, box.h), strict=True)
    return all(abs(one - other) <= far for one, other in sides)
