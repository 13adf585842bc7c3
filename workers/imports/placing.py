"""Which split, class and extras an item gets. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from core.states import Split
from workers.imports.items import Item, Refused, parse_split, printable


@dataclass(frozen=True, slots=True)
class Place:
    """Where an item goes.

    Attributes:
        split: Its split.
        class_id: Its class, if it is for evaluation.
        meta: Extras; the label of anything else is only kept here, and nothing trains on it.
    """

    split: Split
    class_id: int | None
    meta: dict[str, Any]


def place(item: Item, default: Split, classes: Mapping[str, int]) -> Place | Refused:
    """Place ``item``.

    Args:
        item: What came.
        default: Split of items that name none.
        classes: The project's class names and ids.
    """
    split = default if item.split is None else parse_split(item.split)
    if split is None:
        return Refused(f"unknown split {printable(item.split or '')[:100]!r}")
    if split is not Split.EVALUATION:
        # What somebody annotated is not also the truth.
        is_note = item.label is not None and not (
            item.said or item.label_column in item.annotations
        )
        meta = {**item.meta, "label": item.label} if is_note else item.meta
        return Place(split, None, meta)
    if item.label is None:
        return Refused("an evaluation image needs a label")
    class_id = classes.get(item.label)
    if class_id is None:
        return Refused(f"label {item.label[:100]!r} is not a class of the project")
    return Place(split, class_id, item.meta)
