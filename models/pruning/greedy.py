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
_TALLIED = 4096
"""Estimates that change before it is told by how much the objective did."""


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
        self._changes: list[tuple[Float64Array, Float64Array]] = []
        self._changed = self._told = 0

    def weights(self, position: int, row: Row) -> Float64Array:
        """Return by how much an example would raise the estimates of its row: (E,)."""
        return row.similarities * float(self.confidence[position])

    def worth(self, position: int, row: Row) -> float:
        """Return what an example would add to the objective."""
        added = self.weights(position, row)
        return float(gained(self.estimate[row.columns], added).sum())

    def pick(self, position: int, gain: float, row: Row) -> None:
        """Pick an example."""
        added = self.weights(position, row)
        before = self.estimate[row.columns]
        self.estimate[row.columns] = before + added
        self.note(position, gain, row, before, added)

    def note(
        self, position: int, gain: float, row: Row, before: Float64Array, added: Float64Array
    ) -> None:
        """Note a pick that has raised the (E,) estimates of its row."""
        self._changes.append((before, added))
        self._changed += len(before)
        self._found[self.chosen.count] = row.found
        self.chosen.add(position, gain)
        if self._changed >= _TALLIED:
            self._tally()

    def _tally(self) -> None:
        """Note what the last picks have added to the objective: together, as most change little."""
        if not self._changes:
            return
        which = np.repeat(np.arange(len(self._changes)), [len(one) for one, _ in self._changes])
        before, added = (np.concatenate(some) for some in zip(*self._changes, strict=True))
        here = slice(self.chosen.count - len(self._changes), self.chosen.count)
        self._added[here] = np.bincount(which, gained(before, added), len(self._changes))
        self._changes, self._changed = [], 0

    def report(self, progress: Progress | None) -> None:
        """Tell now and then how many picks there are."""
        if progress is not None and self.chosen.count >= self._told + _REPORT_EVERY:
            self._told = self.chosen.count
            progress(self.chosen.count, len(self.chosen.order))

    def result(self, bound: float = math.inf) -> Greedy:
        """Return the finished selection."""
        self._tally()
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

    Gains only fall, so an example is evaluated again only when its last gain could still win. Of
    examples with the same neighbours the one with the largest confidence gains most, so the others
    wait until it is picked.

    Args:
        around: finds neighbours and their similarity.
        confidence: (N,) in 0..1.
        n: 1..N.
        room: so many neighbours, 12 bytes each, are kept; beyond, they are looked up again.
        progress: counts picks; may raise `Cancelled`.

    Returns:
        The picks, ties to the lower position, with a bound on the optimum.
    """
    landscape = Landscape(around, confidence, n)
    groups = _Groups(around.groups(), confidence)
    store = _Store(landscape, groups, room, progress)
    heads = groups.heads()
    heap = list(zip((-store.gains[heads]).tolist(), heads.tolist(), strict=True))
    heapq.heapify(heap)
    evaluated = np.zeros(len(confidence), dtype=np.int64)
    while not landscape.chosen.full():
        _, position = heapq.heappop(heap)
        if evaluated[position] == landscape.chosen.count:
            gain = float(store.gains[position])
            landscape.pick(position, gain, store.row(position))
            store.gains[position] = -np.inf
            following = groups.following(position)
            if following is not None:
                # It was no better than the one that was picked.
                store.gains[following] = gain
                heapq.heappush(heap, (-gain, following))
            landscape.report(progress)
            continue
        gain = landscape.worth(position, store.row(position))
        store.gains[position] = gain
        evaluated[position] = landscape.chosen.count
        heapq.heappush(heap, (-gain, position))
    return landscape.result(store.bound())


class _Groups:
    """Examples that have the same neighbours, the surest first.

    Attributes:
        of: (N,) int64, the group of each example.
        members: positions of each group by confidence, ties by position.
    """

    def __init__(self, of: Indices, confidence: Float64Array) -> None:
        """Sort them."""
        self.of = of
        order = np.lexsort([np.arange(len(of)), -confidence, of])
        self.members = np.split(order, np.cumsum(np.bincount(of))[:-1])
        self._taken = [0] * len(self.members)

    def heads(self) -> Indices:
        """Return the first of each group."""
        return np.array([some[0] for some in self.members], dtype=np.int64)

    def following(self, position: int) -> int | None:
        """Count a first one as taken; return who is first now, or None when nobody is left."""
        group = int(self.of[position])
        self._taken[group] += 1
        left = self.left(group)
        return int(left[0]) if len(left) else None

    def left(self, group: int) -> Indices:
        """Return who is not taken of a group."""
        return self.members[group][self._taken[group] :]


class _Store:
    """Neighbours of all examples, and the last known gains, which no true gain exceeds.

    Attributes:
        gains: (N,) float64; -inf for what is picked.
    """

    def __init__(
        self, landscape: Landscape, groups: _Groups, room: int, progress: Progress | None
    ) -> None:
        """Look everything up once, and keep what there is room for."""
        self._land, self._groups = landscape, groups
        self._kept: dict[int, Row] = {}
        self._passing: dict[int, Row] = {}
        count = len(landscape.confidence)
        self.gains = np.empty(count)
        everything = np.zeros(count)
        self._block = landscape.around.block(_BLOCK)
        heads = groups.heads()
        for start in range(0, len(heads), self._block):
            positions = heads[start : start + self._block]
            rows = landscape.around.rows(positions)
            for group, (head, row) in enumerate(zip(positions.tolist(), rows, strict=True), start):
                members = groups.members[group]
                self.gains[members] = landscape.worth(head, row)
                total = float(landscape.confidence[members].sum())
                everything[row.columns] += row.similarities * total
                room -= len(row.columns)
                if room >= 0:
                    self._kept[group] = row
            if progress is not None:
                progress(0, len(landscape.chosen.order))
        self._least = min(float(np.tanh(everything).sum()), self._largest())

    def row(self, position: int) -> Row:
        """Return the neighbours of an example."""
        group = int(self._groups.of[position])
        found = self._kept.get(group) or self._passing.get(group)
        if found is None:
            found = self._looked_up(group)
        return found

    def bound(self) -> float:
        """Return a number that no subset of n exceeds.

        For a monotone submodular function that is the objective plus the n largest gains that are
        left, for whatever was picked so far: for all of it and for nothing; and it is the value of
        everything.
        """
        land = self._land
        for group, row in self._kept.items():
            left = self._groups.left(group)
            if len(left):
                self.gains[left] = land.worth(int(left[0]), row)
        return min(self._least, float(np.tanh(land.estimate).sum()) + self._largest())

    def _largest(self) -> float:
        """Return the sum of the n largest gains that are left."""
        left = np.sort(self.gains[np.isfinite(self.gains)])[::-1]
        return float(left[: len(self._land.chosen.order)].sum())

    def _looked_up(self, group: int) -> Row:
        """Look up an example and others that are about to lead."""
        leading = self._groups.of[np.argsort(-self.gains)[: self._block]]
        missing = [one for one in dict.fromkeys(leading.tolist()) if one not in self._kept]
        wanted = [group, *(one for one in missing if one != group)]
        positions = np.array([self._groups.members[one][0] for one in wanted])
        rows = self._land.around.rows(positions)
        self._passing = dict(zip(wanted, rows, strict=True))
        return self._passing[group]
