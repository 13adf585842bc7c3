"""Pascal VOC: an XML for each image, with the first and last pixel of each box counted from 1."""

from typing import BinaryIO, Final, NamedTuple
from xml.etree.ElementTree import Element

from core.errors import DomainError
from workers.imports.drawn import Drawn, Rectangle, stated_size
from workers.imports.formats import xml_stream
from workers.imports.formats.boxes.attributes import Kept, flags_of, keep
from workers.imports.formats.boxes.shapes import LEFT_ASIDE, OUTLINES
from workers.imports.items import Refused, plain_path, printable

SOURCE: Final = "Pascal VOC"
"""Source of what names nobody."""
ROOT: Final = "annotation"
_SIDES: Final = ("xmin", "ymin", "xmax", "ymax")
_BOX: Final = "bndbox"
_OUTLINED: Final = ("polygon", "mask")
_ATTRIBUTES: Final = "attributes"
_POSE: Final = "pose"
# As others write that nobody has said it.
_NO_POSE: Final = "unspecified"
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
        box = one.find(_BOX)
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
        if any(one.find(outline) is not None for outline in _OUTLINED):
            notes[OUTLINES] = None
        flags, kept = _said(one)
        if not kept.are_all:
            notes[LEFT_ASIDE] = None
        boxes.append(Rectangle(place, class_name, values, flags, attributes=kept.attributes))
    return Drawn(name, "voc", tuple(boxes), size, tuple(notes))


def _said(element: Element) -> tuple[tuple[str, ...], Kept]:
    """Flags, and what stands in elements of their own, or in ``attributes`` as CVAT writes."""
    said: list[tuple[str, str]] = []
    has_more = False
    for child in element:
        text = (child.text or "").strip()
        if child.tag == _ATTRIBUTES:
            named = ((one.findtext("name"), one.findtext("value")) for one in child)
            said += ((name, value or "") for name, value in named if name is not None)
        elif child.tag in ("name", _BOX, *_OUTLINED):
            continue
        elif len(child):
            has_more = True
        elif child.tag != _POSE or text.lower() not in ("", _NO_POSE):
            said.append((child.tag, text))
    kept = keep(said)
    return flags_of(said), Kept(kept.attributes, kept.are_all and not has_more)


def _text(element: Element, child: str) -> str:
    return (element.findtext(child) or "").strip()
