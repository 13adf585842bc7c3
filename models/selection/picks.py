"""What a greedy selection returns."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from models.protocols import Indices, Progress, Ranking

_REPORT_EVERY = 16


@dataclass(frozen=True)
class Picks:
    """A greedy selection of n among N candidates.

    Attributes:
        order: (n,) int64 positions, in the order of picking.
        gains: (n,) what each pick was worth when it was made, higher = better.
        rest: (N,) what each candidate is worth after the last pick; of a picked one it is ignored.
    """

    order: Indices
    gains: NDArray[np.floating]
    rest: NDArray[np.floating]

    def ranking(
        self, notes: tuple[str, ...] = (), state: Mapping[str, float] | None = None
    ) -> Ranking:
        """Return the order with meta-scores that never rise along it.

        The meta-score of a pick is its gain, or the smallest gain before it where that is smaller,
        as happens where picks are drawn at random; those not picked stay at or below the last pick.
        """
        scores = self.rest.astype(np.float32)
        if len(self.order):
            falling = np.minimum.accumulate(self.gains.astype(np.float32))
            np.minimum(scores, falling[-1], out=scores)
            scores[self.order] = falling
        return Ranking(self.order, scores, notes, dict(state or {}))


@dataclass
class Chosen:
    """A selection in the making, with room for all of its picks.

    Attributes:
        order: (n,) int64, the first `count` of them picked.
        gains: (n,) float64 likewise.
        count: how many are picked.
        progress: counts picks; may raise `Cancelled`.
    """

    order: Indices
    gains: NDArray[np.float64]
    count: int = field(default=0)
    progress: Progress | None = None

    @classmethod
    def room(cls, n: int, progress: Progress | None = None) -> "Chosen":
        """Return an empty selection with room for n picks."""
        return cls(np.empty(n, dtype=np.int64), np.empty(n), progress=progress)

    def full(self) -> bool:
        """Whether nothing more is to be picked."""
        return self.count == len(self.order)

    def add(self, position: int, gain: float) -> None:
        """Pick one candidate."""
        self.order[self.count], self.gains[self.count] = position, gain
        self.count += 1
        if self.count % _REPORT_EVERY == 0:
            self.report()

    def report(self) -> None:
        """Say how far the selection is; to be called in long work between two picks, too."""
        if self.progress is not None:
            self.progress(self.count, len(self.order))

    def fill(self, preference: NDArray[np.floating]) -> None:
        """Pick the rest by (N,) preference, higher first, ties by position; they are worth 0."""
        left = np.ones(len(preference), dtype=np.bool_)
        left[self.order[: self.count]] = False
        by_preference = np.argsort(-preference, kind="stable")
        rest = by_preference[left[by_preference]]
        self.order[self.count :] = rest[: len(self.order) - self.count]
        self.gains[self.count :] = 0.0
        self.count = len(self.order)
