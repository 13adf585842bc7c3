"""Conditions on what came with an example, as people write them: `camera=3`, `score<2`, `!date`."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

# Each part ends where only the next can begin: a long text takes no longer than it is.
_CONDITION: Final = re.compile(
    r"(?P<lacks>!\s*)?"
    r'(?P<name>"(?:[^"\\]|\\.)*"\s*|[^"!<>=\s][^<>=]*)'
    r"(?:(?P<sign><=|>=|<|>|=)(?P<value>.*))?",
    re.DOTALL,
)
_NUMBER: Final = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?", re.ASCII)
_YEAR: Final = re.compile(r"\d{4}", re.ASCII)


@dataclass(frozen=True, slots=True)
class FieldCondition:
    """What the field of a name has to be.

    Attributes:
        name: Of the field, as the import has it.
        sign: How it is compared with ``value``: ``=``, ``<``, ``<=``, ``>`` or ``>=``; empty if it
            has to be there, ``!`` if it must not.
        value: What it is compared with.
        is_text: Whether the value was written in quotes, and is no number then.
    """

    name: str
    sign: str = ""
    value: str = ""
    is_text: bool = False


def parse_condition(text: str) -> FieldCondition:
    """A condition as it is written.

    Raises:
        ValueError: It is none.
    """
    found = _read(text)
    if found is None:
        raise ValueError(
            "Write a condition on a field as NAME=VALUE, NAME<VALUE, NAME<=VALUE, NAME>VALUE or "
            "NAME>=VALUE, as NAME if it has to be there, or as !NAME if it must not; in double "
            "quotes, as JSON has them, names and values may hold anything."
        )
    return found


def _read(text: str) -> FieldCondition | None:
    found = _CONDITION.fullmatch(text.strip())
    if found is None:
        return None
    lacks, sign, written = found["lacks"], found["sign"] or "", (found["value"] or "").strip()
    named = found["name"].strip()
    # Elsewhere `!=` is a sign: it is refused, and not taken for the end of a name.
    if named.endswith("!"):
        return None
    name, value = _unquoted(named), _unquoted(written)
    # A value that is empty stands in quotes.
    is_half = bool(sign) and (lacks is not None or written == "")
    if is_half or not name or value is None or "\0" in name + value:
        return None
    return FieldCondition(name, "!" if lacks else sign, value, is_text=written.startswith('"'))


def _unquoted(text: str) -> str | None:
    if not text.startswith('"'):
        return text
    try:
        found: str = json.loads(text)
        # Half a character cannot be stored.
        found.encode()
    except ValueError:
        return None
    return found


def field_paths(conditions: Sequence[FieldCondition]) -> list[tuple[str, bool]]:
    """Conditions as SQL's paths into JSON, each with whether something has to be found there.

    Several values that one field may be equal to are alternatives; all else has to hold. ``=``
    finds text as it is written, as the values of a field are listed and counted. In a range a
    number is also one that is written as text, as in a CSV. What is no number is compared letter by
    letter, which puts dates and times of ISO 8601 in order; ``<=`` and ``>`` take what begins with
    the value for equal to it, so that a day has its hours.
    """
    equal: dict[str, list[str]] = {}
    found = []
    for one in conditions:
        if one.sign == "=":
            equal.setdefault(one.name, []).extend(_literals(one))
        elif one.sign in ("", "!"):
            found.append((_path(one.name, "@ != null"), one.sign == ""))
        else:
            found.append((_path(one.name, _compared(one)), True))
    for name, values in equal.items():
        found.append((_path(name, " || ".join(f"@ == {value}" for value in values)), True))
    return found


def _path(name: str, condition: str) -> str:
    return f"$.{json.dumps(name)} ? ({condition})"


def _literals(one: FieldCondition) -> list[str]:
    """What in JSON is written like the value."""
    number = _number(one)
    found = [json.dumps(one.value)]
    if number is not None:
        found.append(number)
    if one.value in ("true", "false") and not one.is_text:
        found.append(one.value)
    return found


def _number(one: FieldCondition) -> str | None:
    is_number = not one.is_text and _NUMBER.fullmatch(one.value)
    return str(Decimal(one.value)) if is_number else None


def _compared(one: FieldCondition) -> str:
    number = _number(one)
    if number is None:
        return _in_order(one)
    by_number = f"@ {one.sign} {number}"
    found = f'{by_number} || @.type() == "string" && exists(@.double() ? ({by_number}))'
    if _YEAR.fullmatch(one.value):
        found += rf' || @ like_regex "^[0-9]{{4}}-[0-9]{{2}}" && {_in_order(one)}'
    return found


def _in_order(one: FieldCondition) -> str:
    text = json.dumps(one.value)
    plain = f"@ {one.sign} {text}"
    if one.sign == "<=":
        return f"({plain} || @ starts with {text})"
    return f"({plain} && !(@ starts with {text}))" if one.sign == ">" else plain
