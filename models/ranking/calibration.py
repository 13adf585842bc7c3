"""Purity as a probability, by the answers that a round has got."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from models.numerics.probability import fit_sigmoid, sigmoid
from models.ranking.candidates import Candidates, LastAnswers
from models.ranking.mqnet import Normalisation

Probability = Callable[[NDArray[np.floating]], NDArray[np.float64]]


def probability_inside(pool: NDArray[np.floating], last: LastAnswers) -> Probability:
    """Read purity as a probability of being in-distribution.

    Its z-score is passed through a sigmoid that is fitted to the last answers (Platt), whose purity
    was computed before their verdicts were known; without answers of both kinds, through the plain
    sigmoid. Z-scores are by the statistics of each round's own pool, since a model that was trained
    again, or another purity, has another scale.

    Args:
        pool: (N,) finite purity of all candidates, higher = more in-distribution.
        last: the last answers with their scores and statistics of then.

    Returns:
        A function from (n,) purity to (n,) float64 in 0..1.
    """
    normalisation = Normalisation.fit(pool)
    slope, intercept = 1.0, 0.0
    if calibrates(last):
        assert last.scores is not None
        assert last.purity is not None
        slope, intercept = fit_sigmoid(last.purity.apply(last.scores.purity), ~last.is_ood)
    return lambda purity: sigmoid(slope * normalisation.apply(purity) + intercept)


def calibrates(last: LastAnswers) -> bool:
    """Say whether the last answers tell how to read purity as a probability."""
    known = ~last.is_ood
    is_scored = last.scores is not None and last.purity is not None
    return is_scored and bool(known.any() and not known.all())


def probability_of(candidates: Candidates) -> Probability:
    """Read the purity of candidates as a probability: as it is, or by `probability_inside`."""
    if candidates.scores.purity_is_probability:
        # A surface is looked at a little beyond the pool as well.
        return lambda purity: np.clip(purity.astype(np.float64), 0, 1)
    return probability_inside(candidates.scores.purity, candidates.last)
