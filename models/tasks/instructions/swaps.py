"""Mending clusters: rows move to nearer means, alone where there is room, in pairs where not."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from models.protocols import Float32Array, Indices

BLOCK: Final = 8_192
_ROWS: Final = 1_024
_NEAREST: Final = 3
"""Cells whose clusters a row is compared with, its own among them."""
_LEAST_GAIN: Final = 1e-5


def means_of(embeddings: Float32Array, labels: NDArray[np.int64]) -> Float32Array:
    """Return the means of clusters, (K, D) float32, of (N, D) rows and (N,) labels 0..K-1."""
    sizes = np.bincount(labels)
    order = np.argsort(labels, kind="stable")
    ends = np.cumsum(sizes)
    sums = np.zeros((len(sizes), embeddings.shape[1]), dtype=np.float32)
    first = 0
    while first < len(sizes):
        last = int(np.searchsorted(ends, (ends[first - 1] if first else 0) + BLOCK, side="right"))
        last = max(last, first + 1)
        begin = ends[first] - sizes[first]
        rows = embeddings[order[begin : ends[last - 1]]]
        here = np.flatnonzero(sizes[first:last]) + first
        sums[here] = np.add.reduceat(rows, ends[here] - sizes[here] - begin, axis=0)
        first = last
    sums /= np.maximum(sizes, 1)[:, None]
    return sums


def to_own_mean(
    embeddings: Float32Array, labels: NDArray[np.int64], means: Float32Array
) -> NDArray[np.float64]:
    """Return the squared distance of (N, D) rows to the mean of their cluster, (N,)."""
    found = np.empty(len(labels), dtype=np.float64)
    for start in range(0, len(labels), BLOCK):
        here = slice(start, start + BLOCK)
        apart = embeddings[here] - means[labels[here]]
        found[here] = np.vecdot(apart, apart)
    return found


def swapped(
    embeddings: Float32Array, labels: NDArray[np.int64], first_of_cell: Indices, largest: int
) -> NDArray[np.int64]:
    """Move rows to nearer means, so that inertia falls and no cluster grows beyond `largest`.

    Means stand still meanwhile, so that each move and each swap lowers the sum of distances to
    them; the means of what comes out lower it further.

    Args:
        embeddings: (N, D) float32.
        labels: (N,) clusters, 0..K-1, none empty.
        first_of_cell: (C + 1,) clusters of cell c are first_of_cell[c] to first_of_cell[c + 1] - 1.
        largest: most rows of a cluster.

    Returns:
        (N,) labels with the same clusters, none empty.
    """
    means = means_of(embeddings, labels)
    own = to_own_mean(embeddings, labels, means)
    wanted, gains = _nearer(embeddings, labels, means, own, first_of_cell)
    return _Swaps(embeddings, labels, means, own, largest).done(wanted, gains)


def _nearer(
    embeddings: Float32Array,
    labels: NDArray[np.int64],
    means: Float32Array,
    own: NDArray[np.float64],
    first_of_cell: Indices,
) -> tuple[Indices, NDArray[np.float64]]:
    """The nearest other mean of each row, (N,), and how much nearer it is than its own."""
    wanted = labels.copy()
    gains = np.zeros(len(labels))
    half_norms = np.vecdot(means, means) / 2
    cells = np.repeat(np.arange(len(first_of_cell) - 1), np.diff(first_of_cell))
    centers = means_of(means, cells)
    order = np.argsort(cells[labels], kind="stable")
    ends = np.cumsum(np.bincount(cells[labels], minlength=len(centers)))
    for cell, center in enumerate(centers):
        apart = np.vecdot(centers - center, centers - center)
        # The own cell comes first, whatever lies where it does.
        apart[cell] = -1
        near = np.argsort(apart, kind="stable")[:_NEAREST]
        others = np.concatenate(
            [np.arange(first_of_cell[one], first_of_cell[one + 1]) for one in near]
        )
        targets, half = means[others].T, half_norms[others]
        begin = int(ends[cell - 1]) if cell else 0
        for start in range(begin, int(ends[cell]), _ROWS):
            rows = order[start : min(start + _ROWS, int(ends[cell]))]
            points = embeddings[rows]
            # |x - m|^2 = |x|^2 - 2 (x m - |m|^2 / 2): the largest of these is the nearest.
            closeness = points @ targets
            closeness -= half
            here = np.arange(len(rows))
            closeness[here, labels[rows] - first_of_cell[cell]] = -np.inf
            best = closeness.argmax(axis=1)
            wanted[rows] = others[best]
            nearest = np.vecdot(points, points) - 2 * closeness[here, best]
            gains[rows] = np.where(np.isfinite(nearest), own[rows] - nearest, 0)
    return wanted, gains


class _Swaps:
    """Clusters whose rows move, while the means stand still."""

    def __init__(
        self,
        embeddings: Float32Array,
        labels: NDArray[np.int64],
        means: Float32Array,
        own: NDArray[np.float64],
        largest: int,
    ) -> None:
        self._embeddings, self._means, self._largest = embeddings, means, largest
        self._labels = labels.copy()
        self._own = own
        order = np.argsort(labels, kind="stable")
        ends = np.cumsum(np.bincount(labels))
        self._members = [rows.tolist() for rows in np.split(order, ends[:-1])]

    def done(self, wanted: Indices, gains: NDArray[np.float64]) -> NDArray[np.int64]:
        """Move or swap every row that gains by it, those that gain most first."""
        order = np.argsort(-gains, kind="stable")
        order = order[: int((gains > _LEAST_GAIN).sum())]
        moved = np.zeros(len(gains), dtype=bool)
        for row in order.tolist():
            if moved[row]:
                continue
            source, target = int(self._labels[row]), int(wanted[row])
            if len(self._members[target]) < self._largest:
                if len(self._members[source]) > 1:
                    moved[row] = True
                    self._move(row, source, target, self._own[row] - gains[row])
                continue
            other, gain, far = self._best_exchange(source, target)
            if gain + gains[row] > _LEAST_GAIN:
                moved[[row, other]] = True
                self._move(row, source, target, self._own[row] - gains[row])
                self._move(other, target, source, far)
        return self._labels

    def _best_exchange(self, source: int, target: int) -> tuple[int, float, float]:
        """The member of a cluster that loses least by going to another."""
        rows = self._members[target]
        apart = self._embeddings[rows] - self._means[source]
        far = np.vecdot(apart, apart)
        gains = self._own[rows] - far
        best = int(gains.argmax())
        return rows[best], float(gains[best]), float(far[best])

    def _move(self, row: int, source: int, target: int, far: float) -> None:
        self._members[source].remove(row)
        self._members[target].append(row)
        self._labels[row] = target
        self._own[row] = far
