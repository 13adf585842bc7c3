"""What every source of images yields, and the limits that hold for all of them."""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Final, Protocol

from core.errors import Invalid
from core.states import Split

# Encoded size of one image. The largest image we decode is smaller, unless it is padded.
MAX_IMAGE_BYTES: Final = 256 << 20
MAX_NAME: Final = 500
_MAX_META_TEXT: Final = 1000
_SPLITS: Final[Mapping[str, Split]] = {
    **{split.value: split for split in Split},
    "train": Split.POOL,
    "test": Split.EVALUATION,
    "val": Split.EVALUATION,
    "validation": Split.EVALUATION,
}
_UNPRINTABLE: Final = dict.fromkeys((*range(32), 127), "\N{REPLACEMENT CHARACTER}")


@dataclass(frozen=True, slots=True)
class Refused:
    """Why something does not enter the pool, for the person who sent it."""

    reason: str


@dataclass(frozen=True, slots=True)
class Item:
    """One file of an upload, not read yet.

    Attributes:
        name: What the report and the example call it.
        read: Its bytes, or why it has none.
        label: Class name that came with it.
        split: Split that came with it, as it was written.
        meta: JSON-ready extras.
    """

    name: str
    read: Callable[[], bytes | Refused]
    label: str | None = None
    split: str | None = None
    meta: dict[str, Any] = field(default_factory=dict)


class Source(Protocol):
    """An upload, readable from any position."""

    @property
    def total(self) -> int:
        """How many items there are."""
        ...

    def items(self, start: int) -> Iterator[Item]:
        """Items ``start``, ``start + 1``, …, in the same order every time."""
        ...

    def close(self) -> None:
        """Close what was opened."""
        ...


def invalid_archive(detail: str) -> Invalid:
    """The upload as a whole cannot be read."""
    return Invalid("invalid_archive", detail)


def parse_split(text: str) -> Split | None:
    """The split that ``text`` names: ours, or train, test, val, validation."""
    return _SPLITS.get(text.strip().lower())


def printable(text: str) -> str:
    """``text`` as PostgreSQL, CSV and JSON can hold it."""
    return text.translate(_UNPRINTABLE).encode("utf-8", "replace").decode()


def short_name(text: str) -> str:
    """A name that can be stored; of an absurdly long one, the end."""
    text = printable(text)
    return text if len(text) <= MAX_NAME else f"…{text[1 - MAX_NAME :]}"


def json_value(value: object) -> Any:
    """``value`` for ``Example.meta``; ``None`` for what is missing, nested or large."""
    if isinstance(value, str):
        return printable(value) if len(value) <= _MAX_META_TEXT else None
    if isinstance(value, int):
        return value
    if isinstance(value, Decimal):
        value = float(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, datetime | date):
        return value.isoformat()
    return None
