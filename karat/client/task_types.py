"""What the client knows of types of task before it has asked a server."""

from dataclasses import dataclass
from typing import Final

from karat.client.resources import ExportFormat, Medium

FIRST: Final = "classification"
"""What a server takes where nothing is said; those of before know no other, and no word for it."""


@dataclass(frozen=True)
class KnownTask:
    """A type of task, with the defaults of one that a package has added to the server.

    Attributes:
        medium: Of a new project whose maker names none.
        json_lines: What ``.jsonl`` means as the ending of an export.
        lists_objects: Whether a label is a list of boxes, of which there may be none.
        compared: What answers say, beside whether anything is of it.
        is_learned: Whether a model learns from the answers, so that rounds have a strategy to
            choose by, a share of the classes and an accuracy.
        labeled: What is said of examples with a label.
        none: What is said of those that are not of this pool.
    """

    medium: Medium = "image"
    json_lines: ExportFormat = "jsonl"
    lists_objects: bool = False
    compared: str = "class"
    is_learned: bool = True
    labeled: str = "labeled"
    none: str = "OOD"


_KNOWN: Final = {
    "boxes": KnownTask(lists_objects=True, compared="boxes"),
    "instructions": KnownTask(
        medium="text",
        json_lines="alpaca",
        compared="order",
        is_learned=False,
        labeled="ranked",
        none="not of this data",
    ),
}


def known_task(name: str) -> KnownTask:
    """What is known of a type of task."""
    return _KNOWN.get(name, KnownTask())
