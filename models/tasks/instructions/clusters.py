"""Clusters of at most so many rows, every row in exactly one.

Source: thesis, section 6.4, which names constrained k-means (P. Bradley, K. Bennett, A. Demiriz,
"Constrained K-Means Clustering", 2000). That paper bounds sizes from below, and solves a min-cost
flow for it, which takes a quarter of an hour for 23,000 rows in ten clusters. Here sizes are
bounded from above: mini-batches find cells, cells are halved along the direction in which they
spread most until all parts are small enough, and a pass of swaps mends what the cuts have torn.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import MiniBatchKMeans

from models.errors import ModelError
from models.numerics.finite import require_finite
from models.protocols import Float32Array, Indices, Progress
from models.tasks.instructions.swaps import BLOCK, means_of, swapped, to_own_mean

_FEWEST: Final = 500
"""Rows below which cells are no gain: halving takes all of them at once."""
_OF_A_CELL: Final = 256
"""Rows per cell that cells are learned from."""
_STEPS: Final = 3
"""Times a direction is looked for: from the means of both halves of the last."""
_LEAST_SHARE: Final = 0.2
"""Of many rows on either side of a cut: else outliers are cut off one by one."""
_MANY: Final = 4_096
_HALVINGS: Final = 60
_SAME: Final = 1e-9
"""Squared distance, of the squared length, below which rows are equal but for rounding."""
_TINY: Final = 1e-30


@dataclass(frozen=True)
class _Part:
    """Rows that become `count` clusters; `cell` says where they lie."""

    rows: Indices
    count: int


def constrained_clusters(
    embeddings: Float32Array,
    *,
    largest: int,
    seed: int,
    clusters: int | None = None,
    progress: Progress | None = None,
) -> NDArray[np.int64]:
    """Put every row into one cluster of at most `largest` rows.

    Args:
        embeddings: (N, D) float32, finite; unit rows where cosine similarity is meant.
        largest: most rows of a cluster, at least 1.
        seed: decides the cells. The same seed and rows give the same clusters.
        clusters: how many there may be, at least N / `largest`; None: about as few as that. There
            are fewer where rows are equal or fewer than clusters.
        progress: counts rows; may raise `Cancelled`.

    Returns:
        (N,) int64: the cluster of each row, 0..K-1, none of them empty.

    Raises:
        ModelError: the rows do not fit into that many clusters.
        NotFinite: an embedding is not finite.
    """
    n = len(embeddings)
    if largest < 1:
        raise ModelError(f"A cluster of at most {largest} rows holds none; say at least 1.")
    if clusters is not None and clusters * largest < n:
        raise ModelError(
            f"{n:,} rows do not fit into {clusters:,} clusters of at most {largest}; allow "
            f"{-(-n // largest):,} clusters or more, or larger ones."
        )
    require_finite("embeddings", embeddings.sum(axis=1), np.arange(n))
    labels = np.full(n, -1, dtype=np.int64)
    if n == 0:
        return labels
    cells = _cells(embeddings, largest, seed)
    parts = _parts(embeddings, cells, largest, clusters)
    first_of_cell = [0]
    done = 0
    for part in parts:
        found = first_of_cell[-1]
        for rows in _halved(embeddings[part.rows], part.count, largest):
            labels[part.rows[rows]] = found
            found += 1
        first_of_cell.append(found)
        done += len(part.rows)
        if progress is not None:
            progress(done, n)
    return swapped(embeddings, labels, np.array(first_of_cell), largest)


def inertia(embeddings: Float32Array, labels: NDArray[np.int64]) -> float:
    """Return the sum of squared distances of (N, D) rows to the means of their (N,) clusters.

    Lower is better; no rows give 0.
    """
    return float(to_own_mean(embeddings, labels, means_of(embeddings, labels)).sum())


def _cells(embeddings: Float32Array, largest: int, seed: int) -> Indices:
    """(N,) cells, as many as clusters will be in each."""
    n = len(embeddings)
    count = round((n / largest) ** 0.5)
    if n < _FEWEST or count < 2:
        return np.zeros(n, dtype=np.int64)
    sample = np.random.default_rng(seed).choice(n, min(n, _OF_A_CELL * count), replace=False)
    model = MiniBatchKMeans(count, batch_size=4 * count, n_init=1, random_state=seed)
    model.fit(embeddings[np.sort(sample)])
    centers: Float32Array = model.cluster_centers_
    norms = np.vecdot(centers, centers)
    cells = np.empty(n, dtype=np.int64)
    for start in range(0, n, BLOCK):
        here = slice(start, start + BLOCK)
        cells[here] = (norms - 2 * (embeddings[here] @ centers.T)).argmin(axis=1)
    return cells


def _parts(
    embeddings: Float32Array, cells: Indices, largest: int, clusters: int | None
) -> list[_Part]:
    """Say how many clusters each cell becomes; move rows where the cells would take too many."""
    _, cells, sizes = np.unique(cells, return_inverse=True, return_counts=True)
    least = -(-sizes // largest)
    counts = least
    if clusters is not None and least.sum() > clusters:
        cells = _packed(embeddings, cells, largest, int(least.sum()) - clusters)
        sizes = np.bincount(cells, minlength=len(sizes))
        counts = -(-sizes // largest)
    elif clusters is not None:
        apart = to_own_mean(embeddings, cells, means_of(embeddings, cells))
        spreads = np.asarray(np.bincount(cells, apart), dtype=np.float64)
        counts = _shares(min(clusters, len(cells)), spreads, least, sizes)
    order = np.argsort(cells, kind="stable")
    rows = np.split(order, np.cumsum(sizes)[:-1])
    return [_Part(*part) for part in zip(rows, counts.tolist(), strict=True) if len(part[0])]


def _packed(embeddings: Float32Array, cells: Indices, largest: int, excess: int) -> Indices:
    """Move the rows that would begin a last cluster of a cell, for as many cells as `excess`.

    They go to the nearest cell that has room in its last cluster.
    """
    means = means_of(embeddings, cells)
    sizes = np.bincount(cells)
    beyond = (sizes - 1) % largest + 1
    emptied = np.argsort(beyond, kind="stable")[:excess]
    room = largest - beyond
    room[emptied] = 0
    apart = to_own_mean(embeddings, cells, means)
    cells = cells.copy()
    for cell in emptied:
        rows = np.flatnonzero(cells == cell)
        # The farthest of them have the least to lose.
        rows = rows[np.argsort(-apart[rows], kind="stable")[: beyond[cell]]]
        for row in rows:
            far = np.vecdot(means - embeddings[row], means - embeddings[row])
            far[room == 0] = np.inf
            chosen = int(far.argmin())
            cells[row] = chosen
            room[chosen] -= 1
    return cells


def _shares(
    total: int, spreads: NDArray[np.floating], least: Indices, most: Indices
) -> NDArray[np.int64]:
    """Share a number of clusters out by how much rows spread, within (C,) bounds."""
    low, high = 0.0, float(total) / max(float(spreads[spreads > 0].min(initial=1.0)), 1e-12)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if np.clip((middle * spreads).astype(np.int64), least, most).sum() <= total:
            low = middle
        else:
            high = middle
    counts = np.clip((low * spreads).astype(np.int64), least, most)
    over = np.where((counts < most) & (spreads > 0), low * spreads - counts, -np.inf)
    missing = min(total - int(counts.sum()), int(np.isfinite(over).sum()))
    counts[np.argsort(-over, kind="stable")[: max(missing, 0)]] += 1
    return counts


def _halved(points: Float32Array, count: int, largest: int) -> Iterator[Indices]:
    """Yield the rows of at most `count` clusters of (n, D) points."""
    waiting = [(np.arange(len(points)), count)]
    while waiting:
        rows, count = waiting.pop()
        if count == 1:
            yield rows
            continue
        first = points[rows[0]]
        here = points[rows] - first
        if float(np.vecdot(here, here).max()) <= _SAME * float(first @ first):
            # All are equal: nothing is won by more clusters than they need.
            yield from np.split(rows, range(largest, len(rows), largest))
            continue
        here -= here.mean(axis=0)
        spread = np.vecdot(here, here)
        along, middle = _direction(here, spread)
        order = np.argsort(along, kind="stable")
        size = _natural(along[order], middle)
        share = _share_of_spread(here[order[:size]], spread[order], size)
        size, left = _fitting(size, len(rows), share, count, largest)
        waiting += [(rows[order[size:]], count - left), (rows[order[:size]], left)]


def _direction(points: Float32Array, spread: Float32Array) -> tuple[Float32Array, float]:
    """Where (n, D) centred points lie on the line between two means, and where it is halved."""
    direction = points[int(spread.argmax())]
    for _ in range(_STEPS):
        direction = (points @ direction) @ points
        direction = direction / max(float(np.sqrt(direction @ direction)), _TINY)
    along = points @ direction
    middle = 0.0
    for _ in range(_STEPS):
        upper = along > middle
        if not upper.any() or upper.all():
            break
        high = points[upper].mean(axis=0)
        # The mean of all is 0, and so is the weighted sum of both.
        low = -high * (upper.sum() / (~upper).sum())
        along = points @ (high - low)
        middle = float((high - low) @ (high + low)) / 2
    return along, middle


def _natural(along: Float32Array, middle: float) -> int:
    """How many of n rows in order lie on the left."""
    n = len(along)
    margin = int(n * _LEAST_SHARE) if n > _MANY else 1
    size = int(np.searchsorted(along, middle, side="right"))
    return min(max(size, margin), n - margin)


def _share_of_spread(left: Float32Array, spread: Float32Array, size: int) -> float:
    """Of the squared distances to the means of both halves, the left one's share."""
    total = left.sum(axis=0)
    # Both halves add up to 0.
    squared = float(total @ total)
    first = max(float(spread[:size].sum()) - squared / size, 0.0)
    second = max(float(spread[size:].sum()) - squared / (len(spread) - size), 0.0)
    return first / max(first + second, _TINY)


def _fitting(size: int, n: int, share: float, count: int, largest: int) -> tuple[int, int]:
    """How many of n rows go to the left, and into how many of `count` clusters, 2 to n.

    There is room for all: n <= count * largest.
    """
    low, high = -(-size // largest), count - -(-(n - size) // largest)
    if low <= high:
        left = min(max(round(share * count), low), high)
    else:
        left = min(max(round(size / n * count), 1), count - 1)
    # Neither side may have more clusters than rows, nor more rows than room.
    left = min(max(left, count - (n - 1)), n - 1)
    size = max(size, left, n - (count - left) * largest)
    return min(size, left * largest, n - (count - left)), left
