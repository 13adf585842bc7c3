"""Pascal VOC: an XML for each image, with the first and last pixel of each box counted from 1."""

from typing import BinaryIO, Final, NamedTuple
from xml.etree.ElementTree import Element

from core.errors import DomainError
from workers.imports.drawn import Drawn, Rectangle, stated_size
from workers.imports.formats import xml_stream
from workers.imports.formats.boxes.shapes import LEFT_ASIDE, OUTLINES
from workers.imports.items import Refused, plain_path, printable
from workers.imports.values import is_yes

SOURCE: Final = "Pascal VOC"
"""Source of what names nobody."""
ROOT: Final = "annotation"
_SIDES: Final = ("xmin", "ymin", "xmax", "ymax")
_FLAGS: Final = ("occluded", "truncated", "difficult")
_FROM_0: Final = (
    "a box begins at pixel 0 where VOC counts from 1: look whether the program that wrote it "
    "counts from 0, which shifts all boxes by a pixel"
)
_WANTED: Final = ("filename", "size", "object")


class Annotated(NamedTuple):
    """What one file says: of which image, and what is drawn on it."""

    image: str
    drawn: Drawn | Refused


def read(file: BinaryIO, name: str) -> Annotated | Refused:
    """Read one file. Without an object it says that there is nothing in its image.

    Args:
        file: Its bytes.
        name: Its path.
    """
    image, size = "", None
    objects: list[Element] = []
    try:
        for element in xml_stream.elements(file, name, _WANTED):
            if element.tag == "filename":
                image = plain_path((element.text or "").strip()).lstrip("/")
            elif element.tag == "size":
                size = stated_size(_text(element, "width"), _text(element, "height"))
            elif element.tag == "object":
                objects.append(element)
            elif element.tag != ROOT:
                return Refused(f"is neither Pascal VOC's XML nor CVAT's, but {element.tag[:50]!r}")
    except DomainError as error:
        return Refused(error.detail)
    return Annotated(image, _drawn(objects, printable(name), size))


def _drawn(objects: list[Element], name: str, size: tuple[float, float] | None) -> Drawn | Refused:
    boxes: list[Rectangle] = []
    notes: dict[str, None] = {}
    for place, one in enumerate(objects, 1):
        class_name = printable(_text(one, "name"))
        box = one.find("bndbox")
        reason = ""
        if one.find("robndbox") is not None:
            reason = "is turned, and boxes here stand upright"
        elif box is None:
            reason = "has no bndbox"
        elif not class_name:
            reason = "has no name"
        if reason or box is None:
            return Refused(f"{name}: box {place} {reason}")
        values = tuple(_text(box, side) for side in _SIDES)
        if any(value in ("0", "0.0") for value in values[:2]):
            notes[_FROM_0] = None
        if one.find("polygon") is not None or one.find("mask") is not None:
            notes[OUTLINES] = None
        if one.find("part") is not None:
            notes[LEFT_ASIDE] = None
        flags = tuple(flag for flag in _FLAGS if is_yes(_text(one, flag)))
        boxes.append(Rectangle(place, class_name, values, flags))
    return Drawn(name, "voc", tuple(boxes), size, tuple(notes))


def _text(element: Element, child: str) -> str:
    return (element.findtext(child) or "").strip()
