"""Farthest-first traversal.

Source: T. F. Gonzalez, "Clustering to Minimize the Maximum Intercluster Distance", Theoretical
Computer Science 38, 1985; as core-set active learning: O. Sener, S. Savarese, "Active Learning for
Convolutional Neural Networks: A Core-Set Approach", ICLR 2018, algorithm 1.
"""

import numpy as np

from models.protocols import Float32Array, Progress
from models.selection.leaders import Leaders
from models.selection.picks import Chosen, Picks
from models.selection.points import Points, lower_to_nearest

_ACTIVE = 4096
"""Points that compete for the next pick at a time: at 512 numbers each they stay in the cache."""


def k_center(
    points: Points,
    norms: Float32Array,
    centers: Points,
    n: int,
    progress: Progress | None = None,
) -> Picks:
    """Pick, again and again, the point that is farthest from all centers and all picks.

    The picks are those of the plain loop, ties by position, but most points are looked at a few
    times only: distances only shrink, so as long as the best of those that led at the last look
    still exceeds what the others had then, nobody else needs to be looked at.

    Args:
        points: N candidates.
        norms: (N,) float32, their squared norms.
        centers: what is covered already, m points. Without any, the first pick is the point
            nearest to the mean.
        n: how many to pick.
        progress: counts picks; may raise `Cancelled`.

    Returns:
        min(n, N) picks. A gain is the distance to the nearest center when picked; that of a first
        pick without centers is the largest distance from it.
    """
    chosen = Chosen.room(min(n, len(points)), progress)
    nearest = np.full(len(points), np.inf, dtype=np.float32)
    if chosen.full():
        return Picks(chosen.order, chosen.gains, np.zeros(len(points), dtype=np.float32))
    if len(centers):
        lower_to_nearest(nearest, points, norms, centers, centers.squared_norms())
    else:
        first = _nearest_to_mean(points, norms)
        _lower(nearest, points, norms, np.array([first]))
        chosen.add(first, float(nearest.max()))
    while not chosen.full():
        before = chosen.count
        chosen.report()
        _race(points, norms, nearest, chosen)
        _lower(nearest, points, norms, chosen.order[before : chosen.count])
    return Picks(chosen.order, np.sqrt(chosen.gains), np.sqrt(nearest))


def _race(points: Points, norms: Float32Array, nearest: Float32Array, chosen: Chosen) -> None:
    """Pick, at least once, among the points that lead now, while they certainly lead."""
    standing = nearest.copy()
    standing[chosen.order[: chosen.count]] = -1
    leaders = Leaders.of(standing, _ACTIVE)
    active = leaders.positions
    distance, near, sizes = standing[active], points.take(active), norms[active]
    while not chosen.full():
        best = int(distance.argmax())
        if distance[best] < 0 or leaders.is_beaten(float(distance[best]), int(active[best])):
            break
        chosen.add(int(active[best]), float(distance[best]))
        here = slice(best, best + 1)
        pick = Points(near.embeddings[here], None if near.factors is None else near.factors[here])
        np.minimum(distance, near.squared_distances(sizes, pick, sizes[here])[:, 0], out=distance)
        distance[best] = -1


def _lower(nearest: Float32Array, points: Points, norms: Float32Array, picks: np.ndarray) -> None:
    lower_to_nearest(nearest, points, norms, points.take(picks), norms[picks])


def _nearest_to_mean(points: Points, norms: Float32Array) -> int:
    total = np.zeros(points.embeddings.shape[1])
    for _, block in points.blocks():
        total += block.embeddings.sum(axis=0, dtype=np.float64)
    mean = (total / len(points)).astype(np.float32)
    toward = np.empty(len(points), dtype=np.float32)
    for here, block in points.blocks():
        toward[here] = block.embeddings @ mean
    return int((norms - 2 * toward).argmin())
