"""What became of every item: counts, and a CSV of what did not simply enter the pool."""

import csv
import io
import os
import re
import shutil
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Any, Final, NamedTuple, Self

from core.files.csv_escape import plain_row
from core.files.storage import write_atomically
from core.states import Split

_EXAMPLES: Final = 100
MOST_REASON: Final = 1000
# A reason may name a label or a split: with a wrong column there are as many as images.
_REASONS: Final = 20
_OTHER_REASONS: Final = "other reasons"
NOT_TAKEN: Final = "a label is not taken"
"""Note of an item whose label is refused; its detail is why."""
LEFT_ASIDE: Final = "a prediction is left aside"
"""Note of an item of which a model predicts what cannot be suggested; its detail is why."""
# Which box of which file a reason is of.
_BOX: Final = re.compile(r".*: box \d+ (?:\(line \d+\) )?", re.DOTALL)


class Outcome(StrEnum):
    """What became of an item."""

    ADDED = "added"
    # An image that was there already, and now is annotated.
    LABELED = "labeled"
    # An image that was there already, and of which a model predicts something.
    PREDICTED = "predicted"
    # What it says of an image that was there is known already.
    UNCHANGED = "unchanged"
    # It says nothing of an image that was there.
    EMPTY = "empty"
    DUPLICATE = "duplicate"
    # What it is for was not said, or it was not wanted.
    LEFT_OUT = "left_out"
    REFUSED = "refused"


class Note(NamedTuple):
    """Something to say of an item, whatever became of it.

    Attributes:
        reason: The same for all items of which it can be said.
        detail: What is the item's own.
    """

    reason: str
    detail: str = ""

    def __str__(self) -> str:
        """Both."""
        return f"{self.reason}: {self.detail}" if self.detail else self.reason


@dataclass(frozen=True, slots=True)
class Line:
    """What became of one item; ``notes`` are what is to be said of it all the same.

    An image that came before as one of ``before`` is one of ``split`` now.
    """

    name: str
    outcome: Outcome
    reason: str = ""
    split: Split | None = None
    notes: tuple[Note, ...] = ()
    before: Split | None = None

    def noted(self, reason: str, detail: str = "") -> "Line":
        """The same, with one more thing to say."""
        return replace(self, notes=(*self.notes, Note(reason, detail)))


@dataclass
class Tally:
    """Counts so far; ``total`` is also the position in the source.

    Each item is one of ``added``, ``labeled``, ``predicted``, ``unchanged``, ``empty``,
    ``duplicates``, ``left_out`` and ``refused``. ``predictions`` counts what models predict of an
    image that they did not before. Of labels, ``annotations`` counts those that were added,
    ``contradicting`` the images that got several which contradict each other, and ``noted`` what is
    to be said of items that were not refused, by reason; of labels and predictions that are not
    taken, with why.
    """

    total: int = 0
    added: int = 0
    labeled: int = 0
    predicted: int = 0
    predictions: int = 0
    unchanged: int = 0
    empty: int = 0
    annotations: int = 0
    contradicting: int = 0
    duplicates: int = 0
    left_out: int = 0
    refused: int = 0
    by_split: dict[str, int] = field(default_factory=lambda: dict.fromkeys(Split, 0))
    refused_examples: list[dict[str, str]] = field(default_factory=list)
    refused_by_reason: dict[str, int] = field(default_factory=dict)
    noted: dict[str, int] = field(default_factory=dict)
    left_out_by_reason: dict[str, int] = field(default_factory=dict)

    @classmethod
    def from_json(cls, stored: dict[str, Any]) -> Self:
        """What ``to_json`` gave."""
        return cls(**stored)

    def to_json(self) -> dict[str, Any]:
        """For the checkpoint, and at the end the job's result."""
        return asdict(self)

    def count(self, outcome: Outcome, name: str, reason: str, split: Split | None) -> None:
        """Count one item."""
        self.total += 1
        reason = reason[:MOST_REASON]
        if outcome is Outcome.ADDED:
            self.added += 1
            self.by_split[split or Split.POOL] += 1
        elif outcome is Outcome.LABELED:
            self.labeled += 1
        elif outcome is Outcome.PREDICTED:
            self.predicted += 1
        elif outcome is Outcome.UNCHANGED:
            self.unchanged += 1
        elif outcome is Outcome.EMPTY:
            self.empty += 1
        elif outcome is Outcome.DUPLICATE:
            self.duplicates += 1
        elif outcome is Outcome.LEFT_OUT:
            self.left_out += 1
            _count(self.left_out_by_reason, reason)
        else:
            self.refused += 1
            _count(self.refused_by_reason, reason)
            if len(self.refused_examples) < _EXAMPLES:
                self.refused_examples.append({"name": name, "reason": reason})

    def replace(self, before: Split, split: Split) -> None:
        """Count that an image that was added to ``before`` is in ``split`` now."""
        self.by_split[before] -= 1
        self.by_split[split] += 1

    def note(self, notes: Iterable[Note]) -> None:
        """Count what is to be said of one item."""
        for note in notes:
            if note.reason in (NOT_TAKEN, LEFT_ASIDE) and note.detail:
                _count(self.noted, self._untaken(*note), note.reason)
            else:
                _count(self.noted, note.reason)

    def _untaken(self, what: str, why: str) -> str:
        """Of what is not taken why, and of too many only that: others have to be told."""
        box = _BOX.match(why)
        # As pages know these sentences.
        rest = "" if box is None else why[box.end() :]
        if what == NOT_TAKEN:
            reason = f"a label is not taken: it {rest}" if rest else f"a label is not taken: {why}"
        elif rest:
            reason = f"a prediction is left aside: it {rest}"
        else:
            reason = f"a prediction is left aside: {why}"
        reason = reason[:MOST_REASON]
        known = [one for one in self.noted if one.startswith(what)]
        return reason if reason in known or len(known) < _REASONS // 2 else what


def _count(known: dict[str, int], reason: str, others: str = _OTHER_REASONS) -> None:
    reason = reason[:MOST_REASON]
    if reason not in known and len(known) >= _REASONS:
        reason = others
    known[reason] = known.get(reason, 0) + 1


def reasons(reason: str, notes: Iterable[Note]) -> str:
    """All that is to be said of an item, in one cell."""
    said = [reason, *map(str, notes)]
    return "; ".join(one for one in said if one)[:MOST_REASON]


class ReportFile:
    """The CSV while it grows. What was written after the last checkpoint is written again."""

    def __init__(self, path: Path, end: int) -> None:
        """Open ``path`` and drop what lies beyond ``end``, the length at the last checkpoint."""
        path.parent.mkdir(parents=True, exist_ok=True)
        self._path = path
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        os.ftruncate(self._descriptor, end)
        self.end = end
        if end == 0:
            self.append([("name", "outcome", "reason")])

    def append(self, rows: list[tuple[str, str, str]]) -> None:
        """Write ``rows`` at the end."""
        text = io.StringIO()
        csv.writer(text).writerows(map(plain_row, rows))
        content = text.getvalue().encode()
        os.pwrite(self._descriptor, content, self.end)
        self.end += len(content)

    def publish(self, target: Path) -> None:
        """Copy the whole report to ``target``."""
        write_atomically(target, lambda part: shutil.copyfile(self._path, part))

    def close(self) -> None:
        """Close the file."""
        os.close(self._descriptor)
