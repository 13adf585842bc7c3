"""The sum of tanh of neighbourhood confidences, and its greedy maximisation.

Source: thesis, section 5.2.2. Greedy maximisation of a monotone submodular function reaches at
least 1 - 1/e of the optimum (G. Nemhauser et al., Mathematical Programming 14, 1978); lazily:
M. Minoux, "Accelerated Greedy Algorithms for Maximizing Submodular Set Functions", 1978.
"""

import heapq
import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from models.protocols import Indices, Progress
from models.pruning.neighbourhood import Neighbourhood, Row
from models.pruning.utility import gained
from models.selection.picks import Chosen

Float64Array = NDArray[np.float64]

_BLOCK = 1024
_REPORT_EVERY = 256


@dataclass(frozen=True)
class Greedy:
    """What a greedy selection of n among N examples leaves behind.

    Attributes:
        order: (n,) int64 positions, in the order of picking.
        gains: (n,) float64, what each was worth when it was picked.
        objective: (n,) float64, sum of tanh(estimate) over all N after each pick.
        estimate: (N,) float64, confidence of the picks around each example, itself included.
        neighbours: (n,) int64, how many each pick has without itself, cap or not.
        bound: no subset of n has a larger objective; infinite where none was computed.
    """

    order: Indices
    gains: Float64Array
    objective: Float64Array
    estimate: Float64Array
    neighbours: Indices
    bound: float = math.inf


class Landscape:
    """Confidence of the picks so far around each of N examples."""

    def __init__(self, around: Neighbourhood, confidence: Float64Array, n: int) -> None:
        """Begin without picks; `confidence` is (N,) in 0..1."""
        self.around, self.confidence = around, confidence
        self.chosen = Chosen.room(n)
        self.estimate = np.zeros(len(confidence))
        self._added, self._found = np.empty(n), np.empty(n, dtype=np.int64)

    def weights(self, position: int, row: Row) -> Float64Array:
        """Return by how much an example would raise the estimates of its row: (E,)."""
        return self.around.similarities(row) * float(self.confidence[position])

    def worth(self, position: int, row: Row) -> float:
        """Return what an example would add to the objective."""
        added = self.weights(position, row)
        return float(gained(self.estimate[row.columns], added).sum())

    def pick(self, position: int, gain: float, row: Row) -> Float64Array:
        """Pick an example; return the (E,) estimates of its row after that."""
        added = self.weights(position, row)
        estimate = self.estimate[row.columns]
        self._added[self.chosen.count] = gained(estimate, added).sum()
        self._found[self.chosen.count] = row.found
        self.chosen.add(position, gain)
        estimate += added
        self.estimate[row.columns] = estimate
        return estimate

    def report(self, progress: Progress | None) -> None:
        """Tell now and then how many picks there are."""
        if progress is not None and self.chosen.count % _REPORT_EVERY == 0:
            progress(self.chosen.count, len(self.chosen.order))

    def result(self, bound: float = math.inf) -> Greedy:
        """Return the finished selection."""
        return Greedy(
            self.chosen.order, self.chosen.gains, np.cumsum(self._added), self.estimate,
            self._found, bound,
        )  # fmt: skip


def by_marginal_gain(
    around: Neighbourhood,
    confidence: Float64Array,
    n: int,
    room: int,
    progress: Progress | None = None,
) -> Greedy:
    """Pick, again and again, the example that adds most to the sum of tanh(estimate) over all.

    Gains only fall, so an example is evaluated again only when its last gain could still win.

    Args:
        around: finds neighbours and their similarity.
        confidence: (N,) in 0..1.
        n: 1..N.
        room: so many neighbours, 8 bytes each, are kept; beyond, they are looked up again.
        progress: counts picks; may raise `Cancelled`.

    Returns:
        The picks, ties to the lower position, with a bound on the optimum.
    """
    landscape = Landscape(around, confidence, n)
    store = _Store(landscape, room, progress)
    heap = list(zip((-store.gains).tolist(), range(len(confidence)), strict=True))
    heapq.heapify(heap)
    evaluated = np.zeros(len(confidence), dtype=np.int64)
    while not landscape.chosen.full():
        _, position = heapq.heappop(heap)
        if evaluated[position] == landscape.chosen.count:
            landscape.pick(position, float(store.gains[position]), store.row(position))
            store.gains[position] = -np.inf
            landscape.report(progress)
            continue
        gain = landscape.worth(position, store.row(position))
        store.gains[position] = gain
        evaluated[position] = landscape.chosen.count
        heapq.heappush(heap, (-gain, position))
    return landscape.result(store.bound())


class _Store:
    """Neighbours of all examples, and the last known gains, which no true gain exceeds.

    Attributes:
        gains: (N,) float64; -inf for what is picked.
    """

    def __init__(self, landscape: Landscape, room: int, progress: Progress | None) -> None:
        """Look everything up once, and keep what there is room for."""
        self._land = landscape
        self._kept: dict[int, Row] = {}
        self._passing: dict[int, Row] = {}
        count = len(landscape.confidence)
        self.gains = np.empty(count)
        everything = np.zeros(count)
        self._block = landscape.around.block(_BLOCK)
        for start in range(0, count, self._block):
            positions = np.arange(start, min(start + self._block, count))
            for position, row in zip(
                positions.tolist(), landscape.around.rows(positions), strict=True
            ):
                self.gains[position] = landscape.worth(position, row)
                everything[row.columns] += landscape.weights(position, row)
                room -= len(row.columns)
                if room >= 0:
                    self._kept[position] = row
            if progress is not None:
                progress(0, len(landscape.chosen.order))
        self._whole = float(np.tanh(everything).sum())

    def row(self, position: int) -> Row:
        """Return the neighbours of an example."""
        found = self._kept.get(position) or self._passing.get(position)
        if found is None:
            found = self._looked_up(position)
        return found

    def bound(self) -> float:
        """Return a number that no subset of n exceeds.

        For a monotone submodular function that is the objective plus the n largest gains that are
        left, for whatever was picked so far; and it is the value of everything.
        """
        land = self._land
        for position, row in self._kept.items():
            if np.isfinite(self.gains[position]):
                self.gains[position] = land.worth(position, row)
        left = np.sort(self.gains[np.isfinite(self.gains)])[::-1]
        value = float(np.tanh(land.estimate).sum())
        return min(self._whole, value + float(left[: len(land.chosen.order)].sum()))

    def _looked_up(self, position: int) -> Row:
        """Look up an example and others that are about to lead."""
        leading = np.argsort(-self.gains)[: self._block]
        missing = [one for one in leading.tolist() if one not in self._kept and one != position]
        positions = np.array([position, *missing])
        self._passing = dict(
            zip(positions.tolist(), self._land.around.rows(positions), strict=True)
        )
        return self._passing[position]
