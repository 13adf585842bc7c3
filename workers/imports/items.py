"""What every source of images yields, and the limits that hold for all of them."""

import codecs
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from typing import Any, Final, Literal, Protocol

from core.errors import Invalid
from core.media.texts.medium import is_utf_16
from core.states import Split, Verdict
from core.tasks.spec import Label
from workers.imports.drawn import Drawn, Predicted
from workers.imports.values import Values

# Columns that may name the image of a row, the first that is there.
NAME_COLUMNS: Final = ("file_name", "file", "filename", "path", "name")
# Columns that may say which image is meant, the best first: bytes are the same everywhere.
_HERE: Final = ("sha256", "example_id", *NAME_COLUMNS)
# The same in a file of another installation: numbers there are not the numbers here.
_ELSEWHERE: Final = ("sha256", *NAME_COLUMNS, "example_id")
# Encoded size of one image. The largest image we decode is smaller, unless it is padded.
MAX_IMAGE_BYTES: Final = 256 << 20
MAX_NAME: Final = 500
# Text of one cell: the name of a class or a file, a split, a verdict.
MAX_TEXT_BYTES: Final = 64 << 10
_MOST_NAMED: Final = 30
_SHA256: Final = re.compile("[0-9a-fA-F]{64}")
LINK: Final = "a link, not a file; put the file itself in its place"
_UNPRINTABLE: Final = dict.fromkeys((*range(32), 127), "\N{REPLACEMENT CHARACTER}")


@dataclass(frozen=True, slots=True)
class Refused:
    """Why something does not enter the pool, for the person who sent it."""

    reason: str


@dataclass(frozen=True, slots=True)
class LeftOut(Refused):
    """Why something is left out that may be good, as where nobody has said what it is for."""


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
    """An image that the pool has already: the value of one of its columns.

    Of the column of the file where it stood, only messages tell.
    """

    column: Literal["id", "content_hash", "name"]
    value: int | bytes | str
    said_by: str = field(default="", compare=False)


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
        drawn: The boxes, as the file has them; ``label`` once it is known which these are.
        note: What stands beside it.
    """

    source_name: str
    verdict: Verdict | None
    class_name: str | None = None
    seconds: float = 0.0
    at: datetime | None = None
    drawn: Drawn | None = None
    label: Label | None = None
    note: str | None = None

    @property
    def shown(self) -> str:
        """What was said, in a word."""
        return self.drawn.shown if self.drawn else self.class_name or str(self.verdict)


@dataclass(frozen=True, slots=True)
class Item:
    """One file of an upload, not read yet, or a row that says something of an image.

    Attributes:
        name: What the report and the example call it.
        read: Its bytes, or why it has none.
        size: How many there are, where that is known before they are read.
        reference: The image that is meant, where no bytes came.
        also: What else the row says of which image that is; it may not mean another.
        digests: SHA-256 (32 bytes each) that rows say the bytes have which came.
        label: Label that came with it.
        is_stated: Whether its label only repeats what verdicts say, and is no note of its own.
        label_column: Where that stood; ``None`` for a folder, whose name is never a number.
        rivals: All that claims to be its truth, where that is not one label alone: each with its
            column, empty in what states verdicts, and ``None`` for the folder.
        split: Split that came with it, as it was written; else the folder that stands for one.
        meant: The split that the folder stands for, where that is sure.
        unsure: Why it is left out, unless somebody says what ``split`` is.
        annotations: Columns that become annotations, each with what it says of the image, as it was
            written; a column that says two things comes twice.
        said: Verdicts that are stated as such.
        predicted: What models predict of it, which is nobody's label.
        unread: Why something that was said of its label is not taken; the image enters all the
            same.
        how: How what is said of it was found to be meant, where the names do not simply agree.
        remark: What else is to be known of it.
        told: What had to be decided to read its label: each a reason and what is the item's own.
        silence: What a row lacks that brings neither an image nor a label.
        meta: JSON-ready extras.
        refused: Why it does not enter, where that is known before it is read.
    """

    name: str
    read: Callable[[], bytes | Fetched | Refused]
    size: int = 0
    reference: Reference | None = None
    also: tuple[Reference, ...] = ()
    digests: tuple[bytes, ...] = ()
    label: str | None = None
    is_stated: bool = False
    label_column: str | None = None
    rivals: tuple[tuple[str | None, str], ...] = ()
    split: str | None = None
    meant: Split | None = None
    unsure: str | None = None
    annotations: tuple[tuple[str, str], ...] = ()
    said: tuple[Said, ...] = ()
    predicted: tuple[Predicted, ...] = ()
    unread: tuple[str, ...] = ()
    how: str = ""
    remark: str = ""
    told: tuple[tuple[str, str], ...] = ()
    silence: str = "no label in this row"
    meta: dict[str, Any] = field(default_factory=dict)
    refused: Refused | None = None


class Source(Protocol):
    """An upload, readable from any position.

    Items that bring examples come before those that only say something of an image.
    """

    @property
    def total(self) -> int:
        """How many items there are."""
        ...

    def items(self, start: int) -> Iterator[Item]:
        """Items ``start``, ``start + 1``, …, in the same order every time."""
        ...

    @property
    def values(self) -> Mapping[str, Values]:
        """What its columns of labels hold, taken together: only that tells numbers apart."""
        ...

    @property
    def class_names(self) -> Sequence[str]:
        """Classes that it lists, by their numbers, whether or not a label is of them."""
        return ()

    @property
    def documents(self) -> Sequence[tuple[str, str]]:
        """Files that say something of others, and whose format they have."""
        return ()

    @property
    def roles(self) -> Mapping[str, str]:
        """Columns by what they were taken for: ``image``, ``text``, ``label``, ``split``."""
        return {}

    def close(self) -> None:
        """Close what was opened."""


def invalid_archive(detail: str) -> Invalid:
    """The upload as a whole cannot be read."""
    return Invalid("invalid_archive", detail)


def invalid_column(role: str, detail: str, columns: Iterable[str]) -> Invalid:
    """A column is missing or does not fit; says which there are."""
    return Invalid("invalid_column", f"{detail} {columns_of(columns)}", field=f"{role}_column")


def columns_of(names: Iterable[str]) -> str:
    """The sentence that says which columns there are."""
    return f"It has: {', '.join(printable(name) for name in islice(names, _MOST_NAMED))}."


def require_distinct(file: str, columns: Sequence[str]) -> None:
    """Refuse two columns of one name: which is meant is not known. Those without are no matter.

    Raises:
        DomainError: ``invalid_column``.
    """
    for name, count in Counter(columns).items():
        if name and count > 1:
            shown = printable(name)[:200]
            detail = f"{file} has several columns {shown!r}: rename all but one."
            raise invalid_column("annotation", detail, columns)


def reference(column: str, value: object) -> Reference | Refused:
    """The image that ``value`` means, by the name of the column it stands in."""
    text = printable(str(value)).strip() if value is not None else ""
    if not text:
        return Refused(f"column {column} is empty")
    kind = column.casefold()
    if kind == "example_id":
        if not text.isdecimal() or len(text) > 18:
            return Refused(f"example_id {text[:100]!r} is not the number of an image")
        return Reference("id", int(text), column)
    if kind == "sha256":
        if not _SHA256.fullmatch(text):
            return Refused(f"sha256 {text[:100]!r} is not 64 hexadecimal digits")
        return Reference("content_hash", bytes.fromhex(text), column)
    return Reference("name", short_name(text), column)


@dataclass(frozen=True, slots=True)
class Keys:
    """Columns that say which image a row is about.

    Attributes:
        column: The one that is read.
        others: Those that may not mean another image; none where the sender has chosen.
    """

    column: str
    others: tuple[str, ...] = ()

    def also(self, row: Mapping[str, object]) -> tuple[Reference, ...]:
        """What the others say of a row, as far as they say anything."""
        found = (reference(name, row.get(name)) for name in self.others)
        return tuple(one for one in found if isinstance(one, Reference))


def key_columns(columns: Collection[str], given: str | None, *, elsewhere: bool = False) -> Keys:
    """The columns that name the image of each row.

    Args:
        columns: Which there are.
        given: The one that the sender named; then no other counts.
        elsewhere: Whether the file may be of another installation, whose numbers mean nothing here,
            and whose names mean other images where the bytes are told.

    Raises:
        DomainError: ``invalid_column`` if there is none.
    """
    if given is not None:
        if given not in columns:
            raise invalid_column("key", f"The file has no column {given!r}.", columns)
        return Keys(given)
    there = {name.casefold(): name for name in columns} | {name: name for name in columns}
    found = [there[name] for name in (_ELSEWHERE if elsewhere else _HERE) if name in there]
    if not found:
        raise invalid_column(
            "key",
            "No column says which image a row is about; name it file, or sha256 or example_id.",
            columns,
        )
    column, *others = found
    if elsewhere:
        others = [name for name in others if name.casefold() != "example_id"]
        others = [] if column.casefold() == "sha256" else others
    return Keys(column, tuple(others))


def usual_column(words: Sequence[str], columns: Collection[str]) -> str | None:
    """The column that is called by the first of ``words``, else the only one in other letters."""
    exact = next((word for word in words if word in columns), None)
    if exact is not None:
        return exact
    alike = ([name for name in columns if name.casefold() == word] for word in words)
    return next((found[0] for found in alike if len(found) == 1), None)


def digests(values: Iterable[object]) -> tuple[bytes, ...]:
    """Those of ``values`` that are SHA-256 as hexadecimal digits, each once."""
    texts = (str(value).strip() for value in values if isinstance(value, str))
    return tuple({bytes.fromhex(text): None for text in texts if _SHA256.fullmatch(text)})


def annotated(
    columns: Iterable[str], read: Callable[[str], str | None]
) -> tuple[tuple[str, str], ...]:
    """What a row says in columns that become annotations, as ``read`` reads each of them."""
    said = ((column, read(column)) for column in columns)
    return tuple((column, value) for column, value in said if value is not None)


def only(value: object) -> object:
    """The one element of a list of one, nothing of an empty list; else ``value``."""
    if isinstance(value, list) and len(value) <= 1:
        return value[0] if value else None
    return value


def contradiction(labels: Iterable[str]) -> str:
    """Why labels that contradict each other are no truth."""
    return f"its labels contradict each other ({' and '.join(sorted(labels))[:100]})"


def unsettled(labels: Iterable[str]) -> str:
    """The same, with what to do about it."""
    return f"{contradiction(labels)}; import it again with the one that is right"


def unfit(label: str, noun: str, *, is_verdict: bool) -> str:
    """Why nothing is measured on an image with that label: a verdict such as OOD, or unknown."""
    if is_verdict:
        why = "names no class, and only classes measure accuracy: put it in the pool"
        return f"label {label!r} {why}"
    return f"label {label[:100]!r} is not {noun}"


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


def plain_path(file: object) -> str:
    """A path as it would stand in an archive."""
    path = printable(str(file)).replace("\\", "/")
    while path.startswith("./"):
        path = path[2:].lstrip("/")
    return path


def require_utf_8(start: bytes, name: str, what: str) -> None:
    """Refuse UTF-16 that has no mark to say so, by its beginning: it is half of zeros.

    Raises:
        DomainError: ``invalid_archive``.
    """
    # A character that is none, among others, costs its row alone.
    if is_utf_16(start) or (b"\0" in start and not _is_utf_8(start)):
        raise invalid_archive(
            f"{printable(name)} cannot be read as {what}: it is UTF-16 without the mark that says "
            "so. Save it as UTF-8."
        )


def _is_utf_8(start: bytes) -> bool:
    """Whether bytes are UTF-8 but for a character at their end that may be cut off."""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(start)
    except UnicodeDecodeError:
        return False
    return True


def beginning(text: str, most: int) -> str:
    """``text`` as it can be shown: of what is longer than ``most`` characters, the beginning."""
    return text if len(text) <= most else f"{text[: most - 1]}…"
