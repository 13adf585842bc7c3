"""Documents of boxes: COCO's and Label Studio's."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from api.exports.boxes.placed import boxes_of, is_ood, split_of
from api.exports.documents import OUR_CONTROLS, CocoTables, LabelStudio, dumped
from api.exports.part import Part
from api.exports.records import Imported, Record
from api.exports.votes import Vote
from core.states import Verdict
from core.tasks.box_attributes import FLAGS, Value
from core.tasks.box_conventions import COCO, LABEL_STUDIO, shortest, without_crumbs
from core.tasks.boxes import Box, BoxesLabel
from core.tasks.spec import Label

_META: Final = "meta"
"""Attribute that Label Studio writes beside a region itself, without a control."""
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
        said = {**flags, **box.attributes}
        more = f', "attributes": {dumped(said)}' if said else ""
        area = shortest(without_crumbs(box.w * box.h))
        # Written by hand, as a number that came in goes out letter by letter.
        return (
            f'{{"id": {self._count}, "image_id": {record.example_id}, '
            f'"category_id": {self._numbers[box.class_id]}, "bbox": [{", ".join(numbers)}], '
            f'"area": {area}, "iscrowd": {int(box.crowd)}, "segmentation": []{more}}}'
        )


class LabelStudioBoxes(LabelStudio):
    """Tasks whose results are rectangles; an annotation without any says that there is nothing.

    An attribute is a result of its own, of a control that is asked of each region.
    """

    def __init__(self, address: Callable[[Record, str], str], classes: Mapping[int, str]) -> None:
        super().__init__(address, classes)
        self.controls: dict[str, str] = {}
        """What puts an attribute in, by its name, of those written so far."""

    def _truth(self, record: Record) -> dict[str, Any]:
        return {**super()._truth(record), "result": self._drawn(record, record.label)}

    def _results(self, record: Record, vote: Vote) -> list[dict[str, Any]]:
        if vote.verdict is Verdict.LABEL:
            return self._drawn(record, vote.label)
        return super()._results(record, vote)

    def _imported(self, record: Record, one: Imported) -> dict[str, Any]:
        names = ("class_id", "x", "y", "w", "h", "attributes")
        boxes = tuple(
            Box(**{name: each[name] for name in names if name in each}, proposal=place)
            for place, each in enumerate(one.proposals)
        )
        known = [box for box in boxes if box.class_id in self._classes]
        regions = self._regions(record, BoxesLabel(type="boxes", boxes=boxes))
        return {
            "result": [
                {**result, "score": one.proposals[box.proposal or 0]["score"]}
                for region, box in zip(regions, known, strict=True)
                for result in region
            ]
        }

    def _drawn(self, record: Record, label: Label | None) -> list[dict[str, Any]]:
        return [result for region in self._regions(record, label) for result in region]

    def _regions(self, record: Record, label: Label | None) -> Iterator[list[dict[str, Any]]]:
        """The results of each box: its rectangle, and its attributes."""
        found = boxes_of(label, record, LABEL_STUDIO, self._classes, is_json=True)
        for place, (box, class_name, numbers) in enumerate(found, 1):
            sides = {name: _number(text) for name, text in zip(_PERCENT, numbers, strict=True)}
            of_region = {
                "id": f"box{place}",
                "to_name": "image",
                "original_width": record.width,
                "original_height": record.height,
                "image_rotation": 0,
            }
            said = [
                self._control(name, value)
                for name, value in box.attributes.items()
                if not _is_meta(name, value)
            ]
            labeled = "boxes", "rectanglelabels", {"rectanglelabels": [class_name]}
            yield [
                {
                    **of_region,
                    "from_name": control,
                    "type": kind,
                    "value": {**sides, "rotation": 0, **value},
                    **(_meta(box) if kind == "rectanglelabels" else {}),
                }
                for control, kind, value in (labeled, *said)
            ]

    def _control(self, name: str, value: Value) -> tuple[str, str, dict[str, Any]]:
        """The control of an attribute, its kind, and what it holds."""
        held: tuple[str, dict[str, Any]] = "number", {"number": value}
        if isinstance(value, bool):
            held = "choices", {"choices": [str(value).lower()]}
        elif isinstance(value, str):
            held = "textarea", {"text": [value]}
        if name not in OUR_CONTROLS:
            self.controls.setdefault(name, held[0])
        return name, *held


def _number(text: str) -> int | float:
    return int(text) if text.removeprefix("-").isdecimal() else float(text)


def _is_meta(name: str, value: Value) -> bool:
    return name == _META and isinstance(value, str) and value not in FLAGS


def _meta(box: Box) -> dict[str, Any]:
    """Label Studio has no flags; what it says of a region beside its label is a text."""
    words = [name for name in FLAGS if getattr(box, name)]
    words += [str(value) for name, value in box.attributes.items() if _is_meta(name, value)]
    return {"meta": {"text": words}} if words else {}
