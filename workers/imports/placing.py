"""Which split, class and extras an item gets. Pure."""

from dataclasses import dataclass
from typing import Any

from core.states import Split
from workers.imports.items import Item, Refused, parse_split, printable
from workers.imports.reading import LabelReader


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


def place(item: Item, default: Split, reader: LabelReader) -> Place | Refused:
    """Place ``item``.

    Args:
        item: What came.
        default: Split of items that name none.
        reader: Knows the project's classes.
    """
    split = default if item.split is None else parse_split(item.split)
    if split is None:
        return Refused(f"unknown split {printable(item.split or '')[:100]!r}")
    if split is not Split.EVALUATION:
        # What somebody annotated is not also the truth.
        is_note = item.label is not None and not (
            item.said or item.label_column in dict(item.annotations)
        )
        meta = {**item.meta, "label": item.label} if is_note else item.meta
        return Place(split, None, meta)
    truth = reader.truth(item)
    return truth if isinstance(truth, Refused) else Place(split, truth, item.meta)
