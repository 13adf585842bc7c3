"""What files say of boxes beside class and flags, as a box can keep it. Pure."""

import json
from collections.abc import Iterable, Mapping, Sequence
from math import isfinite
from typing import Any, NamedTuple

from core.tasks.box_attributes import (
    FLAGS,
    LARGEST_WHOLE,
    MOST_ATTRIBUTES,
    RESERVED,
    Attributes,
    Value,
    ordered,
    why_no_name,
    why_no_value,
    writable,
)
from workers.imports.values import is_yes


class Kept(NamedTuple):
    """Attributes of a box, and whether they are all that was said."""

    attributes: Attributes
    are_all: bool


def keep(said: Iterable[tuple[object, object]]) -> Kept:
    """Those names and values that a box can keep; of a name that comes twice the first.

    A list or an object is kept as its JSON. A missing value says nothing, and neither does a flag
    that is not set, or a box that is not turned.

    Args:
        said: Names and values, as a file has them.
    """
    found: dict[str, Value] = {}
    are_all = True
    for key, given in said:
        if given is None or given != given:
            continue
        name = str(key).strip()
        if name.lower() in RESERVED:
            are_all = are_all and _says_plainly(given)
            continue
        value = _value(given)
        if why_no_name(name) or why_no_value(value) or len(found) == MOST_ATTRIBUTES:
            are_all = False
        else:
            found.setdefault(name, value)
    return Kept(ordered(found), are_all)


def flags_of(said: Iterable[tuple[object, object]]) -> tuple[str, ...]:
    """The flags that are set among what is said, in whatever letters."""
    is_set = {str(name).strip().lower() for name, value in said if is_yes(value)}
    return tuple(flag for flag in FLAGS if flag in is_set)


def without(said: Mapping[str, Any], names: Iterable[str]) -> list[tuple[str, Any]]:
    """What is said apart from what has these names."""
    others = frozenset(names)
    return [(name, value) for name, value in said.items() if name not in others]


def _says_plainly(value: object) -> bool:
    """Whether nothing is lost of a flag, or of an angle, that is read for what it is."""
    text = str(value).strip().lower()
    return is_yes(value) or text in ("", "0", "0.0", "false", "no", "none")


def _value(given: object) -> Value:
    if isinstance(given, bool):
        return given
    if isinstance(given, int):
        return given if abs(given) <= LARGEST_WHOLE else str(given)
    if isinstance(given, float):
        return given if isfinite(given) else str(given)
    if isinstance(given, str):
        return writable(given)
    if isinstance(given, Mapping | Sequence):
        return writable(json.dumps(given, ensure_ascii=False, default=str))
    return writable(str(given))
