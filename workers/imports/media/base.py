"""What an import needs to know of a medium: how bytes become a row of the store, and columns."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from sqlalchemy.orm import Session

from core.settings.project import ProjectSettings
from core.states import Medium
from workers.imports.items import Fetched, Item, Origin, Refused
from workers.imports.placing import Place


class Made(Protocol):
    """What was made of the bytes of an example that may enter a pool."""

    @property
    def media_type(self) -> str:
        """What to serve its bytes as."""
        ...

    @property
    def width(self) -> int | None:
        """Columns of an image, when held upright."""
        ...

    @property
    def height(self) -> int | None:
        """Rows of an image, when held upright."""
        ...

    @property
    def as_is(self) -> bool:
        """Whether browsers show these bytes as everybody is to see them."""
        ...

    @property
    def notes(self) -> tuple[str, ...]:
        """What had to be decided to make it."""
        ...


@dataclass(frozen=True, slots=True)
class Content:
    """What an item brings.

    Attributes:
        content: The bytes that are kept, and that tell whether it is there already.
        origin: Where they stay, if no copy of them is kept.
        notes: What had to be decided to read them.
    """

    content: bytes
    origin: Origin | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Addition:
    """An example that enters the pool."""

    name: str
    place: Place
    content: bytes
    digest: bytes
    made: Made
    origin: Origin | None = None


@dataclass(frozen=True, slots=True)
class Sample:
    """An example that is looked into before the first one enters.

    Attributes:
        head: The beginning of its bytes.
        whole: Reads all of them; ``None`` where that was refused, or is too much.
    """

    head: bytes
    whole: Callable[[], bytes | None]


@dataclass(frozen=True, slots=True)
class Begun:
    """What was chosen before the first example enters.

    Attributes:
        facts: JSON-ready, by name, for the result of the import.
        notes: The same as sentences.
    """

    facts: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


class Reading(Protocol):
    """What is asked of a medium while items are read; looks nothing up."""

    @property
    def row_bytes(self) -> int:
        """Memory that what is made of an item takes beside its bytes."""
        ...

    def read(self, item: Item) -> Content | Refused:
        """What an item brings, or why it is none of the examples."""
        ...

    def unlike(self, item: Item) -> Refused | None:
        """Why an item that has no place is no example either; ``None`` if it may be one."""
        ...

    def foretell(self, item: Item) -> Refused | None:
        """What ``read`` will say, as far as it can be told at little cost; for plans."""
        ...

    def beginning(self, item: Item) -> str:
        """How what a row brings begins, for plans; empty where that cannot be told in words."""
        ...

    def helped(self, name: str, refused: Refused) -> Refused:
        """Why nothing can be made of what is called ``name``, with what helps, if that is known."""
        ...

    def worded(self, reason: str) -> str:
        """A reason as it is said of examples of this medium."""
        ...

    def foresee(
        self, settings: ProjectSettings, samples: Iterable[Iterable[Sample]], total: int
    ) -> Mapping[str, Any]:
        """What an import of ``total`` items would choose by its examples, in groups."""
        ...


class ImportMedium(Reading, Protocol):
    """A medium within one import: it makes rows of the store, and writes them."""

    @property
    def medium(self) -> Medium:
        """Which one."""
        ...

    @property
    def facts(self) -> Sequence[str]:
        """Names of what ``begin`` tells, as the result of the import has them."""
        ...

    @property
    def has_originals(self) -> bool:
        """Whether examples have files, which can be lost and come again."""
        ...

    @property
    def is_begun(self) -> bool:
        """Whether nothing has to be chosen before the first example enters."""
        ...

    def look(self, samples: Iterable[Iterable[Sample]], total: int) -> None:
        """Look into examples, in groups, of the ``total`` items that come into an empty pool."""
        ...

    def begin(self, session: Session) -> Begun:
        """Choose, by what was looked into, what the project has not chosen yet."""
        ...

    def make(self, contents: Sequence[bytes]) -> Sequence[Made | Refused]:
        """Make rows of the store; nothing is written yet."""
        ...

    def write(self, first: int, additions: Sequence[Addition]) -> None:
        """Write files and rows of the store, from row ``first`` on.

        Rows that then are not committed leave nothing visible.
        """
        ...

    def hold(self, session: Session, additions: Sequence[Addition]) -> None:
        """Have all that was written until the transaction ends."""
        ...

    def came_again(self, session: Session, contents: Mapping[bytes, bytes]) -> None:
        """Put back what the database has lost of examples that came again, by their hashes."""
        ...

    def added(self, session: Session, first: int, additions: Sequence[Addition]) -> None:
        """Add what belongs to the rows of ``examples`` that were just added."""
        ...

    def close(self) -> None:
        """Close the store."""
        ...


def unwrapped(found: bytes | Fetched) -> Content:
    """Bytes with where they stay."""
    return Content(found.content, found.origin) if isinstance(found, Fetched) else Content(found)
