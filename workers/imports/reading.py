"""What files write of labels, read by its meaning where that is certain, else refused. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from core.states import Verdict
from workers.imports.items import (
    Item,
    Refused,
    Said,
    Values,
    composed,
    contradiction,
    mark,
    says_nothing,
    short_name,
    whole_number,
)

_NO_CLASS: Final = frozenset({Verdict.OOD, Verdict.UNSURE, Verdict.SKIP})


@dataclass(frozen=True, slots=True)
class Label:
    """What one column, or one person, says of an image; ``at`` is when, if it is known."""

    source_name: str
    verdict: Verdict
    class_id: int | None
    seconds: float = 0.0
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Read:
    """Labels of an item, and why others that it came with are not taken."""

    labels: tuple[Label, ...]
    unread: tuple[str, ...]


class LabelReader:
    """Reads labels of one import into a project.

    A label is the name of a class, else ``ood``, ``unsure`` or ``skip``, else the number of a class
    in a column of numbers, 0 for the first. Names are compared as NFC, letter by letter. Where
    classes are named by numbers, a number is always a name; and a column whose numbers cannot
    count the classes from 0 on has none that is taken. Columns that are named like classes and hold
    0 and 1 are read together: the class is the one that is 1.
    """

    def __init__(self, classes: Mapping[str, int], values: Mapping[str, Values]) -> None:
        """Read into ``classes``.

        Args:
            classes: Ids by name, in the order of the classes: the first has the number 0.
            values: What each column of labels holds as a whole.
        """
        self._classes = {composed(name): class_id for name, class_id in classes.items()}
        self._ids = list(classes.values())
        self._counts = not any(name.isdecimal() for name in classes)
        self._values = {composed(column): held for column, held in values.items()}
        self._alike = {name.casefold(): name for name in classes}

    def read(self, item: Item) -> Read:
        """Every label that an item comes with, apart from what it is the truth of."""
        labels: list[Label] = []
        unread = list(item.unread)
        marked: list[str] = []
        marks = [column for column, _ in item.annotations if self._is_marks(column)]
        for column, text in item.annotations:
            if says_nothing(text) and not self._is_class(text):
                continue
            if self._is_marks(column):
                if mark(text):
                    marked.append(column)
                continue
            _add(self.label(column, text), labels, unread)
        if len(marked) > 1:
            unread.append(f"several columns of classes are 1: {', '.join(marked)[:100]}")
        elif marked:
            # All of the columns are one source, so that another 1 corrects it next time.
            source = short_name(", ".join(sorted(marks)))
            _add(self._named(source, marked[0].strip()), labels, unread)
        for one in item.said:
            _add(self._said(one), labels, unread)
        return Read(tuple(labels), tuple(unread))

    def truth(self, item: Item) -> int | Refused:
        """The class that an evaluation image is of."""
        if item.label is None or (says_nothing(item.label) and not self._is_class(item.label)):
            said = {text for column, text in item.annotations if column == "label"}
            said |= {
                one.class_name or str(one.verdict)
                for one in item.said
                if one.verdict not in (Verdict.UNSURE, Verdict.SKIP)
            }
            if len(said) > 1:
                return Refused(contradiction(said))
            return Refused(item.unread[0] if item.unread else "an evaluation image needs a label")
        column = item.label_column
        if column is None or self._is_class(item.label) or whole_number(item.label) is None:
            reason = f"label {item.label[:100]!r} is not a class of the project"
            return self._class(item.label) or self._refused(reason, item.label)
        label = self.label(column, item.label)
        return (
            label
            if isinstance(label, Refused)
            else label.class_id or Refused("an evaluation image needs a class")
        )

    def label(self, column: str, text: str) -> Label | Refused:
        """What ``column`` says of an image by ``text``, which may be a number."""
        named = self._named(column, text)
        number = whole_number(text)
        if isinstance(named, Label) or number is None or not self._counts:
            return named
        held = self._values.get(composed(column))
        if held is None or held.least is None:
            # No column of numbers, but a folder: that is named like a class.
            return named
        if self._names_class(column):
            return Refused(
                f"column {column} is named like a class, but does not only hold 0 and 1 "
                f"({held.example[:50]!r}); name it otherwise if its numbers count classes"
            )
        if number >= len(self._ids):
            return named
        if held.least and held.most is not None and held.most >= len(self._ids):
            return Refused(
                f"{column} says {text[:100]!r}, and its numbers run from {held.least} to "
                f"{held.most}: those of the {len(self._ids)} classes run from 0 to "
                f"{len(self._ids) - 1}. Count from 0, or write names"
            )
        return Label(column, Verdict.CLASS, self._ids[number])

    def reads(self, column: str, text: str) -> bool:
        """Whether ``text`` could be a label; also of a column that nobody has asked for yet."""
        if says_nothing(text) or (self._is_marks(column) and mark(text) is not None):
            return True
        number = whole_number(text)
        if composed(column) not in self._values and number is not None and self._counts:
            return number < len(self._ids)
        return isinstance(self.label(column, text), Label)

    def says(self, one: Said) -> bool:
        """Whether what a document states is a label."""
        return isinstance(self._said(one), Label)

    def _named(self, source: str, text: str) -> Label | Refused:
        class_id = self._class(text)
        if class_id is not None:
            return Label(source, Verdict.CLASS, class_id)
        word = text.strip().lower()
        if word in _NO_CLASS:
            return Label(source, Verdict(word), None)
        reason = (
            f"{source} says {text[:100]!r}: neither a class of the project, nor the number of "
            f"one (0 to {len(self._ids) - 1}), ood, unsure or skip"
        )
        return self._refused(reason, text)

    def _said(self, one: Said) -> Label | Refused:
        """A verdict that a document states; a choice or a category is a name, and no number."""
        name = one.class_name or ""
        if one.verdict is not None and one.verdict is not Verdict.CLASS:
            return Label(one.source_name, one.verdict, None, one.seconds, one.at)
        class_id = self._class(name)
        if class_id is not None:
            return Label(one.source_name, Verdict.CLASS, class_id, one.seconds, one.at)
        word = name.strip().lower()
        if one.verdict is None and word in _NO_CLASS:
            return Label(one.source_name, Verdict(word), None, one.seconds, one.at)
        reason = (
            f"{one.source_name} says {name[:100]!r}, which is not a class of the project; add it, "
            "and import again"
        )
        return self._refused(reason, name)

    def _class(self, text: str) -> int | None:
        name = composed(text)
        return self._classes.get(name, self._classes.get(name.strip()))

    def _is_class(self, text: str) -> bool:
        return self._class(text) is not None

    def _names_class(self, column: str) -> bool:
        name = column.strip()
        return self._is_class(name) or name.lower() in _NO_CLASS

    def _is_marks(self, column: str) -> bool:
        held = self._values.get(composed(column))
        return held is not None and held.marks and self._names_class(column)

    def _refused(self, reason: str, text: str) -> Refused:
        """Why a label is none, and what may be meant where only the letters' case differs."""
        alike = self._alike.get(text.strip().casefold())
        return Refused(reason if alike is None else f"{reason} (there is {alike!r})")


def _add(one: Label | Refused, labels: list[Label], unread: list[str]) -> None:
    if isinstance(one, Refused):
        unread.append(one.reason)
    else:
        labels.append(one)
