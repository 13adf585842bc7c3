"""What files write of labels, read by its meaning where that is certain, else refused. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from core.errors import Invalid
from core.names import composed
from core.states import Verdict
from core.tasks.class_lookup import ClassLookup
from core.tasks.classification import CLASSIFICATION, class_label
from core.tasks.spec import Label, TaskType
from workers.imports.counting import uncertainty
from workers.imports.drawn import Drawn, class_names_in, names_in
from workers.imports.items import Item, Refused, Said, short_name, unfit, unsettled
from workers.imports.notes import ReadNotes
from workers.imports.settled import Settled, Upright, settle
from workers.imports.values import NO_CLASS, Values, is_word, mark, says_nothing, whole_number


@dataclass(frozen=True, slots=True)
class Opinion:
    """What one column, or one person, says of an image; ``at`` is when, if it is known.

    What was ``drawn`` is a label once it is known how large the image is.
    """

    source_name: str
    verdict: Verdict
    label: Label | None
    seconds: float = 0.0
    at: datetime | None = None
    drawn: Drawn | None = None
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Read:
    """Labels of an item, and why others that it came with are not taken."""

    labels: tuple[Opinion, ...]
    unread: tuple[str, ...]


class LabelReader:
    """Reads labels of one import into a project.

    What a text means is for the project's task type to say. In classification a label is the name
    of a class, else ``ood``, ``unsure`` or ``skip``, else the number of a class in a column of
    numbers. Names are looked up by ``ClassLookup``, but words of verdicts letter by letter. Where
    classes are named by numbers, a number is always a name. Numbers are taken where it is certain
    what they count: if there is a 0, none beyond the last class, and nothing but numbers, 0 is the
    first class. Columns that are named like classes and hold 0 and 1 are read together: the class
    is the one that is 1.
    """

    def __init__(
        self,
        classes: Mapping[str, int],
        values: Mapping[str, Values],
        first: int | None = None,
        task: TaskType[Any] = CLASSIFICATION,
    ) -> None:
        """Read into ``classes``.

        Args:
            classes: Ids by name, in their order.
            values: What each column of labels holds as a whole.
            first: The number of the first class, where the sender has said it: then every number
                of a class is taken.
            task: The project's task type, which says what a text means.
        """
        self._task = task
        self._names, self._ids = list(classes), list(classes.values())
        self._given, self._first = first, first or 0
        self._classes = ClassLookup(classes, is_word)
        self._notes = ReadNotes()
        self._counts = task.names_one_class and not any(name.isdecimal() for name in classes)
        self._values = {composed(column): held for column, held in values.items()}
        # A column Target alone may well tell target, 1, from background, 0.
        marked = (column for column, held in self._values.items() if held.marks)
        self._has_marks = sum(self._is_label(column.strip()) for column in marked) > 1

    def read(self, item: Item) -> Read:
        """Every label that an item comes with, apart from what it is the truth of."""
        labels: list[Opinion] = []
        unread = list(item.unread)
        for _, one in self.each(item):
            if isinstance(one, Refused):
                unread.append(one.reason)
            else:
                labels.append(one)
        return Read(tuple(labels), tuple(unread))

    def each(self, item: Item) -> Iterator[tuple[str, Opinion | Refused]]:
        """What each column, and whoever a document names, says of an item, if it says anything."""
        marked: list[str] = []
        marks = [column for column, _ in item.annotations if self._is_marks(column)]
        for column, text in item.annotations:
            if says_nothing(text) and not self._is_label(text):
                continue
            if self._is_marks(column):
                if mark(text):
                    marked.append(column)
                continue
            yield column, self.label(column, text)
        if len(marked) > 1:
            shown = ", ".join(marked)[:100]
            yield marked[0], Refused(f"several columns of classes are 1: {shown}")
        elif marked:
            # All of the columns are one source, so that another 1 corrects it next time.
            source = short_name(", ".join(sorted(marks)))
            yield marked[0], self._named(source, marked[0].strip())
        for one in item.said:
            yield one.source_name, self._said(one)

    @property
    def of_one_class(self) -> bool:
        """Whether a label of the project is one class."""
        return self._task.names_one_class

    @property
    def notes(self) -> list[str]:
        """How numbers, and names that are not quite those of classes, were read so far."""
        return self._notes.told()

    def has_class(self, name: str) -> bool:
        """Whether the project has a class that is called so."""
        return name in self._classes

    def classes_in(self, item: Item) -> set[str] | None:
        """Of what classes the boxes are that come with an item; None if nobody has drawn any.

        None of a class is not none at all: somebody says that there is nothing.
        """
        written = [one.class_name for one in item.said if one.class_name is not None]
        found = [class_names_in(text) for text in (*written, item.label) if text is not None]
        found += [
            {box.class_name for box in one.drawn.boxes}
            for one in item.said
            if one.drawn is not None
        ]
        known = [names for names in found if names is not None]
        return set().union(*known) if known else None

    def upright(self, item: Item, image: Upright | None) -> Item:
        """An item with its boxes as labels of its image, or why they are none.

        Args:
            item: What came.
            image: Its image, held upright; ``None`` if that cannot be read.
        """
        said: list[Said] = []
        unread, told = list(item.unread), list(item.told)
        for one in item.said:
            found = None if one.drawn is None else self._settled(one.drawn, image)
            if isinstance(found, Refused):
                unread.append(found.reason)
            elif found is None or one.drawn is None:
                said.append(one)
            else:
                said.append(replace(one, drawn=None, label=found.label))
                told += ((note, one.drawn.file) for note in found.notes)
        return replace(item, said=tuple(said), unread=tuple(unread), told=tuple(told))

    def settled(
        self, opinion: Opinion, image: Upright | None
    ) -> tuple[Opinion, tuple[str, ...]] | Refused:
        """An opinion of an image of known size, and what had to be decided for it."""
        if opinion.drawn is None:
            beside = image and self.beside(opinion.label, image)
            if beside is not None:
                return Refused(f"{opinion.source_name} does not fit its image: {beside.reason}")
            return opinion, ()
        found = self._settled(opinion.drawn, image)
        if isinstance(found, Refused):
            return found
        return replace(opinion, drawn=None, label=found.label), found.notes

    @property
    def looks_at_size(self) -> bool:
        """Whether labels depend on how large their images are."""
        return self._task.looks_at_size

    def within(self, read: Read, image: Upright) -> Read:
        """The labels that fit an image, and why the others are not taken."""
        labels, unread = [], list(read.unread)
        for one in read.labels:
            found = self.settled(one, image)
            if isinstance(found, Refused):
                unread.append(found.reason)
            else:
                labels.append(found[0])
        return Read(tuple(labels), tuple(unread))

    def beside(self, label: Label | None, image: Upright) -> Refused | None:
        """Why a label does not fit an image, if it does not."""
        if label is None or label.type != self._task.name:
            return None
        try:
            self._task.check_size(label, image.width, image.height)
        except Invalid as error:
            return Refused(error.detail)
        return None

    def _settled(self, drawn: Drawn, image: Upright | None) -> Settled | Refused:
        if self._task.names_one_class:
            return Refused(f"{drawn.file}: has boxes, and the labels of the project are classes")
        found = settle(drawn, self._classes, image)
        if isinstance(found, Settled):
            for box in drawn.boxes:
                self._notes.add_name(box.class_name, self._classes)
        return found

    def truth(self, item: Item) -> Label | Refused:
        """What an evaluation image is."""
        boxes = self._drawn_truth(item)
        if boxes is not None:
            return boxes
        if item.rivals:
            return self._one_of(item.rivals)
        if item.label is None or (says_nothing(item.label) and not self._is_label(item.label)):
            said = {text for column, text in item.annotations if column == "label"}
            said |= {
                one.class_name or str(one.verdict)
                for one in item.said
                if one.verdict not in (Verdict.UNSURE, Verdict.SKIP)
            }
            if len(said) > 1:
                return Refused(unsettled(said))
            return Refused(item.unread[0] if item.unread else "an evaluation image needs a label")
        return self._truth(item.label_column, item.label)

    def _drawn_truth(self, item: Item) -> Label | Refused | None:
        """What files draw on an evaluation image; ``None`` if they do not."""
        found: dict[Label, None] = {}
        for one in item.said:
            label = one.label
            if one.drawn is not None:
                settled = self._settled(one.drawn, None)
                if isinstance(settled, Refused):
                    return settled
                label = settled.label
            if label is not None:
                found[label] = None
        if len(found) > 1:
            return Refused(unsettled(one.source_name for one in item.said))
        return next(iter(found), None)

    def _truth(self, column: str | None, text: str) -> Label | Refused:
        if column is None or self._is_label(text) or whole_number(text) is None:
            reason = unfit(text, self._task.noun, is_verdict=text.strip().lower() in NO_CLASS)
            return self._taken(text) or self._refused(column or "label", reason, text)
        found = self.label(column, text)
        if isinstance(found, Refused):
            return found
        needed = "a class" if self._task.names_one_class else "a label"
        return found.label or Refused(f"an evaluation image needs {needed}")

    def _one_of(self, rivals: Sequence[tuple[str | None, str]]) -> Label | Refused:
        """The class that all say; a folder that is called like no class says nothing."""
        found = {
            (column, text): self._truth(column or None, text)
            for column, text in rivals
            if column is not None or self._is_label(text)
        }
        classes = {*found.values()}
        if len(classes) == 1:
            return next(iter(found.values()))
        return Refused(unsettled(dict.fromkeys(text for _, text in found)))

    def label(self, column: str, text: str) -> Opinion | Refused:
        """What ``column`` says of an image by ``text``, which may be a number."""
        named = self._named(column, text)
        number = whole_number(text)
        if isinstance(named, Opinion) or number is None or not self._counts:
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
        uncertain = "" if self._given is not None else uncertainty(held, len(self._ids))
        if uncertain:
            return Refused(
                f"{column} says {text[:100]!r}, and {uncertain}. Write names, or say what the "
                "first class is with count_from=0 or count_from=1"
            )
        if not 0 <= number - self._first < len(self._ids):
            return named
        self._notes.add_numbers(column, self._names, self._first)
        class_id = self._ids[number - self._first]
        return Opinion(column, Verdict.LABEL, class_label(class_id))

    def apart(self) -> "LabelReader":
        """The same, with notes of its own on how it is read: for what is only tried."""
        other = copy(self)
        other._notes = ReadNotes()
        return other

    def asked(self, column: str, held: Values) -> "LabelReader":
        """The same for a column of ``held`` that nobody has asked for."""
        classes = dict(zip(self._names, self._ids, strict=True))
        return LabelReader(classes, {column: held}, self._given, self._task)

    def reads(self, column: str, text: str) -> bool | None:
        """Whether ``text`` is a label in a column; ``None`` where it says nothing."""
        item = Item(name="", read=lambda: Refused("empty file"), annotations=((column, text),))
        return next((isinstance(found, Opinion) for _, found in self.each(item)), None)

    def may_count(self, held: Values) -> bool:
        """Whether what is held are numbers that would count the classes from another first one."""
        most = -1 if held.most is None else held.most
        is_first = bool(held.least) and most <= len(self._ids)
        return self._counts and self._given is None and not held.other and is_first

    def doubts(self, column: str, text: str) -> bool:
        """Whether ``text`` is a number of which it is not certain what it counts."""
        held = self._values.get(composed(column))
        is_number = self._counts and held is not None and whole_number(text) is not None
        return (
            is_number
            and held is not None
            and self._given is None
            and not self._is_label(text)
            and not self._names_class(column)
            and bool(uncertainty(held, len(self._ids)))
        )

    def _named(self, source: str, text: str) -> Opinion | Refused:
        if (label := self._taken(text)) is not None:
            return Opinion(source, Verdict.LABEL, label)
        word = text.strip().lower()
        if word in NO_CLASS:
            return Opinion(source, Verdict(word), None)
        numbers = f"the number of one ({self._first} to {self._first + len(self._ids) - 1}), "
        number = numbers if self._task.names_one_class and self._ids else ""
        reason = (
            f"{source} says {text[:100]!r}: neither {self._task.noun}, nor {number}ood, unsure or "
            "skip"
        )
        return self._refused(source, reason, text)

    def _said(self, one: Said) -> Opinion | Refused:
        """A verdict that a document states; a choice or a category is a name, and no number."""
        name, how = one.class_name or "", (one.seconds, one.at, one.drawn, one.note)
        found = None if one.drawn is None else self._settled(one.drawn, None)
        if isinstance(found, Refused):
            return found
        if one.drawn is not None or one.label is not None:
            return Opinion(one.source_name, Verdict.LABEL, one.label, *how)
        if one.verdict is not None and one.verdict is not Verdict.LABEL:
            return Opinion(one.source_name, one.verdict, None, *how)
        if (label := self._taken(name)) is not None:
            return Opinion(one.source_name, Verdict.LABEL, label, *how)
        word = name.strip().lower()
        if one.verdict is None and word in NO_CLASS:
            return Opinion(one.source_name, Verdict(word), None, *how)
        reason = (
            f"{one.source_name} says {name[:100]!r}, which is not {self._task.noun}; add it, "
            "and import again"
        )
        return self._refused(one.source_name, reason, name)

    def _meant(self, text: str) -> Label | None:
        label: Label | None = self._task.read(text, self._classes)
        return label

    def _taken(self, text: str) -> Label | None:
        if (label := self._meant(text)) is not None:
            for name in names_in(text):
                self._notes.add_name(name, self._classes)
        return label

    def _is_label(self, text: str) -> bool:
        return self._meant(text) is not None

    def _names_class(self, column: str) -> bool:
        name = column.strip()
        named = self._classes.is_exact(name) or (self._has_marks and self._is_label(name))
        return (self._task.names_one_class and named) or name.lower() in NO_CLASS

    def _is_marks(self, column: str) -> bool:
        held = self._values.get(composed(column))
        return held is not None and held.marks and self._names_class(column)

    def _refused(self, source: str, reason: str, text: str) -> Refused:
        """Why a label is none, and what may be meant where that is not certain."""
        why = self._task.why_not(text, self._classes)
        rivals = "; ".join(filter(None, map(self._classes.rivals, names_in(text))))
        if why is not None:
            reason = f"{source} cannot be read: {why}"
        return Refused(f"{reason} (it may be any of {rivals})" if rivals else reason)
