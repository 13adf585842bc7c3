"""What files say of several rows together, and the sources that say it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from enum import IntEnum
from typing import NamedTuple, Protocol, runtime_checkable

from workers.imports.items import Source


class Standing(IntEnum):
    """What a ranking is beside others that its author gives of the same question.

    Comparisons count together. Votes do not: the last holds, and before any vote a decision.
    """

    COMPARISON = 0
    VOTE = 1
    DECISION = 2


class Ranked(NamedTuple):
    """A ranking of rows that answer the same question.

    Attributes:
        question: The same for rows that ask the same, and for no others.
        author: Who ranks, or the column that does.
        places: Of each row, by its SHA-256 (32 bytes): the lowest is the best, equal ones tie. That
            of what is called wrong is infinite. Without any it only takes back what ``author`` has
            said of ``question`` before.
        is_part: Whether all that ``author`` says of ``question`` is one ranking.
        asked: In which round it was said, where the file tells: questions come in that order.
        seconds: How long it took.
        at: When it was said, where the file tells.
        standing: What it is beside others that ``author`` gives of ``question``.
    """

    question: bytes
    author: str
    places: Mapping[bytes, float]
    is_part: bool = False
    asked: int = 0
    seconds: float = 0.0
    at: datetime | None = None
    standing: Standing = Standing.COMPARISON


def known_places(said: Iterable[tuple[bytes, float]]) -> dict[bytes, float]:
    """The place of each row, by its SHA-256; of one that has two places nothing is known."""
    given: dict[bytes, set[float]] = {}
    for row, place in said:
        given.setdefault(row, set()).add(place)
    return {row: place for row, (place, *others) in given.items() if not others}


@runtime_checkable
class RankingSource(Protocol):
    """A source whose rows may be ranked beside each other."""

    @property
    def notes(self) -> Sequence[str]:
        """How it was read, for whoever sends it."""
        ...

    def rankings(self) -> Iterator[Ranked]:
        """What is said of its rows, in the order of the file."""
        ...


def notes_of(source: Source) -> Sequence[str]:
    """How a source was read, where it says so."""
    return source.notes if isinstance(source, RankingSource) else ()


def rankings_of(source: Source) -> Iterator[Ranked]:
    """The rankings that a source brings."""
    return source.rankings() if isinstance(source, RankingSource) else iter(())
