"""What a judge has said, kept line by line while it is asked."""

import json
import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Self


@dataclass(frozen=True)
class Judged:
    """What a judge says of a cluster, or of a row.

    Attributes:
        number: Of the cluster; where scores are asked for of the row.
        orders: Members by their place in the cluster, the best first, once for each order that
            was understood.
        wrong: Of a row that is alone: whether it says something wrong.
        score: Of a row, 0..5.
        unranked: Why nothing was understood; None where something was.
        requests: How many questions were answered.
        kept: How many of the answers were there before.
    """

    number: int
    orders: tuple[tuple[int, ...], ...] = ()
    wrong: bool | None = None
    score: float | None = None
    unranked: str | None = None
    requests: int = 0
    kept: int = 0

    @classmethod
    def parse(cls, line: bytes) -> Self:
        """Read a line of the file."""
        found = json.loads(line)
        found["orders"] = tuple(tuple(order) for order in found["orders"])
        return cls(**found)


class JudgedFile:
    """A line for each cluster or row; one that was cut off by a kill is forgotten.

    Attributes:
        done: Numbers of what was asked about.
        understood: Of how many something was understood.
        requests: How many questions were answered in all.
        kept: How many of the answers were there before.
        unanswered: Of how many nothing was understood, by the reason.
    """

    def __init__(self, path: Path) -> None:
        """Take up a file, or begin one.

        Args:
            path: Of the file.
        """
        self.path = path
        self.done: set[int] = set()
        self.understood = self.requests = self.kept = 0
        self.unanswered: Counter[str] = Counter()
        whole = 0
        if path.exists():
            with path.open("rb") as file:
                for line in file:
                    if not line.endswith(b"\n"):
                        break
                    whole += len(line)
                    self._count(Judged.parse(line))
            os.truncate(path, whole)

    def begin_anew(self) -> None:
        """Forget all that was said, as by another judge."""
        self.path.unlink(missing_ok=True)
        self.done = set()
        self.understood = self.requests = self.kept = 0
        self.unanswered = Counter()

    def add(self, one: Judged) -> None:
        """Keep what was said; it survives the process at once."""
        line = json.dumps(asdict(one)).encode() + b"\n"
        # One write, so that only the last line can be half.
        with self.path.open("ab", buffering=0) as file:
            file.write(line)
        self._count(one)

    def __iter__(self) -> Iterator[Judged]:
        """What was kept, in the order in which it came."""
        if self.path.exists():
            with self.path.open("rb") as file:
                yield from map(Judged.parse, file)

    def _count(self, one: Judged) -> None:
        self.done.add(one.number)
        if one.unranked is None:
            self.understood += 1
        else:
            self.unanswered[one.unranked] += 1
        self.requests += one.requests
        self.kept += one.kept
