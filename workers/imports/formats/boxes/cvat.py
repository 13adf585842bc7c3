"""CVAT's XML for images (1.1): one document, with the edges of each box in pixels."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, BinaryIO, Final
from xml.etree.ElementTree import Element

from core.errors import DomainError
from core.tasks.box_conventions import number_of
from workers.imports.drawn import Drawn, Rectangle, stated_size
from workers.imports.formats import xml_stream
from workers.imports.formats.boxes.attributes import Kept, flags_of, keep
from workers.imports.formats.boxes.shapes import (
    ENCLOSED,
    LEFT_ASIDE,
    around,
    drawn_fields,
    is_turned,
    texts,
    turned_by,
)
from workers.imports.items import Refused, plain_path, printable
from workers.imports.matching import Called
from workers.imports.values import is_yes

SOURCE: Final = "CVAT"
"""Source of what names nobody."""
ROOT: Final = "annotations"
_SIDES: Final = ("xtl", "ytl", "xbr", "ybr")
# What a shape says of itself beside its attributes; 0 where nobody has said it.
_OWN: Final = ("z_order", "group_id")
Inputs = Mapping[tuple[str, str], str]
"""How the attributes of labels are put in, by label and name: what their texts mean."""
_SHAPES: Final = frozenset(
    {"box", "polygon", "polyline", "points", "ellipse", "mask", "cuboid", "skeleton"}
)


def rows(
    file: BinaryIO,
    name: str,
    problem: Callable[[str, str], None],
    list_classes: Callable[[Iterable[str]], None],
) -> Iterator[tuple[Sequence[Called], dict[str, Any]]]:
    """Path and fields of each image.

    An image without a shape says nothing: CVAT writes every image of a task, looked at or not.

    Args:
        file: The document.
        name: What it is called.
        problem: Called with what of it says nothing, and why.
        list_classes: Called with the labels of its task, in their order.
    """
    shown = printable(name)
    tracks = number = 0
    inputs: dict[tuple[str, str], str] = {}
    try:
        for element in xml_stream.elements(file, name, ("meta", "image", "track")):
            if element.tag == "meta":
                # Points of skeletons are labels, too, below that of their skeleton.
                named = (one for one in element.iter("label") if one.find("parent") is None)
                labels = (printable(one.findtext("name", "")) for one in named)
                list_classes(label for label in labels if label)
                inputs.update(_inputs(element))
            elif element.tag == "track":
                tracks += 1
            elif element.tag == "image":
                path = plain_path(element.get("name", "")).lstrip("/")
                if path:
                    yield [Called(path)], _fields(element, shown, inputs)
                else:
                    problem(f"{shown}, entry {number} of images", "has no name")
                number += 1
    except DomainError as error:
        problem(shown, error.detail)
    if tracks:
        reason = f"tracks of a video are left aside ({tracks:,}); export as CVAT for images 1.1"
        problem(shown, reason)


def _inputs(meta: Element) -> Iterator[tuple[tuple[str, str], str]]:
    for label in meta.iter("label"):
        for one in label.iterfind("attributes/attribute"):
            key = printable(label.findtext("name", "")), one.findtext("name", "").strip()
            yield key, one.findtext("input_type", "").strip()


def _fields(image: Element, name: str, inputs: Inputs) -> dict[str, Any]:
    shapes = [one for one in image if one.tag in _SHAPES]
    if not shapes:
        return {"class": None, "votes": []}
    return drawn_fields(_drawn(image, shapes, name, inputs), SOURCE)


def _drawn(image: Element, shapes: Sequence[Element], name: str, inputs: Inputs) -> Drawn | Refused:
    boxes: list[Rectangle] = []
    notes: dict[str, None] = {}
    if len(shapes) < len(image):
        notes[LEFT_ASIDE] = None
    for place, one in enumerate(shapes, 1):
        class_name = printable(one.get("label", ""))
        values = _values(one)
        reason = values.reason if isinstance(values, Refused) else ""
        if not class_name.strip():
            reason = "has no label"
        if isinstance(values, Refused) or reason:
            return Refused(f"{name}: box {place} {reason}")
        flags, kept = _said(one, class_name, inputs)
        if not kept.are_all:
            notes[LEFT_ASIDE] = None
        is_made = one.tag != "box"
        if is_made:
            notes[ENCLOSED] = None
        boxes.append(Rectangle(place, class_name, values, flags, is_made, None, kept.attributes))
    size = stated_size(image.get("width"), image.get("height"))
    return Drawn(name, "cvat", tuple(boxes), size, tuple(notes))


def _said(shape: Element, label: str, inputs: Inputs) -> tuple[tuple[str, ...], Kept]:
    said: list[tuple[str, object]] = []
    for one in shape.iter("attribute"):
        name = (one.get("name") or "").strip()
        said.append((name, _meant(one.text or "", inputs.get((label, name), ""))))
    own = ((name, _meant(shape.get(name, "0"), "number")) for name in _OWN)
    said += [("occluded", shape.get("occluded", "0")), *(pair for pair in own if pair[1])]
    return flags_of(said), keep(said)


def _meant(text: str, input_type: str) -> object:
    """What the text of an attribute stands for that is put in so: a number, yes or no, a text."""
    if input_type == "checkbox" and text.strip().lower() in ("true", "false"):
        return is_yes(text)
    number = number_of(text) if input_type == "number" else None
    if number is None:
        return text
    return int(text) if text.strip().lstrip("+-").isdecimal() else number


def _values(shape: Element) -> tuple[str, ...] | Refused:
    """Left, top, right and bottom edge."""
    angle = shape.get("rotation")
    if is_turned(angle):
        return Refused(turned_by(angle))
    if shape.tag == "box":
        return tuple(shape.get(side, "").strip() for side in _SIDES)
    try:
        if shape.tag == "polygon":
            points = (point.split(",") for point in shape.get("points", "").split(";"))
            box = around((float(x), float(y)) for x, y in points)
        elif shape.tag == "ellipse":
            x, y, across, down = (float(shape.get(one, "")) for one in ("cx", "cy", "rx", "ry"))
            box = x - across, y - down, x + across, y + down
        elif shape.tag == "mask":
            left, top, width, height = (
                float(shape.get(one, "")) for one in ("left", "top", "width", "height")
            )
            box = left, top, left + width, top + height
        else:
            return Refused(f"is a {shape.tag} and no box")
    except ValueError:
        box = None
    if box is None or not all(map(math.isfinite, box)):
        return Refused(f"is a {shape.tag} that encloses nothing")
    return texts(box)
