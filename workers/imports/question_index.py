"""What is said of each question, on disk, wherever its lines lie in a file."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from itertools import groupby, islice
from operator import itemgetter
from pathlib import Path
from typing import Any, Final, NamedTuple

from workers.imports.ranked import Ranked, Standing, known_places
from workers.imports.scratch_index import scratch_index
from workers.imports.stated import read_time


class Statement(NamedTuple):
    """One ranking of rows that answer one question, or that there is none; see ``Ranked``."""

    author: str
    places: Mapping[bytes, float]
    asked: int
    seconds: float
    at: datetime | None
    standing: Standing


Said = list[Statement]
"""What is said of one question."""

_QUESTIONS: Final = 500
_EVERY: Final = 1_000
# What stands in the place of the rows of a statement that ranks none.
_NOWHERE: Final = ((None, None),)
_NEVER: Final = datetime.min.replace(tzinfo=UTC)


class QuestionIndex:
    """Rankings by question, in the same order however often they are gathered."""

    def __init__(self, path: Path, said: Iterable[Ranked], check: Callable[[], None]) -> None:
        """Gather them.

        Args:
            path: Where; made anew.
            said: The rankings of a file.
            check: Called between them; what it raises breaks off.
        """
        self._file = scratch_index(path)
        try:
            self._gather(said, check)
        except BaseException:
            self._file.close()
            raise

    def _gather(self, said: Iterable[Ranked], check: Callable[[], None]) -> None:
        file = self._file
        file.execute(
            "CREATE TABLE said (question BLOB, author TEXT, number INT, row BLOB, place REAL, "
            "asked INT, seconds REAL, at TEXT, standing INT)"
        )
        file.execute("BEGIN")
        for number, one in enumerate(said, 1):
            if number % _EVERY == 0:
                check()
            which = 0 if one.is_part else number
            at = one.at and one.at.isoformat()
            file.executemany(
                "INSERT INTO said VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    (
                        one.question,
                        one.author,
                        which,
                        key,
                        place,
                        one.asked,
                        one.seconds,
                        at,
                        one.standing,
                    )
                    for key, place in one.places.items() or _NOWHERE
                ),
            )
        file.execute("COMMIT")
        check()
        file.execute("CREATE INDEX by_question ON said (asked, question, author, number)")

    @property
    def total(self) -> int:
        """Number of questions."""
        statement = "SELECT count(*) FROM (SELECT DISTINCT asked, question FROM said)"
        ((questions,),) = self._file.execute(statement)
        return int(questions)

    def blocks(self, start: int) -> Iterator[list[Said]]:
        """What is said of each question from ``start`` on, some hundreds of them at a time."""
        rows = self._file.execute(
            "SELECT asked, question, author, number, row, place, seconds, at, standing FROM said "
            "ORDER BY asked, question, author, number, rowid"
        )
        by_question = (_said(some) for _, some in groupby(rows, key=itemgetter(0, 1)))
        rest = islice(by_question, start, None)
        while block := [*islice(rest, _QUESTIONS)]:
            yield block

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def _said(rows: Iterable[Any]) -> Said:
    """What the rows of a question say, in their order."""
    found: Said = []
    for _, of_ranking in groupby(rows, key=itemgetter(2, 3)):
        asked, _, author, _, _, _, seconds, at, standing = first = next(of_ranking)
        given = ((row, place) for *_, row, place, _, _, _ in (first, *of_ranking))
        places = known_places((row, place) for row, place in given if row is not None)
        said = (author, places, asked, seconds, read_time(at), Standing(standing))
        found.append(Statement(*said))
    return found


def holding(said: Said) -> Said:
    """The rankings of a question, without those that their authors have taken back.

    Of an author's votes the last holds, and before any vote a decision; where a file does not tell
    when one was given, it is older than those of which it tells, and the order of the file counts.
    """
    last: dict[str, int] = {}
    for at, one in enumerate(said):
        held = last.get(one.author)
        if one.standing and (held is None or _rank(said[held]) <= _rank(one)):
            last[one.author] = at
    return [
        one
        for at, one in enumerate(said)
        if one.places and (not one.standing or last[one.author] == at)
    ]


def _rank(one: Statement) -> tuple[Standing, datetime]:
    return one.standing, one.at or _NEVER
