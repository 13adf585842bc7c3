"""What a judge has said, kept line by line while it is asked."""

import json
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Self


@dataclass(frozen=True)
class Judged:
    """What a judge says of a cluster, or of a row.

    Attributes:
        number: Of the cluster; of the row where scores are asked for.
        orders: Members by their place in the cluster, the best first, once for each order that
            was understood.
        wrong: Of a row that is alone: whether it says something wrong.
        score: Of a row, 0..5.
        unranked: Why nothing was understood; None where something was.
        requests: Questions that were sent or found answered.
        kept: How many of them had been answered before, and cost nothing.
        tokens_in: Of the questions that were paid for.
        tokens_out: Of their answers.
        spent: By the prices of the judge.
    """

    number: int
    orders: tuple[tuple[int, ...], ...] = ()
    wrong: bool | None = None
    score: float | None = None
    unranked: str | None = None
    requests: int = 0
    kept: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    spent: float = 0.0


@dataclass(frozen=True)
class Totals:
    """What asking a judge has come to.

    Attributes:
        asked: Clusters, or rows.
        understood: Of how many something was understood.
        requests: Questions.
        kept: How many had been answered before.
        tokens_in: Of what was paid for.
        tokens_out: Likewise.
        spent: By the prices of the judge.
    """

    asked: int = 0
    understood: int = 0
    requests: int = 0
    kept: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    spent: float = 0.0

    def plus(self, one: Judged) -> Self:
        """With one more."""
        return replace(
            self,
            asked=self.asked + 1,
            understood=self.understood + (one.unranked is None),
            requests=self.requests + one.requests,
            kept=self.kept + one.kept,
            tokens_in=self.tokens_in + one.tokens_in,
            tokens_out=self.tokens_out + one.tokens_out,
            spent=self.spent + one.spent,
        )


class JudgedFile:
    """A line for each cluster or row; one that was cut off by a kill is forgotten."""

    def __init__(self, path: Path) -> None:
        """Take up a file, or begin one.

        Args:
            path: Of the file.
        """
        self.path, self.done, self.totals = path, set[int](), Totals()
        whole = 0
        if path.exists():
            with path.open("rb") as file:
                for line in file:
                    if not line.endswith(b"\n"):
                        break
                    whole += len(line)
                    one = _read(line)
                    self.done.add(one.number)
                    self.totals = self.totals.plus(one)
            os.truncate(path, whole)

    def add(self, one: Judged) -> None:
        """Keep what was said; it survives the process at once."""
        line = json.dumps(asdict(one)).encode() + b"\n"
        # One write, so that only the last line can be half.
        with self.path.open("ab", buffering=0) as file:
            file.write(line)
        self.done.add(one.number)
        self.totals = self.totals.plus(one)

    def __iter__(self) -> Iterator[Judged]:
        """What was kept, in the order in which it came."""
        if self.path.exists():
            with self.path.open("rb") as file:
                yield from map(_read, file)


def _read(line: bytes) -> Judged:
    found = json.loads(line)
    found["orders"] = tuple(tuple(order) for order in found["orders"])
    return Judged(**found)
