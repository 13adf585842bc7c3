"""Orders that strategies share."""

import numpy as np
from numpy.typing import NDArray

from models.mqnet import InputNormalisation, meta_inputs, require_finite
from models.pool_scores import PoolScores
from models.protocols import Float32Array, Indices, Ranking


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


def summed(inputs: Float32Array) -> NDArray[np.float64]:
    """Return P + I of (N, 2) meta-inputs; in float64 strict dominance is never rounded off."""
    total: NDArray[np.float64] = inputs.astype(np.float64).sum(axis=1)
    return total
