"""The neighbourhoods of Prune4ReL as its parameters describe them."""

from copy import copy
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from models.catalog.params.pruning import Prune4RelParams
from models.protocols import Indices
from models.pruning.histogram import neighbour_histogram
from models.pruning.neighbours import Neighbours
from models.pruning.similarity import Float64Array, Similarity, confidence
from models.pruning.view import PruningView

_SAMPLE, _FIRST = 64, 4
_ALIKE = np.float32(0.999)
"""The highest cosine that a threshold is chosen at."""
_ROOM = 5_000_000
"""Neighbours that are looked up at a time, about: at most 350 MB while they are sorted."""


@dataclass(frozen=True, slots=True)
class Row:
    """The neighbours of one example.

    Attributes:
        columns: (E,) int32 distinct positions, the example itself among them unless its embedding
            is all zeros.
        similarities: (E,) float64, the weights of the neighbourhood confidence.
        found: how many neighbours there are without the example itself; above the cap, more than
            there are columns.
    """

    columns: NDArray[np.int32]
    similarities: Float64Array
    found: int


class Neighbourhood:
    """Looks up neighbours, of which only the most similar count if there is a cap.

    Attributes:
        cap: how many count, without the example itself; None: all.
        expected: how many an example has in the mean of a sample, cap or not, itself included.
        alike: 0..1, the share of examples that hardly any threshold would part, as embeddings have
            a cosine of 0.999 or more.
    """

    def __init__(
        self, neighbours: Neighbours, similarity: Similarity, cap: int | None, seed: int
    ) -> None:
        """Take an index; `cap` is how many neighbours count, without the example itself."""
        self.cap = cap
        self._neighbours, self._similarity = neighbours, similarity
        count = len(neighbours)
        generator = np.random.default_rng(seed)
        some = generator.choice(count, min(_SAMPLE, count), replace=False)
        near = same = done = 0
        # A few first: they may have everybody for neighbours.
        size = _FIRST
        while done < len(some):
            found = neighbours.rows(some[done : done + size].astype(np.int64))
            near += len(found.columns)
            same += int((found.cosines >= _ALIKE).sum())
            done = min(len(some), done + size)
            self.expected = max(1.0, near / done)
            size = self.block(_SAMPLE)
        self.alike = same / (len(some) * count)

    def block(self, wanted: int) -> int:
        """Return how many examples, up to `wanted`, to look up without filling memory."""
        return max(1, min(wanted, int(_ROOM / self.expected)))

    def capped(self, cap: int) -> "Neighbourhood":
        """Return the same with a cap."""
        other = copy(self)
        other.cap = cap
        return other

    def groups(self) -> Indices:
        """Return a number per example, (N,), from 0 on: those that share it have the same row."""
        if self.cap is not None:
            # Of a cap's places the example itself takes one, so no two rows are the same.
            return np.arange(len(self._neighbours))
        return self._neighbours.groups()

    def rows(self, positions: Indices) -> list[Row]:
        """Return the neighbours of the examples at (q,) positions."""
        found = self._neighbours.rows(positions)
        similarities = self._similarity.of(found.cosines)
        itself = found.columns == np.repeat(positions, np.diff(found.starts))
        counts = np.diff(
            found.starts - np.concatenate([[0], np.cumsum(itself)])[found.starts]
        ).tolist()
        starts = found.starts.tolist()
        rows = []
        for number, count in enumerate(counts):
            here = slice(starts[number], starts[number + 1])
            # Copies, so that a row that is kept does not keep all others.
            columns, near = found.columns[here].copy(), similarities[here].copy()
            if self.cap is not None and count > self.cap:
                # The example itself comes first, then the most similar, ties by position.
                kept = np.lexsort([columns, -near, ~itself[here]])[: self.cap + 1]
                columns, near = columns[kept], near[kept]
            rows.append(Row(columns, near, count))
        return rows


@dataclass(frozen=True)
class Prepared:
    """What the three variants of Prune4ReL begin with.

    Attributes:
        around: finds neighbours.
        confidence: (N,) float64 in 0..1.
        tau: the threshold that is used.
        notes: what is to be said about it.
    """

    around: Neighbourhood
    confidence: Float64Array
    tau: float
    notes: tuple[str, ...]


def prepared(view: PruningView, n: int, params: Prune4RelParams) -> Prepared:
    """Compute confidences and lay out the embeddings, with a threshold for subsets of n.

    Raises:
        NotReady: no embeddings or no logits.
    """
    embeddings = view.given("embeddings")
    sure = confidence(view.given("logits"), params.confidence)
    tau = params.tau
    notes: tuple[str, ...] = ()
    if tau is None:
        tau, notes = _chosen(view, n, params)
    similarity = Similarity(params.similarity, tau)
    around = Neighbourhood(
        Neighbours(embeddings, similarity, view.seed), similarity, params.most_neighbours, view.seed
    )
    return Prepared(around, sure, tau, notes)


def _chosen(view: PruningView, n: int, params: Prune4RelParams) -> tuple[float, tuple[str, ...]]:
    wanted = max(1, round(2 * len(view) / n))
    histogram = neighbour_histogram(view.given("embeddings"), params.similarity, seed=view.seed)
    tau, reached = histogram.threshold_for(wanted)
    if not reached:
        return tau, (
            f"tau {tau:.4f} was chosen, the lowest: not even there do half of all examples have "
            f"{wanted} neighbours.",
        )
    return tau, (
        f"tau {tau:.4f} was chosen: half of all examples have at least {wanted} neighbours there, "
        "twice as many as there are examples for each one kept.",
    )
