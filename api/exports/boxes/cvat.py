"""CVAT's document of boxes, and what it says that their attributes are."""

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from api.exports.boxes.placed import boxes_of, split_of
from api.exports.records import Record
from api.exports.xml import xml_attribute, xml_text
from api.exports.zips import Spool
from core.tasks.box_attributes import Value
from core.tasks.box_conventions import CVAT
from core.tasks.boxes import Box

_FLAGS: Final = ("truncated", "difficult", "crowd")
_SIDES: Final = ("xtl", "ytl", "xbr", "ybr")
# What a shape says of itself; 0 where nobody has said it.
_OWN: Final = ("z_order", "group_id")


@dataclass(slots=True)
class _Input:
    """How CVAT is to ask for an attribute: by what its values are, as far as they were written."""

    kinds: frozenset[type] = frozenset()
    least: float = math.inf
    most: float = -math.inf

    def add(self, value: Value) -> None:
        if isinstance(value, bool | str):
            self.kinds |= {type(value)}
        else:
            self.kinds |= {float}
            self.least, self.most = min(self.least, value), max(self.most, value)

    @property
    def declared(self) -> tuple[str, str, str]:
        """Its type, its default, and the values that it takes."""
        if self.kinds == {bool}:
            return "checkbox", "false", "false"
        if self.kinds == {float}:
            least, most = math.floor(self.least), math.ceil(self.most)
            return "number", str(least), f"{least};{max(most, least + 1)};1"
        return "text", "", ""


class CvatBoxes:
    """``annotations.xml`` of CVAT for images 1.1: only images whose boxes are known.

    CVAT writes images that nobody looked at the same as those without an object, so that only
    ``metadata.jsonl`` tells them apart. What attributes there are is known once all images are
    written, and stands before them.
    """

    name = "annotations.xml"

    def __init__(self, classes: Mapping[int, str]) -> None:
        self._classes = classes
        self._images = Spool()
        self._inputs: defaultdict[str, dict[str, _Input]] = defaultdict(dict)

    def add(self, record: Record, path: str) -> None:
        """Take account of an image."""
        if split_of(record) is None:
            return
        lines = [
            f'<image id="{record.example_id}" name={xml_attribute(path.partition("/")[2])} '
            f'width="{record.width}" height="{record.height}">'
        ]
        for box, class_name, numbers in boxes_of(record.label, record, CVAT, self._classes):
            sides = " ".join(f'{name}="{text}"' for name, text in zip(_SIDES, numbers, strict=True))
            own, said = self._said(box, class_name)
            lines.append(
                f'<box label={xml_attribute(class_name)} source="manual" '
                f'occluded="{int(box.occluded)}" {sides} {own}>{said}</box>'
            )
        self._images.write("\n".join([*lines, "</image>\n"]).encode())

    def pieces(self) -> Iterator[bytes]:
        """All of it."""
        labels = "".join(
            f"<label><name>{xml_text(name)}</name><attributes>{_DECLARED}"
            + "".join(_declared(each, *one.declared) for each, one in self._inputs[name].items())
            + "</attributes></label>"
            for name in self._classes.values()
        )
        yield (
            '<?xml version="1.0" encoding="utf-8"?>\n<annotations>\n<version>1.1</version>\n'
            f"<meta><task><labels>{labels}</labels></task></meta>\n"
        ).encode()
        yield from self._images.unpacked()
        yield b"</annotations>\n"

    def close(self) -> None:
        """Remove what it kept."""
        self._images.close()

    def _said(self, box: Box, class_name: str) -> tuple[str, str]:
        """What a box says of itself, and its attributes."""
        own = {name: box.attributes.get(name) for name in _OWN}
        own = {name: one for name, one in own.items() if type(one) is int and one}
        said: dict[str, Value] = {name: getattr(box, name) for name in _FLAGS}
        for name, value in box.attributes.items():
            if name not in own:
                self._inputs[class_name].setdefault(name, _Input()).add(value)
                said[name] = value
        return (
            " ".join(f'{name}="{one}"' for name, one in ({"z_order": 0} | own).items()),
            "".join(
                f"<attribute name={xml_attribute(name)}>{xml_text(in_letters(value))}</attribute>"
                for name, value in said.items()
            ),
        )


def in_letters(value: Value) -> str:
    """A value where everything is text."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _declared(name: str, kind: str, default: str, values: str) -> str:
    return (
        f"<attribute><name>{xml_text(name)}</name><mutable>False</mutable>"
        f"<input_type>{kind}</input_type><default_value>{default}</default_value>"
        f"<values>{values}</values></attribute>"
    )


_DECLARED: Final = "".join(_declared(name, "checkbox", "false", "false") for name in _FLAGS)
