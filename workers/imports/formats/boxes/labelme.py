"""What LabelMe's files draw: rectangles, and outlines, circles and masks to draw a box around."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, BinaryIO, Final

from core.errors import DomainError
from core.tasks.box_attributes import FLAGS
from core.tasks.boxes import MOST_BOXES
from workers.imports.drawn import Drawn, Rectangle, stated_size
from workers.imports.formats.boxes.attributes import Kept, flags_of, keep
from workers.imports.formats.boxes.shapes import (
    ENCLOSED,
    LEFT_ASIDE,
    around,
    drawn_fields,
    number,
    texts,
)
from workers.imports.formats.labelme import IMAGE, SHAPES, SOURCE, Described, members
from workers.imports.items import Refused, printable

OPEN: Final = "points and lines are left aside, as they enclose nothing"
_OPEN: Final = frozenset({"point", "points", "line", "linestrip"})
_TURNED: Final = frozenset({"rotation", "oriented_rectangle"})
_BOX: Final = "rectangle"
# Older versions draw nothing else, and do not say so.
_OUTLINE: Final = "polygon"
_WIDTH, _HEIGHT = "imageWidth", "imageHeight"

Edges = tuple[float, float, float, float]
"""Left, top, right and bottom, in pixels; a number of a file is as it stands there."""
Points = list[tuple[float, float]]


@dataclass(slots=True)
class _Drawing:
    """What was read so far of one file.

    Attributes:
        boxes: In the order of their shapes.
        notes: What was left aside, or made of something else.
        passed: Kinds of shapes that enclose nothing.
        whole: Of outlines that are of one thing, as they have a class and a group in common, the
            place among the boxes, and the edges of all together.
    """

    boxes: list[Rectangle] = field(default_factory=list)
    notes: dict[str, None] = field(default_factory=dict)
    passed: dict[str, None] = field(default_factory=dict)
    whole: dict[tuple[str, str], tuple[int, Edges]] = field(default_factory=dict)


def read(file: BinaryIO, name: str) -> Described | Refused:
    """Read one file. Without a shape it says that there is nothing in its image.

    Args:
        file: Its bytes.
        name: Its path.
    """
    image, shown = "", printable(name)
    sides: dict[str, object] = {}
    drawing, count = _Drawing(), 0
    wrong: Refused | None = None
    try:
        for key, value in members(file, name):
            if key == IMAGE and isinstance(value, str):
                image = value
            elif key in (_WIDTH, _HEIGHT):
                sides[key] = value
            # One more than an image may have is refused with all others.
            elif key == SHAPES and wrong is None and len(drawing.boxes) <= MOST_BOXES:
                count += 1
                wrong = _add(drawing, count, value)
    except DomainError as error:
        return Refused(error.detail)
    size = stated_size(sides.get(_WIDTH), sides.get(_HEIGHT))
    found: Drawn | Refused = Drawn(shown, "cvat", tuple(drawing.boxes), size, tuple(drawing.notes))
    if wrong is not None:
        found = Refused(f"{shown}: box {count} {wrong.reason}")
    elif drawing.passed and not drawing.boxes:
        found = Refused(f"{shown}: has no boxes but {', '.join(drawing.passed)}")
    return Described(image, drawn_fields(found, SOURCE))


def _add(drawing: _Drawing, place: int, shape: object) -> Refused | None:
    """Take account of a shape; why it cannot be read, if so."""
    if not isinstance(shape, dict):
        return Refused("is no shape")
    kind = printable(str(shape.get("shape_type") or _OUTLINE))[:50]
    if kind in _OPEN:
        drawing.passed[kind] = drawing.notes[OPEN] = None
        return None
    label = printable(str(shape.get("label") or ""))
    if not label.strip():
        return Refused("has no label")
    score = None if shape.get("score") is None else number(shape["score"])
    edges = _edges(kind, shape.get("points"))
    if isinstance(edges, Refused):
        return edges
    (flags, kept), group = _said(shape), shape.get("group_id")
    if not kept.are_all:
        drawing.notes[LEFT_ASIDE] = None
    if kind == _BOX:
        values = tuple(map(number, edges))
        drawing.boxes.append(
            Rectangle(place, label, values, flags, score=score, attributes=kept.attributes)
        )
        return None
    drawing.notes[ENCLOSED] = None
    at = len(drawing.boxes)
    if group is not None:
        at, others = drawing.whole.get((label, str(group)), (at, edges))
        edges = _between([edges[:2], edges[2:], others[:2], others[2:]])
        drawing.whole[label, str(group)] = at, edges
    made = Rectangle(
        place, label, texts(map(float, edges)), flags, True, score, attributes=kept.attributes
    )
    if at == len(drawing.boxes):
        drawing.boxes.append(made)
    else:
        first = drawing.boxes[at]
        both = tuple(dict.fromkeys((*first.flags, *flags)))
        whole = keep([*first.attributes.items(), *kept.attributes.items()]).attributes
        drawing.boxes[at] = replace(first, values=made.values, flags=both, attributes=whole)
    return None


def _edges(kind: str, value: object) -> Edges | Refused:
    """The edges of a shape."""
    points = _points(value)
    if kind in _TURNED or (kind == _BOX and len(points or ()) == 4 and _is_turned(points or [])):
        return Refused("is turned, and boxes here stand upright")
    if kind not in (_BOX, _OUTLINE, "circle", "mask"):
        return Refused(f"is a {kind} and no box")
    if points is None:
        return Refused("has points that are no pairs of numbers")
    if kind == _OUTLINE:
        found = around(points)
    elif kind == _BOX and len(points) == 4:
        found = _between(points)
    elif len(points) != 2:
        found = None
    elif kind == "circle":
        (x, y), edge = points
        radius = math.dist((x, y), edge)
        found = (x - radius, y - radius, x + radius, y + radius) if radius > 0 else None
    else:
        found = _between(points)
    if found is None or not all(map(math.isfinite, found)):
        return Refused(f"is a {kind} that encloses nothing")
    return found


def _points(value: object) -> Points | None:
    """The points of a shape; ``None`` if some are none."""
    if not isinstance(value, list):
        return None
    found: Points = []
    for one in value:
        if not isinstance(one, list) or len(one) != 2 or not all(map(_is_number, one)):
            return None
        found.append((one[0], one[1]))
    return found


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _between(points: Points) -> Edges:
    """The edges of a box around points, be they its corners in any order."""
    across, down = [x for x, _ in points], [y for _, y in points]
    return min(across), min(down), max(across), max(down)


def _is_turned(corners: Points) -> bool:
    """Whether four corners are not those of a box that stands upright, in their order around it."""
    left, top, right, bottom = _between(corners)
    upright = {(left, top), (right, top), (right, bottom), (left, bottom)}
    return {*corners} != upright


def _said(shape: Mapping[str, Any]) -> tuple[tuple[str, ...], Kept]:
    """The flags among what may be set of a shape, and everything else that is said of it."""
    held = [one for one in map(shape.get, ("attributes", "flags")) if isinstance(one, dict)]
    said = [(name, value) for one in held for name, value in one.items()]
    own = ((name, shape.get(name)) for name in ("description", "group_id", *FLAGS))
    said += [pair for pair in own if pair[1] != ""]
    return flags_of(said), keep(said)
