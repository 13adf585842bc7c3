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
    """

    medium: Medium = "image"
    json_lines: ExportFormat = "jsonl"
    lists_objects: bool = False
    compared: str = "class"


_KNOWN: Final = {
    "boxes": KnownTask(lists_objects=True, compared="boxes"),
    "instructions": KnownTask(medium="text", json_lines="alpaca", compared="order"),
}


def known_task(name: str) -> KnownTask:
    """What is known of a type of task."""
    return _KNOWN.get(name, KnownTask())
