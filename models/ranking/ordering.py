"""Orders that strategies share."""

import heapq
import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from models.numerics.finite import require_finite
from models.protocols import Float32Array, Indices, Ranking, Surface
from models.ranking.mqnet import InputNormalisation, meta_inputs
from models.ranking.pool_scores import PoolScores


def best_first(n: int, *scores: NDArray[np.floating]) -> Indices:
    """Return the positions of the n best: by the first (N,) score, ties by the next, by position.

    Returns:
        (min(n, N),) int64.
    """
    order = np.lexsort([-score.astype(np.float64) for score in reversed(scores)])
    return order[:n].astype(np.int64)


def by_score(score: Float32Array, name: str, scores: PoolScores, n: int) -> Ranking:
    """Rank by one (N,) score, higher first; ties by position."""
    require_finite(name, score, scores.indices)
    return Ranking(best_first(n, score), score)


def normalised_inputs(scores: PoolScores) -> Float32Array:
    """Return the (N, 2) meta-inputs, normalised over all rows of `scores`.

    Raises:
        ModelError: a score is NaN or infinite.
    """
    require_finite("Purity", scores.purity, scores.indices)
    require_finite("Informativeness", scores.informativeness, scores.indices)
    normalisation = InputNormalisation.fit(scores.purity, scores.informativeness)
    return meta_inputs(scores.purity, scores.informativeness, normalisation)


def surface_of_inputs(
    name: str, value: Callable[[Float32Array], NDArray[np.floating]], scores: PoolScores
) -> Surface:
    """Return a function of (n, 2) meta-inputs as one of raw scores, normalised as `scores` are."""
    normalisation = InputNormalisation.fit(scores.purity, scores.informativeness)
    return Surface(
        name,
        lambda purity, informativeness: value(meta_inputs(purity, informativeness, normalisation)),
    )


def summed(inputs: Float32Array) -> NDArray[np.float64]:
    """Return P + I of (N, 2) meta-inputs; in float64 strict dominance is never rounded off."""
    total: NDArray[np.float64] = inputs.astype(np.float64).sum(axis=1)
    return total


def widening(
    purest: Indices, informativeness: NDArray[np.floating], width: float, n: int
) -> Indices:
    """Take the most informative of the purest, where both grow together.

    The t-th place goes to the most informative example not yet taken among the first
    ceil(width * t) of `purest`: so n places come from the n * width purest, and a longer queue
    begins like a shorter one, which matters where nobody knows how far the budget will reach.

    Args:
        purest: (P,) positions, purest first.
        informativeness: (N,) by position, higher = sooner; ties by place in `purest`.
        width: >= 1.
        n: how many to return; fewer when there are fewer.
    """
    offered = [(-value, place) for place, value in enumerate(informativeness[purest].tolist())]
    waiting: list[tuple[float, int]] = []
    taken = []
    reach = 0
    for count in range(1, min(n, len(purest)) + 1):
        wanted = min(len(purest), math.ceil(width * count))
        for pair in offered[reach:wanted]:
            heapq.heappush(waiting, pair)
        reach = max(reach, wanted)
        taken.append(heapq.heappop(waiting)[1])
    return purest[np.array(taken, dtype=np.int64)]


def by_place(order: Indices, count: int, notes: tuple[str, ...] = ()) -> Ranking:
    """Rank in a given order of (n,) positions out of `count`.

    The meta-score falls in equal steps from 1; what is not in the queue has 0.
    """
    meta = np.zeros(count, dtype=np.float32)
    meta[order] = 1 - np.arange(len(order)) / count
    return Ranking(order, meta, notes)
