"""What stands in columns of labels: numbers, marks, nothing. Pure."""

import re
from dataclasses import dataclass
from typing import Final

from core.states import Verdict

# A number with zeros before it is a code: nobody counts that way.
_WHOLE: Final = re.compile(r"(0|[1-9][0-9]{0,8})(?:\.0*)?")
_MARKS: Final = {"0": False, "1": True, "false": False, "true": True}
# How tables, pandas and Hugging Face's numbers (-1) write that there is no label.
_NOTHING: Final = frozenset({"", "nan", "none", "null", "na", "n/a", "<na>", "-1", "-1.0"})
NO_CLASS: Final = frozenset({Verdict.OOD, Verdict.UNSURE, Verdict.SKIP})
_YES: Final = frozenset({"1", "true", "yes"})


def is_yes(value: object) -> bool:
    """Whether a flag is set."""
    return str(value).strip().lower() in _YES


@dataclass(slots=True)
class Values:
    """What stands in a column of labels.

    Attributes:
        least: The smallest whole number from 0 on; ``None`` without one.
        most: The largest.
        marks: Whether nothing but 0 and 1 (or false and true) stands there.
        example: Something else that does.
        other: What is neither a number, nor nothing, nor a verdict without a class.
    """

    least: int | None = None
    most: int | None = None
    marks: bool = True
    example: str = ""
    other: str = ""

    def add(self, text: str) -> None:
        """Note one value, as it is written."""
        number = whole_number(text)
        if number is not None:
            self.least = number if self.least is None else min(self.least, number)
            self.most = number if self.most is None else max(self.most, number)
        elif not (self.other or says_nothing(text) or text.strip().lower() in NO_CLASS):
            self.other = text
        if self.marks and mark(text) is None and not says_nothing(text):
            self.marks, self.example = False, text

    def include(self, other: "Values") -> None:
        """Note what stands in another column that is meant to be the same."""
        ends = [one for one in (self.least, other.least) if one is not None]
        self.least = min(ends, default=None)
        ends = [one for one in (self.most, other.most) if one is not None]
        self.most = max(ends, default=None)
        if self.marks and not other.marks:
            self.marks, self.example = False, other.example
        self.other = self.other or other.other


def whole_number(text: str) -> int | None:
    """A number from 0 on, also as columns of floats write it (``1.0``)."""
    digits = _WHOLE.fullmatch(text.strip())
    return int(digits[1]) if digits else None


def mark(text: str) -> bool | None:
    """Whether ``text`` marks something as so (1, true) or not so (0, false); None if neither."""
    number = whole_number(text)
    return _MARKS.get(text.strip().lower() if number is None else str(number))


def says_nothing(text: str) -> bool:
    """Whether a label is written that way where there is none."""
    return text.strip().lower() in _NOTHING


def is_word(text: str) -> bool:
    """Whether a label is written that way where it is no class: nothing, or a verdict."""
    return says_nothing(text) or text.strip().lower() in NO_CLASS
