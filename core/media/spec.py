"""What all media have in common."""

from collections.abc import Callable
from dataclasses import dataclass

from core.states import Medium


@dataclass(frozen=True, slots=True)
class MediumSpec:
    """What the examples of a project are.

    Attributes:
        name: The medium.
        suffixes: Endings of files that are one example each, in lower case.
        bringing: Endings of other files that may be sent: they bring examples.
        describing: Endings of files that say something of examples, and may bring none.
        most_bytes: How long the file of one example may be, in bytes, before it is looked into.
        preview: What lists show of an example's content; ``None`` where they show a picture.
    """

    name: Medium
    suffixes: frozenset[str]
    bringing: frozenset[str]
    describing: frozenset[str]
    most_bytes: int
    preview: Callable[[str], str] | None = None

    @property
    def uploads(self) -> frozenset[str]:
        """Endings of all files that may be sent, before they are compressed."""
        return self.suffixes | self.bringing | self.describing
