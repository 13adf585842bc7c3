"""What is said of each question, on disk, wherever its lines lie in a file."""

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby, islice
from pathlib import Path
from typing import Final

from workers.imports.ranked import Ranked, known_places

Said = list[tuple[str, dict[bytes, float]]]
"""Of one question: who ranks, and the place of each row, by its digest, the best lowest."""

_QUESTIONS: Final = 500
_EVERY: Final = 1_000


class QuestionIndex:
    """Rankings by question, in the same order however often they are gathered."""

    def __init__(self, path: Path, said: Iterable[Ranked], check: Callable[[], None]) -> None:
        """Gather them.

        Args:
            path: Where; made anew.
            said: The rankings of a file.
            check: Called between them; what it raises breaks off.
        """
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        self._file = sqlite3.connect(path, isolation_level=None)
        try:
            self._gather(said, check)
        except BaseException:
            self._file.close()
            raise

    def _gather(self, said: Iterable[Ranked], check: Callable[[], None]) -> None:
        file = self._file
        file.execute("PRAGMA journal_mode = OFF")
        file.execute("PRAGMA synchronous = OFF")
        file.execute(
            "CREATE TABLE said (question BLOB, author TEXT, number INT, row BLOB, place REAL)"
        )
        file.execute("BEGIN")
        for number, one in enumerate(said, 1):
            if number % _EVERY == 0:
                check()
            which = 0 if one.is_part else number
            file.executemany(
                "INSERT INTO said VALUES (?, ?, ?, ?, ?)",
                (
                    (one.question, one.author, which, key, place)
                    for key, place in one.places.items()
                ),
            )
        file.execute("COMMIT")
        check()
        file.execute("CREATE INDEX by_question ON said (question, author, number)")

    @property
    def total(self) -> int:
        """Number of questions."""
        ((questions,),) = self._file.execute("SELECT count(DISTINCT question) FROM said")
        return int(questions)

    def blocks(self, start: int) -> Iterator[list[Said]]:
        """What is said of each question from ``start`` on, some hundreds of them at a time."""
        rows = self._file.execute(
            "SELECT question, author, number, row, place FROM said "
            "ORDER BY question, author, number, rowid"
        )
        by_question = (
            [
                (author, known_places((row, place) for *_, row, place in some))
                for (author, _), some in groupby(of_question, key=lambda row: (row[1], row[2]))
            ]
            for _, of_question in groupby(rows, key=lambda row: row[0])
        )
        rest = islice(by_question, start, None)
        while block := [*islice(rest, _QUESTIONS)]:
            yield block

    def close(self) -> None:
        """Close the file."""
        self._file.close()
