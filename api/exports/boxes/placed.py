"""The boxes of an image as a format writes their numbers."""

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from api.exports.records import Record
from core.states import Split, Verdict
from core.tasks.box_conventions import Convention, written
from core.tasks.boxes import Box, BoxesLabel
from core.tasks.spec import Label

TRAIN: Final = "train"
VAL: Final = "val"
SPLITS: Final = (TRAIN, VAL)
NOT_JUDGED: Final = "unlabeled"


class Written(NamedTuple):
    """A box, the name of its class, and its numbers."""

    box: Box
    class_name: str
    numbers: list[str]


def boxes_of(
    label: Label | None,
    record: Record,
    convention: Convention,
    classes: Mapping[int, str],
    *,
    is_json: bool = False,
) -> Iterator[Written]:
    """The boxes of a label on the image of a record.

    Args:
        label: Boxes.
        record: The image.
        convention: What the numbers mean.
        classes: Names of the project's classes by their ids; boxes of others are not there.
        is_json: Whether JSON is written.
    """
    size = size_of(record)
    if not isinstance(label, BoxesLabel):
        return
    for box in label.boxes:
        if box.class_id in classes:
            numbers = written(box, convention, size, is_json=is_json)
            yield Written(box, classes[box.class_id], numbers)


def size_of(record: Record) -> tuple[float, float]:
    """Width and height of an image, held upright."""
    return float(record.width or 1), float(record.height or 1)


def split_of(record: Record) -> str | None:
    """Where an image goes whose boxes are known, also if there are none; ``None`` for others."""
    if not isinstance(record.label, BoxesLabel):
        return None
    return VAL if record.split is Split.EVALUATION else TRAIN


def aside(record: Record) -> str:
    """Folder of an image that nobody has drawn on: never among those with no object."""
    if record.split is Split.AUXILIARY_OOD:
        return Split.AUXILIARY_OOD.value
    return record.verdict.value if record.verdict else NOT_JUDGED


def is_ood(record: Record) -> bool:
    """Whether an image shows nothing of what is looked for, not even its kind."""
    return record.verdict is Verdict.OOD or record.split is Split.AUXILIARY_OOD
