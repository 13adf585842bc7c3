"""Documents of boxes: COCO's, Label Studio's, CVAT's."""

from collections.abc import Iterator, Mapping
from typing import Any, Final
from xml.sax.saxutils import escape, quoteattr

from api.exports.boxes.placed import boxes_of, is_ood, split_of
from api.exports.documents import NOT_IN_XML, CocoTables, LabelStudio, dumped
from api.exports.part import Part
from api.exports.records import Imported, Record
from api.exports.votes import Vote
from core.states import Verdict
from core.tasks.box_attributes import FLAGS
from core.tasks.box_conventions import COCO, CVAT, LABEL_STUDIO, shortest, without_crumbs
from core.tasks.boxes import Box, BoxesLabel
from core.tasks.spec import Label

_ATTRIBUTES: Final = ("truncated", "difficult", "crowd")
_SIDES: Final = ("xtl", "ytl", "xbr", "ybr")
_PERCENT: Final = ("x", "y", "width", "height")


class CocoBoxes(CocoTables):
    """An image without annotations is one that was looked at and holds none.

    OOD images, and those that are not decided, would look the same: they stand in tables of their
    own, ``ood`` and ``undecided``.
    """

    def __init__(self, classes: Mapping[int, str], part: Part | None = None) -> None:
        super().__init__(classes.values(), ("annotations", "undecided", "ood"), part)
        self._classes = classes
        self._numbers = {id_: number for number, id_ in enumerate(classes, 1)}
        self._count = 0

    def add(self, record: Record, path: str) -> str:
        image = self._image(record, path)
        if split_of(record) is None:
            self._list("ood" if is_ood(record) else "undecided", image)
            return ""
        for box, _, numbers in boxes_of(record.label, record, COCO, self._classes, is_json=True):
            self._count += 1
            self._list("annotations", self._annotation(record, box, numbers))
        return self._among_images(image)

    def _annotation(self, record: Record, box: Box, numbers: list[str]) -> str:
        flags = {name: True for name in FLAGS if name != "crowd" and getattr(box, name)}
        more = f', "attributes": {dumped(flags)}' if flags else ""
        area = shortest(without_crumbs(box.w * box.h))
        # Written by hand, as a number that came in goes out letter by letter.
        return (
            f'{{"id": {self._count}, "image_id": {record.example_id}, '
            f'"category_id": {self._numbers[box.class_id]}, "bbox": [{", ".join(numbers)}], '
            f'"area": {area}, "iscrowd": {int(box.crowd)}, "segmentation": []{more}}}'
        )


class LabelStudioBoxes(LabelStudio):
    """Tasks whose results are rectangles; an annotation without any says that there is nothing."""

    def _truth(self, record: Record) -> dict[str, Any]:
        return {**super()._truth(record), "result": self._rectangles(record, record.label)}

    def _results(self, record: Record, vote: Vote) -> list[dict[str, Any]]:
        if vote.verdict is Verdict.LABEL:
            return self._rectangles(record, vote.label)
        return super()._results(record, vote)

    def _imported(self, record: Record, one: Imported) -> dict[str, Any]:
        sides = ("class_id", "x", "y", "w", "h")
        boxes = tuple(
            Box(**{side: each[side] for side in sides}, proposal=place)
            for place, each in enumerate(one.proposals)
        )
        known = [box for box in boxes if box.class_id in self._classes]
        results = self._rectangles(record, BoxesLabel(type="boxes", boxes=boxes))
        return {
            "result": [
                {**result, "score": one.proposals[box.proposal or 0]["score"]}
                for result, box in zip(results, known, strict=True)
            ]
        }

    def _rectangles(self, record: Record, label: Label | None) -> list[dict[str, Any]]:
        found = boxes_of(label, record, LABEL_STUDIO, self._classes, is_json=True)
        return [
            {
                "id": f"box{place}",
                "from_name": "boxes",
                "to_name": "image",
                "type": "rectanglelabels",
                "original_width": record.width,
                "original_height": record.height,
                "image_rotation": 0,
                "value": {
                    **{name: _number(text) for name, text in zip(_PERCENT, numbers, strict=True)},
                    "rotation": 0,
                    "rectanglelabels": [class_name],
                },
                **_meta(box),
            }
            for place, (box, class_name, numbers) in enumerate(found, 1)
        ]


def _number(text: str) -> int | float:
    return int(text) if text.removeprefix("-").isdecimal() else float(text)


def _meta(box: Box) -> dict[str, Any]:
    """Label Studio has no flags; what it says of a region beside its label is a text."""
    words = [name for name in FLAGS if getattr(box, name)]
    return {"meta": {"text": words}} if words else {}


class CvatBoxes:
    """``annotations.xml`` of CVAT for images 1.1: only images whose boxes are known.

    CVAT writes images that nobody looked at the same as those without an object, so that only
    ``metadata.jsonl`` tells them apart.
    """

    name = "annotations.xml"

    def __init__(self, classes: Mapping[int, str]) -> None:
        self._classes = classes

    def begin(self) -> str:
        labels = "".join(
            f"<label><name>{_text(name)}</name><attributes>{_DECLARED}</attributes></label>"
            for name in self._classes.values()
        )
        return (
            '<?xml version="1.0" encoding="utf-8"?>\n<annotations>\n<version>1.1</version>\n'
            f"<meta><task><labels>{labels}</labels></task></meta>\n"
        )

    def add(self, record: Record, path: str) -> str:
        if split_of(record) is None:
            return ""
        lines = [
            f'<image id="{record.example_id}" name={_quoted(path.partition("/")[2])} '
            f'width="{record.width}" height="{record.height}">'
        ]
        for box, class_name, numbers in boxes_of(record.label, record, CVAT, self._classes):
            sides = " ".join(f'{name}="{text}"' for name, text in zip(_SIDES, numbers, strict=True))
            attributes = "".join(
                f'<attribute name="{name}">{str(getattr(box, name)).lower()}</attribute>'
                for name in _ATTRIBUTES
            )
            lines.append(
                f'<box label={_quoted(class_name)} source="manual" '
                f'occluded="{int(box.occluded)}" {sides} z_order="0">{attributes}</box>'
            )
        return "\n".join([*lines, "</image>\n"])

    def end(self) -> Iterator[bytes]:
        yield b"</annotations>\n"

    def close(self) -> None:
        """It kept nothing."""


_DECLARED: Final = "".join(
    f"<attribute><name>{name}</name><mutable>False</mutable><input_type>checkbox</input_type>"
    "<default_value>false</default_value><values>false</values></attribute>"
    for name in _ATTRIBUTES
)


def _text(text: str) -> str:
    return escape(NOT_IN_XML.sub("\N{REPLACEMENT CHARACTER}", text))


def _quoted(text: str) -> str:
    return quoteattr(NOT_IN_XML.sub("\N{REPLACEMENT CHARACTER}", text))
