"""Algorithms 1 and 2 of the thesis: take the example with the largest gain for itself.

The picks are those of the plain loop, at a fraction of the work: as gains only fall, neighbours are
looked up of examples that lead or are about to, many at a time, and who leads is read off a heap.
"""

import heapq
import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from models.protocols import Indices, Progress
from models.pruning.greedy import Greedy, Landscape
from models.pruning.neighbourhood import Neighbourhood, Row
from models.pruning.utility import OwnGains

Float64Array = NDArray[np.float64]

_LEAST_BLOCK, _MOST_BLOCK = 256, 8192
_BLOCK_SHARE = 50
_PATIENCE = 256
"""After so many gains that fell, all are looked at: where everybody is a neighbour, all fall."""


def by_own_gain(
    around: Neighbourhood,
    confidence: Float64Array,
    groups: Indices,
    n: int,
    progress: Progress | None = None,
) -> Greedy:
    """Pick n of N examples; groups take turns, in ascending order, and are skipped once empty.

    Args:
        around: finds neighbours and their similarity.
        confidence: (N,) in 0..1.
        groups: (N,) int64: labels for algorithm 2, zeros for algorithm 1.
        n: 1..N.
        progress: counts picks; may raise `Cancelled`.

    Returns:
        The picks; ties go to the lower position.
    """
    landscape = Landscape(around, confidence, n)
    race = _Race(landscape, groups)
    for _ in race.picks():
        landscape.report(progress)
    return landscape.result()


class _Race:
    """Who leads in each group.

    Logarithms of gains, `_logs`, are kept up to date for all N examples; `_filed` is the largest
    value under which an example stands in the heap of its group.
    """

    def __init__(self, landscape: Landscape, groups: Indices) -> None:
        self._land = landscape
        count = len(groups)
        self._own = OwnGains(landscape.confidence)
        self._logs = self._own.log_of(np.zeros(count), np.arange(count))
        self._filed = self._logs.copy()
        self._open, self._waiting = np.ones(count, np.bool_), np.ones(count, np.bool_)
        self._rows: dict[int, Row] = {}
        self._group = np.unique(groups, return_inverse=True)[1]
        by_group = np.argsort(self._group, kind="stable")
        self._members = np.split(by_group, np.cumsum(np.bincount(self._group))[:-1])
        self._heaps = [
            list(zip((-self._logs[some]).tolist(), some.tolist(), strict=True))
            for some in self._members
        ]
        for heap in self._heaps:
            heapq.heapify(heap)

    def picks(self) -> Iterator[int]:
        """Pick until there are n."""
        while True:
            for heap, members in zip(self._heaps, self._members, strict=True):
                if (leader := self._leader(heap, members)) is not None:
                    self._pick(leader)
                    yield leader
                if self._land.chosen.full():
                    return

    def _leader(self, heap: list[tuple[float, int]], members: Indices) -> int | None:
        """Return the example of a group with the largest gain; None when nobody is left."""
        patience = _PATIENCE
        while heap:
            value, position = heap[0]
            log = float(self._logs[position])
            if self._open[position] and -value > log:
                self._filed[position] = log
                heapq.heapreplace(heap, (-log, position))
                patience -= 1
                if patience == 0:
                    left = members[self._open[members]]
                    return int(left[self._logs[left].argmax()])
                continue
            heapq.heappop(heap)
            if self._open[position]:
                return position
        return None

    def _pick(self, position: int) -> None:
        if position not in self._rows:
            self._look_up(position)
        row = self._rows.pop(position)
        self._open[position] = self._waiting[position] = False
        estimate = self._land.pick(position, math.exp(self._logs[position]), row)
        self._logs[row.columns] = logs = self._own.log_of(estimate, row.columns)
        # Gains fall but for rounding; what rises by it is filed again.
        for risen in row.columns[logs > self._filed[row.columns]].tolist():
            self._filed[risen] = self._logs[risen]
            heap = self._heaps[self._group[risen]]
            heapq.heappush(heap, (-float(self._logs[risen]), risen))

    def _look_up(self, position: int) -> None:
        """Look up the neighbours of an example and of others that are about to lead."""
        around, chosen = self._land.around, self._land.chosen
        room = min(_MOST_BLOCK, max(_LEAST_BLOCK, len(self._logs) // _BLOCK_SHARE))
        room = around.block(min(room, len(chosen.order) - chosen.count))
        self._waiting[position] = False
        share = -(-room // len(self._members))
        block = [np.array([position]), *(self._best(some, share) for some in self._members)]
        positions = np.concatenate(block).astype(np.int64)
        self._waiting[positions] = False
        rows = around.rows(positions)
        self._rows.update(zip(positions.tolist(), rows, strict=True))

    def _best(self, members: Indices, count: int) -> Indices:
        """Return `count` of a group that were not looked up yet, those with the largest gains."""
        waiting = members[self._waiting[members]]
        if len(waiting) <= count:
            return waiting
        cut = len(waiting) - count
        return waiting[np.argpartition(self._logs[waiting], cut)[cut:]]
