"""What is said of an import as a whole: how it read what files write in their own way."""

from collections.abc import Sequence
from typing import Final

from core.tasks.class_lookup import ClassLookup
from workers.imports.counting import how_counted

_MOST_NAMES: Final = 10


class ReadNotes:
    """How columns of numbers, and names that are not quite those of classes, were read so far."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self._counted: dict[str, str] = {}
        self._named: dict[str, str] = {}

    def add_numbers(self, column: str, names: Sequence[str], first: int) -> None:
        """Note that a column has numbers of classes.

        Args:
            column: Its name.
            names: Of the classes, in their order.
            first: The number of the first.
        """
        if column not in self._counted:
            self._counted[column] = how_counted(column, names, first)

    def add_name(self, text: str, classes: ClassLookup) -> None:
        """Note that ``text`` was read as a class, if it is not called exactly so."""
        if len(self._named) >= _MOST_NAMES or classes.is_exact(text):
            return
        name = classes.name_of(text)
        if name is not None:
            self._named[text.strip()[:100]] = name

    def told(self) -> list[str]:
        """Sentences, of ten names at the most."""
        named = [f"{text!r} is read as the class {name!r}." for text, name in self._named.items()]
        return [*self._counted.values(), *named]
