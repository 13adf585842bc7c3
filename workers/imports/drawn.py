"""What a file draws on one image, or says that a model does, before its size is known. Pure."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any, Final, Self

from core.tasks.box_attributes import NONE, Attributes

BOXES: Final = "\0boxes"
"""Field of an indexed row that holds what files draw on its image."""
PREDICTED: Final = "\0predicted"
"""Field of an indexed row that holds what files say that models predict of its image."""


def stated_size(width: object, height: object) -> tuple[float, float] | None:
    """The size that a file says an image has, as numbers or in letters; None where it says none."""
    if isinstance(width, bool) or isinstance(height, bool):
        return None
    try:
        sides = float(width), float(height)  # type: ignore[arg-type]
    except (OverflowError, TypeError, ValueError):
        return None
    return sides if all(isfinite(one) and one > 0 for one in sides) else None


def class_names_in(text: str) -> set[str] | None:
    """Of what classes boxes are that are written as a list in JSON; None if it is no such list."""
    try:
        rows = json.loads(text)
        return {str(row["class"]) for row in rows} if isinstance(rows, list) else None
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


def names_in(text: str) -> list[str]:
    """The names of classes that a label in a cell has: of boxes those of each, else all of it."""
    return sorted(class_names_in(text) or {text})


@dataclass(frozen=True, slots=True)
class Rectangle:
    """A box as a file writes it.

    Attributes:
        number: Which of the file's boxes of the image it is, counted from 1.
        class_name: What it is around.
        values: Its four numbers, letter by letter.
        flags: Which of ``occluded``, ``truncated``, ``difficult`` and ``crowd`` it is.
        is_made: Whether the numbers were made of another shape, so that no file has them.
        score: How sure a model is of it, as it is written; ``None`` where nobody says.
        attributes: What else is said of it, as far as a box can keep it.
    """

    number: int
    class_name: str
    values: tuple[str, ...]
    flags: tuple[str, ...] = ()
    is_made: bool = False
    score: str | None = None
    attributes: Attributes = NONE

    def to_json(self) -> list[Any]:
        """For an index on disk."""
        values = [self.number, self.class_name, self.values, self.flags, self.is_made, self.score]
        return [*values, dict(self.attributes)]

    @classmethod
    def from_json(cls, stored: Sequence[Any]) -> Self:
        """What ``to_json`` gave, here or in a version that read no attributes."""
        number, name, values, flags, is_made, score, *said = stored
        held = Attributes(said[0]) if said and said[0] else NONE
        return cls(number, name, tuple(values), tuple(flags), is_made, score, held)


@dataclass(frozen=True, slots=True)
class Drawn:
    """All that somebody has drawn on one image; without a box they say that there is nothing.

    Attributes:
        file: Which file says so.
        convention: What its numbers mean: a name of ``core.tasks.box_conventions``.
        boxes: In the order of the file.
        size: Width and height that the file says the image has.
        notes: What was left aside, or made of something else.
        guessed: Whether no file says what the numbers mean, and the usual is taken for granted.
    """

    file: str
    convention: str
    boxes: tuple[Rectangle, ...]
    size: tuple[float, float] | None = None
    notes: tuple[str, ...] = ()
    guessed: bool = False

    @property
    def shown(self) -> str:
        """In a word, for plans."""
        count = len(self.boxes)
        return "no objects" if count == 0 else "1 box" if count == 1 else f"{count:,} boxes"

    def to_json(self) -> dict[str, Any]:
        """For an index on disk."""
        return {
            "file": self.file,
            "convention": self.convention,
            "size": self.size,
            "notes": self.notes,
            "guessed": self.guessed,
            "boxes": [one.to_json() for one in self.boxes],
        }

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Self:
        """What ``to_json`` gave."""
        size: Sequence[float] | None = stored["size"]
        return cls(
            file=stored["file"],
            convention=stored["convention"],
            boxes=tuple(map(Rectangle.from_json, stored["boxes"])),
            size=None if size is None else (size[0], size[1]),
            notes=tuple(stored["notes"]),
            guessed=stored["guessed"],
        )


@dataclass(frozen=True, slots=True)
class Predicted:
    """What a model predicts of an image, as a file has it: boxes, or a class.

    Attributes:
        model: What the model is called.
        drawn: The boxes.
        class_name: The class, or a number of one, or boxes as a list in JSON.
        probability: How sure the model is of the class, as it is written; ``None`` if it says not.
        column: Where the class stood.
        refused: Why it cannot be read; empty where it can.
    """

    model: str
    drawn: Drawn | None = None
    class_name: str | None = None
    probability: str | None = None
    column: str = ""
    refused: str = ""
