"""What pydantic finds wrong with a value, in words for whoever typed it. Torch-free."""

import re
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Any

from pydantic import BaseModel
from pydantic_core import ErrorDetails

_OURS = re.compile(r"^(?:Value error|Assertion failed), ")
# "String should have at least 1 character", "List should have …", "Input should be …".
_SHOULD = re.compile(r"^\w+ should ")
# What follows is about the parser: ", unable to parse string as an integer".
_PARSER = re.compile(r", (?:unable|got) .*| after validation")


def message_of(fault: ErrorDetails, schema: type[BaseModel] | None = None) -> str:
    """Say what is wrong with the value and what would be right.

    Args:
        fault: one of `ValidationError.errors()`.
        schema: what was validated; its names are offered in place of an unknown one.
    """
    kind, text = fault["type"], fault["msg"]
    if kind == "missing":
        return "missing; add it"
    if kind == "json_invalid":
        return "not valid JSON"
    if kind == "extra_forbidden":
        known = [] if schema is None else _names_beside(schema, fault["loc"])
        return _unknown(str(fault["loc"][-1]), known)
    if _SHOULD.match(text):
        return _SHOULD.sub("must ", _PARSER.sub("", text))
    return _OURS.sub("", text)


def _unknown(name: str, known: Iterable[str]) -> str:
    known = list(known)
    if close := get_close_matches(name, known, n=1):
        return f"there is no such name; the nearest is {close[0]}"
    rest = f"known: {', '.join(known)}" if known else "leave it out"
    return f"there is no such name; {rest}"


def _names_beside(schema: type[BaseModel], location: Sequence[int | str]) -> list[str]:
    for part in location[:-1]:
        field = schema.model_fields.get(str(part))
        inner: Any = None if field is None else field.annotation
        if not (isinstance(inner, type) and issubclass(inner, BaseModel)):
            return []
        schema = inner
    return list(schema.model_fields)
