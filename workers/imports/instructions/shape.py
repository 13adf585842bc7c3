"""What a shape of rows that compare answers is, and what such rows have in common. Pure."""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from workers.imports.instructions.compared import ASKED, Stated
from workers.imports.instructions.parse import HISTORIES, SYSTEMS, may_be_history
from workers.imports.items import Refused

NUMBERED: Final = re.compile(
    r"(output|response|completion|answer|generation|conversation)s?[ _.-]?([0-9]{1,2}|[a-z])"
)
SIDES: Final = {"left": 0, "right": 1}

Fields = Mapping[str, Any]
State = Callable[[Fields], Stated | Refused]


@dataclass(frozen=True, slots=True)
class Shape:
    """Where the rows of a table have what they compare.

    Attributes:
        how: In words what is above what, for the plan; empty where nothing is said.
        roles: Columns by what they were taken for.
        state: What a row says.
        needed: Columns without which a row says nothing.
    """

    how: str
    roles: Mapping[str, str]
    state: State
    needed: frozenset[str]


class There:
    """The columns of a table, by their names in small letters."""

    def __init__(self, names: Collection[str]) -> None:
        self.names: dict[str, str] = {}
        for name in names:
            self.names.setdefault(name.casefold(), name)
        self.asked = self.first(ASKED)
        self.system = self.first(SYSTEMS)
        self.history = self.first(HISTORIES)
        beside = [one for one in ("input", "context") if self.names.get(one) != self.asked]
        self.inputs = self.first(beside)

    def first(self, words: Sequence[str]) -> str | None:
        """The first of ``words`` that is a column."""
        return next((self.names[word] for word in words if word in self.names), None)

    def shape(self, how: str, own: Mapping[str, str | None], state: State) -> Shape:
        """A shape of rows whose question stands in a column of its own."""
        asking = {
            "instruction": self.asked,
            "input": self.inputs,
            "system": self.system,
            "history": self.history,
        }
        found = {role: name for role, name in {**asking, **own}.items() if name is not None}
        return Shape(how, found, state, frozenset(found.values()))

    def stated(self, fields: Fields, own: Collection[str], **said: Any) -> Stated:
        """What a row says whose question stands in a column of its own."""

        def pair(name: str | None) -> tuple[str, Any] | None:
            return None if name is None else (name, fields.get(name))

        taken = {*own, self.asked, self.inputs, self.system}
        if may_be_history(fields.get(self.history or "")):
            taken.add(self.history)
        others = {name: value for name, value in fields.items() if name not in taken}
        asked = pair(self.asked) or (ASKED[0], None)
        return Stated(
            asked=asked,
            inputs=pair(self.inputs),
            system=pair(self.system),
            history=pair(self.history),
            others=others,
            **said,
        )
