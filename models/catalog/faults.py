"""What pydantic finds wrong with a value, in words for whoever typed it. Torch-free."""

import math
import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any, Final, NamedTuple

from pydantic import BaseModel
from pydantic_core import ErrorDetails

from models.errors import ModelError

_OURS = re.compile(r"^(?:Value error|Assertion failed), ")
# "String should have at least 1 character", "List should have …", "Input should be …".
_SHOULD = re.compile(r"^\w+ should ")
# A name, or one of several words, that is not known.
_UNKNOWN = frozenset({"extra_forbidden", "literal_error"})
# What people call what pydantic calls otherwise.
_WORDS: Final = {
    "bool_type": "must be true or false",
    "bool_parsing": "must be true or false",
    "dict_type": "must be an object with names and values",
    "model_type": "must be an object with names and values",
    "model_attributes_type": "must be an object with names and values",
}
# What follows is about the parser: ", unable to parse string as an integer".
_PARSER = re.compile(r", (?:unable|got) .*| after validation")


class Fault(NamedTuple):
    """What is wrong with one value.

    Attributes:
        place: names and positions that lead to the value, the outermost first.
        message: what is wrong and what would be right, in English.
        type: pydantic's name for it, by which it can be said in other languages.
        ctx: what varies in it, by pydantic's names, such as a limit; of an unknown name also
            `nearest`, or the `known` ones.
    """

    place: tuple[int | str, ...]
    message: str
    type: str
    ctx: Mapping[str, str | int | float]

    def __str__(self) -> str:
        """Return the message after where the value is, where it is somewhere."""
        return ": ".join(filter(None, (".".join(map(str, self.place)), self.message)))


class InvalidParams(ModelError):
    """Parameters of an algorithm that are not acceptable.

    Attributes:
        faults: one or more, by the places of the parameters.
    """

    def __init__(self, what: str, faults: Sequence[Fault]) -> None:
        """Say whose parameters they are: "Strategy margin"."""
        super().__init__(f"{what}: {'; '.join(map(str, faults))}.")
        self._what, self.faults = what, tuple(faults)

    @property
    def of_other_version(self) -> str | None:
        """What to say where they are stored, and so were valid: another version knows others.

        None where each of them is known.
        """
        names = [".".join(map(str, one.place)) for one in self.faults if one.type in _UNKNOWN]
        if not names:
            return None
        return (
            f"{self._what} has parameters that this version of Karat does not know, as another "
            f"one has saved them: {', '.join(names)}. Have the worker and the API be of the same "
            "version, or start the job anew."
        )


def fault_of(details: ErrorDetails, schema: type[BaseModel] | None = None) -> Fault:
    """Say what is wrong with the value and what would be right.

    Args:
        details: one of `ValidationError.errors()`.
        schema: what was validated; its names are offered in place of an unknown one.
    """
    kind, place, text = details["type"], tuple(details["loc"]), details["msg"]
    ctx = _plain(details.get("ctx", {}))
    if kind == "missing":
        return Fault(place, "missing; add it", kind, ctx)
    if kind == "json_invalid":
        match place:
            # Of a body of HTTP it is no place in a value, but how many characters were read.
            case ("body", int(at)):
                said = f"not valid JSON at character {at + 1}: {ctx.get('error')}"
                return Fault(("body",), said, kind, ctx)
        return Fault(place, "not valid JSON", kind, ctx)
    if kind == "extra_forbidden":
        known = [] if schema is None else _names_beside(schema, place)
        if close := get_close_matches(str(place[-1]), known, n=1):
            remedy, ctx = f"the nearest is {close[0]}", {**ctx, "nearest": close[0]}
        elif known:
            names = ", ".join(known)
            remedy, ctx = f"known: {names}", {**ctx, "known": names}
        else:
            remedy = "leave it out"
        return Fault(place, f"there is no such name; {remedy}", kind, ctx)
    if _SHOULD.match(text):
        said = _WORDS.get(kind) or _SHOULD.sub("must ", _PARSER.sub("", text))
        return Fault(place, said, kind, ctx)
    return Fault(place, _OURS.sub("", text), kind, ctx)


def _plain(ctx: Mapping[str, Any]) -> dict[str, str | int | float]:
    """What of a context JSON can hold; an error that we raised is the message itself."""
    return {
        name: value
        if isinstance(value, str | int) or (isinstance(value, float) and math.isfinite(value))
        else str(value)
        for name, value in ctx.items()
        if value is not None and not isinstance(value, Exception)
    }


def _names_beside(schema: type[BaseModel], location: Sequence[int | str]) -> list[str]:
    for part in location[:-1]:
        field = schema.model_fields.get(str(part))
        inner: Any = None if field is None else field.annotation
        if not (isinstance(inner, type) and issubclass(inner, BaseModel)):
            return []
        schema = inner
    return list(schema.model_fields)
