"""What a plan counts: images by folder or value, and what stands in columns that may be labels."""

import re
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

from core.jobs.imports import FolderChoice
from workers.imports.drawn import Predicted
from workers.imports.items import Item, beginning
from workers.imports.mentions import of_models
from workers.imports.predicted import foresee
from workers.imports.reading import LabelReader
from workers.imports.report import LEFT_ASIDE, Tally
from workers.imports.values import Values

MOST_LABELS: Final = 1000
# Characters of one label, value or name of a column. A class has at most 100.
MOST_TEXT: Final = 200
# A column with more values than a project may have classes is none of labels.
_MOST_VALUES: Final = 1000
SHOWN: Final = 5
_MOST_MODELS: Final = 50
# What tells nothing to who reads it: "17".
_NUMBER: Final = re.compile(r"[\W\d_]+")
# Where a row of a table stands: "a.csv, line 2", "a.parquet#1", and "a.jsonl, line 1, chosen".
_PLACE: Final = re.compile(
    r".*\.(?:csv|tsv|jsonl?|parquet)(?:#|, (?:row|line|entry) )(\d+)(?:, [^,]*)?",
    re.DOTALL | re.IGNORECASE,
)


def shown_name(name: str, beginning: str) -> str:
    """What whoever sends a row of a table knows it by.

    Args:
        name: What it is called here: its own name, only a number, or where it stands.
        beginning: How its text begins; empty if it has none.
    """
    place = _PLACE.fullmatch(name)
    if place is None and not _NUMBER.fullmatch(name):
        return name
    return beginning or (f"row {int(place[1])}" if place else name)


@dataclass
class Group:
    """Images that have one folder or value in common that says their split.

    Attributes:
        name: The folder or value; ``None`` for images that have none.
        proposal: What becomes of them, unless somebody says otherwise.
        reason: Why that is not sure.
        may_be_class: Whether it is a folder that may also be a class.
        count: How many there are.
        unlabeled: Those without a label.
        labels: How many have each label, as far as there is room; of long ones the beginning.
        examples: What some are called, as whoever sends them knows them.
        fixed: What becomes of several folders or values that are shown as one, a split,
            ``left_out`` or ``refused``: it has no name of theirs, and cannot be chosen here.
    """

    name: str | None
    proposal: FolderChoice
    reason: str | None = None
    may_be_class: bool = False
    count: int = 0
    unlabeled: int = 0
    labels: Counter[str] = field(default_factory=Counter)
    examples: list[str] = field(default_factory=list)
    fixed: str | None = None

    def add(self, name: str, label: str | None, room: int) -> int:
        """Count an image; how much of ``room``, in characters, is left beside its label."""
        self._add(name)
        if label is None:
            self.unlabeled += 1
            return room
        return self._count(label, room)

    def add_drawn(self, name: str, classes: Collection[str] | None, room: int) -> int:
        """Count an image with boxes of these classes, which is in each of them; None: unlabeled."""
        self._add(name)
        if classes is None:
            self.unlabeled += 1
        for one in sorted(classes or ()):
            room = self._count(one, room)
        return room

    @property
    def is_shown(self) -> bool:
        """Whether enough are named for people to know which are meant."""
        return len(self.examples) >= SHOWN

    def _add(self, name: str) -> None:
        self.count += 1
        if not self.is_shown:
            self.examples.append(name)

    def _count(self, label: str, room: int) -> int:
        label = beginning(label, MOST_TEXT)
        if label not in self.labels:
            if len(self.labels) >= MOST_LABELS or len(label) > room:
                return room
            room -= len(label)
        self.labels[label] += 1
        return room


@dataclass
class Column:
    """What is written in a column, or said by somebody, that may be labels.

    Attributes:
        chosen: Whether it becomes annotations.
        stated: Whether a document states it, or a column of verdicts, so that it does so anyway.
        readable: Labels that the import takes, or would if the column were chosen: of images that
            go to the pool, and of those that are there.
        unreadable: Values of these images that are no labels.
        elsewhere: Values of other images, which are not annotated unless something else is chosen.
        held: What is written there; without the names of folders, which are never numbers.
        values: How often some of them are there; ``None`` if they are too many for labels.
        taken: The same of images that are annotated.
    """

    chosen: bool
    stated: bool = False
    readable: int = 0
    unreadable: int = 0
    elsewhere: int = 0
    held: Values = field(default_factory=Values)
    values: Counter[str] | None = field(default_factory=Counter)
    taken: Counter[str] = field(default_factory=Counter)

    def add(self, text: str, *, is_taken: bool, is_folder: bool = False) -> None:
        """Count a value."""
        if not is_taken:
            self.elsewhere += 1
        if self.values is None:
            return
        if not is_folder:
            self.held.add(text)
        shown = beginning(text, MOST_TEXT)
        self.values[shown] += 1
        self.taken[shown] += is_taken
        if len(self.values) > _MOST_VALUES:
            self.values = None
            self.taken.clear()


class Foretold:
    """What an upload says that models predict, as far as it can be told without the images."""

    def __init__(self, reader: LabelReader) -> None:
        """Begin with nothing.

        Args:
            reader: Knows the project's classes.
        """
        self._foresee = partial(foresee, reader=reader)
        self._readable = Counter[str]()
        self._left_aside: dict[str, Tally] = {}

    def add(self, item: Item) -> None:
        """Take account of what is predicted of an image."""
        by_model: dict[str, list[Predicted]] = {}
        for one in item.predicted:
            by_model.setdefault(one.model, []).append(one)
        for model, its in by_model.items():
            if model not in self._readable and len(self._readable) >= _MOST_MODELS:
                continue
            found, notes = of_models(its, None, self._foresee)
            self._readable[model] += len(found)
            left = self._left_aside.setdefault(model, Tally())
            left.note(note for note in notes if note.reason == LEFT_ASIDE)

    def to_json(self) -> list[dict[str, Any]]:
        """By model of how many images something can be suggested, and what is left aside."""
        return [
            {"model": model, "readable": count, "left_aside": self._left_aside[model].noted}
            for model, count in self._readable.items()
        ]
