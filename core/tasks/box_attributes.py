"""What is said of a box beside its class and its flags: values by name, as files bring them."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import isfinite
from typing import Any, Final

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, core_schema

Value = bool | int | float | str

FLAGS: Final = ("occluded", "truncated", "difficult", "crowd")
MOST_ATTRIBUTES: Final = 50
"""Of one box."""
LONGEST_NAME: Final = 100
LONGEST_VALUE: Final = 1000
MOST_CHARACTERS: Final = 1 << 20
"""Of names and values of all boxes of an image together."""
LARGEST_WHOLE: Final = 2**53
"""Whole numbers beyond are not the same in every program."""
LARGEST_AS_DIGITS: Final = 10**21
"""Browsers write larger ones with an exponent."""
# How files say that a box is turned, which ours are not.
RESERVED: Final = frozenset({*FLAGS, "rotation"})
# Neither PostgreSQL nor XML can hold these.
_UNWRITABLE: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


class Attributes(dict[str, Value]):
    """Values by name, in the order of names. Nobody changes one that is made."""

    def __hash__(self) -> int:  # type: ignore[override]
        """Of what it holds, so that labels can be told apart by hash."""
        return hash(frozenset(self.items()))

    @property
    def characters(self) -> int:
        """How many there are of names and values."""
        return sum(len(name) + len(str(value)) for name, value in self.items())

    @classmethod
    def __get_pydantic_core_schema__(cls, _: Any, __: GetCoreSchemaHandler) -> CoreSchema:
        """Made by ``checked``, and written as an object."""
        return core_schema.no_info_plain_validator_function(
            checked, serialization=core_schema.plain_serializer_function_ser_schema(dict)
        )

    @classmethod
    def __get_pydantic_json_schema__(
        cls, _: CoreSchema, __: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        """As documents of the API describe it."""
        kinds = [{"type": one} for one in ("boolean", "number")]
        return {
            "type": "object",
            "additionalProperties": {
                "anyOf": [*kinds, {"type": "string", "maxLength": LONGEST_VALUE}]
            },
            "maxProperties": MOST_ATTRIBUTES,
        }


NONE: Final = Attributes()


def checked(given: object) -> Attributes:
    """Attributes as somebody sends them.

    Raises:
        ValueError: They are none; says which, and why.
    """
    if not isinstance(given, Mapping):
        raise ValueError("attributes are an object of names and values")
    if len(given) > MOST_ATTRIBUTES:
        raise ValueError(f"{len(given):,} attributes where a box has {MOST_ATTRIBUTES} at most")
    for name, value in given.items():
        reason = why_no_name(name) or why_no_value(value)
        if reason:
            shown = ascii(name)[1:-1] if isinstance(name, str) else str(name)
            raise ValueError(f"attribute {shown[:LONGEST_NAME]}: {reason}")
    return ordered(given)


def ordered(given: Mapping[str, Value]) -> Attributes:
    """The same by name: PostgreSQL keeps no order, and two that say the same are to look alike."""
    return Attributes(sorted((name, _plain(value)) for name, value in given.items()))


def _plain(value: Value) -> Value:
    """A large float again, where a browser has written it as a whole number."""
    is_large = isinstance(value, int) and abs(value) > LARGEST_WHOLE
    return float(value) if is_large else value


def _is_kept(whole: int) -> bool:
    """Whether a whole number is the same as a float, as which browsers have it."""
    return abs(whole) <= LARGEST_WHOLE or (
        abs(whole) < LARGEST_AS_DIGITS and int(float(whole)) == whole
    )


def why_no_name(name: object) -> str:
    """What is wrong with a name; nothing if it can be one."""
    if not isinstance(name, str) or not name.strip():
        return "a name is a text that is not empty"
    if len(name) > LONGEST_NAME:
        return f"a name has {LONGEST_NAME} characters at most"
    if name != name.strip() or _UNWRITABLE.search(name) or "\n" in name or "\t" in name:
        return "a name has no control characters, and no spaces around it"
    if name.lower() in FLAGS:
        return f"{name.lower()} is a flag of a box, and stands beside its attributes"
    if name.lower() in RESERVED:
        return "boxes stand upright"
    return ""


def why_no_value(value: object) -> str:
    """What is wrong with a value; nothing if it can be one."""
    if isinstance(value, str):
        if len(value) > LONGEST_VALUE:
            return f"a text has {LONGEST_VALUE:,} characters at most"
        return "a text has no control characters" if _UNWRITABLE.search(value) else ""
    if isinstance(value, bool):
        return ""
    if isinstance(value, int):
        return "" if _is_kept(value) else "a whole number is up to 2⁵³; send it as text"
    if isinstance(value, float):
        return "" if isfinite(value) else "a number is finite"
    return "a value is a text, a number, true or false"


def writable(text: str) -> str:
    """A text without what can be kept nowhere."""
    return _UNWRITABLE.sub("\N{REPLACEMENT CHARACTER}", text.replace("\r\n", "\n"))


def agreed(all_of_them: Sequence[Attributes]) -> Attributes:
    """What boxes that are one have of attributes: of each name what most say, of equals the first.

    Who has drawn a box anew says nothing of them, so one voice is enough to keep a name.
    """
    if all(one == all_of_them[0] for one in all_of_them[1:]):
        return all_of_them[0]
    names = dict.fromkeys(name for one in all_of_them for name in one)
    found: dict[str, Value] = {}
    for name in [*names][:MOST_ATTRIBUTES]:
        said = [one[name] for one in all_of_them if name in one]
        # 1 and true are equal to Python, and not to whoever reads them.
        ((_, value), _), *_ = Counter((type(one), one) for one in said).most_common(1)
        found[name] = value
    return ordered(found)


def within_bound(all_of_them: Iterable[Attributes]) -> list[Attributes]:
    """The attributes of all boxes of an image, of the last ones none where they are too long."""
    found, left = [], MOST_CHARACTERS
    for one in all_of_them:
        left -= one.characters
        found.append(one if left >= 0 else NONE)
    return found
