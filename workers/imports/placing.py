"""Which split, class and extras an item gets. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from core.jobs.imports import FolderChoice
from core.states import Split
from core.tasks.spec import Label
from workers.imports.items import Item, LeftOut, Refused, printable
from workers.imports.reading import LabelReader
from workers.imports.split_words import normal, parse_split


@dataclass(frozen=True, slots=True)
class Place:
    """Where an item goes.

    Attributes:
        split: Its split.
        label: What it is, if it is for evaluation.
        meta: Extras; the label of anything else is only kept here, and nothing trains on it.
    """

    split: Split
    label: Label | None
    meta: dict[str, Any]


def place(
    item: Item,
    default: Split,
    reader: LabelReader,
    chosen: Mapping[str, FolderChoice] | None = None,
) -> Place | Refused:
    """Place ``item``.

    Args:
        item: What came.
        default: Split of items that name none.
        reader: Knows the project's classes.
        chosen: What becomes of folders and of values of the split column, by name.
    """
    split = split_of(item, default, chosen or {})
    if isinstance(split, Refused):
        return split
    if split is not Split.EVALUATION:
        meta = {**item.meta, "label": item.label} if is_noted(item) else item.meta
        return Place(split, None, meta)
    truth = reader.truth(item)
    return truth if isinstance(truth, Refused) else Place(split, truth, item.meta)


def is_noted(item: Item) -> bool:
    """Whether the label of what is not for evaluation is kept among its extras.

    What somebody annotated is not also the truth, least of all where it was overruled.
    """
    is_annotated = (item.label_column or "label") in dict(item.annotations)
    return item.label is not None and not (item.said or item.is_stated or is_annotated)


def split_of(item: Item, default: Split, chosen: Mapping[str, FolderChoice]) -> Split | Refused:
    """The split of ``item``: what was chosen for it, what it says, or the default."""
    choice = None if item.split is None else chosen.get(normal(item.split))
    if choice is FolderChoice.LEAVE_OUT:
        return LeftOut(f"{item.split} was to be left out")
    if choice is not None and choice is not FolderChoice.CLASS:
        return Split(choice)
    if item.unsure is not None:
        return LeftOut(f"{item.unsure}; say what it is with folder_split {item.split}=SPLIT")
    if item.split is None or choice is FolderChoice.CLASS:
        return default
    name = printable(item.split)[:100]
    return (
        item.meant
        or parse_split(item.split)
        or Refused(f"unknown split {name!r}; say what it is with folder_split {name}=SPLIT")
    )
