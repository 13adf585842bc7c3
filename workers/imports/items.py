"""What every source of images yields, and the limits that hold for all of them."""

import math
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from itertools import islice
from typing import Any, Final, Literal, Protocol

from core.errors import Invalid
from core.states import Verdict

# Columns that may name the image of a row, the first that is there.
NAME_COLUMNS: Final = ("file_name", "file", "filename", "path", "name")
# Columns that may say which image is meant, the best first.
HERE: Final = ("example_id", "sha256", *NAME_COLUMNS)
# The same in a file of another installation: numbers there are not the numbers here.
ELSEWHERE: Final = ("sha256", *NAME_COLUMNS, "example_id")
# Encoded size of one image. The largest image we decode is smaller, unless it is padded.
MAX_IMAGE_BYTES: Final = 256 << 20
MAX_NAME: Final = 500
_MAX_META_TEXT: Final = 1000
_MOST_NAMED: Final = 30
_SHA256: Final = re.compile("[0-9a-fA-F]{64}")
_UNPRINTABLE: Final = dict.fromkeys((*range(32), 127), "\N{REPLACEMENT CHARACTER}")


@dataclass(frozen=True, slots=True)
class Refused:
    """Why something does not enter the pool, for the person who sent it."""

    reason: str


@dataclass(frozen=True, slots=True)
class LeftOut(Refused):
    """Why something is left out that may be good: nobody has said what it is for."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Where bytes stay that Karat keeps no copy of.

    Attributes:
        location: Their address.
        tag: What tells whether they are still the same.
    """

    location: str
    tag: str


@dataclass(frozen=True, slots=True)
class Fetched:
    """Bytes that were read where they stay."""

    content: bytes
    origin: Origin


@dataclass(frozen=True, slots=True)
class Reference:
    """An image that the pool has already: the value of one of its columns."""

    column: Literal["id", "content_hash", "name"]
    value: int | bytes | str


@dataclass(frozen=True, slots=True)
class Said:
    """A verdict that a file states of an image.

    Attributes:
        source_name: Who said it, as the file names them.
        verdict: What was said; ``None`` where the file only has a label, which then is read as one
            in a column is.
        class_name: The class, or the label.
        seconds: How long it took.
        at: When it was said, where the file tells.
    """

    source_name: str
    verdict: Verdict | None
    class_name: str | None = None
    seconds: float = 0.0
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Item:
    """One file of an upload, not read yet, or a row that says something of an image.

    Attributes:
        name: What the report and the example call it.
        read: Its bytes, or why it has none.
        size: How many there are, where that is known before they are read.
        reference: The image that is meant, where no bytes came.
        otherwise: What else it may mean if the project has no such image, the likelier first.
        label: Class name that came with it.
        label_column: Where that stood; ``label`` for a folder.
        split: Split that came with it, as it was written; else the folder that stands for one.
        unsure: Why it is left out, unless somebody says what ``split`` is.
        annotations: What the columns that become annotations say of it, as it was written.
        said: Verdicts that are stated as such.
        silence: What a row lacks that brings neither an image nor a label.
        meta: JSON-ready extras.
        refused: Why there is nothing to read, where that is known already.
    """

    name: str
    read: Callable[[], bytes | Fetched | Refused]
    size: int = 0
    reference: Reference | None = None
    otherwise: tuple[Reference, ...] = ()
    label: str | None = None
    label_column: str = "label"
    split: str | None = None
    unsure: str | None = None
    annotations: Mapping[str, str] = field(default_factory=dict)
    said: tuple[Said, ...] = ()
    silence: str = "no label in this row"
    meta: dict[str, Any] = field(default_factory=dict)
    refused: Refused | None = None


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


def invalid_column(role: str, detail: str, columns: Iterable[str]) -> Invalid:
    """A column is missing or does not fit; says which there are."""
    names = ", ".join(printable(name) for name in islice(columns, _MOST_NAMED))
    return Invalid("invalid_column", f"{detail} It has: {names}.", field=f"{role}_column")


def reference(column: str, value: object) -> Reference | Refused:
    """The image that ``value`` means, by the name of the column it stands in."""
    text = printable(str(value)).strip() if value is not None else ""
    if not text:
        return Refused(f"column {column} is empty")
    if column == "example_id":
        if not text.isdecimal() or len(text) > 18:
            return Refused(f"example_id {text[:100]!r} is not the number of an image")
        return Reference("id", int(text))
    if column == "sha256":
        if not _SHA256.fullmatch(text):
            return Refused(f"sha256 {text[:100]!r} is not 64 hexadecimal digits")
        return Reference("content_hash", bytes.fromhex(text))
    return Reference("name", short_name(text))


def key_column(
    columns: Collection[str],
    given: str | None,
    order: Sequence[str] = HERE,
) -> str:
    """The column that names the image of each row.

    Args:
        columns: Which there are.
        given: The one that the sender named.
        order: Those to look for, the best first.

    Raises:
        DomainError: ``invalid_column`` if there is none.
    """
    if given is not None and given not in columns:
        raise invalid_column("key", f"The file has no column {given!r}.", columns)
    found = given or next((name for name in order if name in columns), None)
    if found is None:
        raise invalid_column(
            "key",
            "No column says which image a row is about; name it file, or sha256 or example_id.",
            columns,
        )
    return found


def refused_item(name: str, reason: str) -> Item:
    """An item of which nothing is read."""
    refused = Refused(reason)
    return Item(name=short_name(name), read=lambda: refused, refused=refused)


def printable(text: str) -> str:
    """``text`` as PostgreSQL, CSV and JSON can hold it."""
    return text.translate(_UNPRINTABLE).encode("utf-8", "replace").decode()


def short_name(text: str) -> str:
    """A name that can be stored; of an absurdly long one, the end."""
    text = printable(text)
    return text if len(text) <= MAX_NAME else f"…{text[1 - MAX_NAME :]}"


def extras(fields: Mapping[Any, object]) -> dict[str, Any]:
    """``fields`` for ``Example.meta``, without what is missing, nested or large."""
    kept = ((printable(str(key)), json_value(value)) for key, value in fields.items())
    return {key: value for key, value in kept if value is not None}


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
