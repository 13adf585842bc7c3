"""What an answer is expected to teach, per unit of what it is expected to cost.

Ours. With p the probability of being in-distribution and c the price of a verdict, an answer
teaches I with probability p and costs p * c_in + (1 - p) * c_ood on average.
"""

import numpy as np
from numpy.typing import NDArray

from models.candidates import Candidates, LastAnswers
from models.mqnet import Normalisation, require_finite
from models.ordering import best_first
from models.params.strategies import ExpectedValueParams
from models.probability import fit_sigmoid, sigmoid
from models.protocols import Ranking


def rank(candidates: Candidates, n: int, params: ExpectedValueParams) -> Ranking:
    """Rank by  p^sharpness * I / (p * c_in + (1 - p) * c_ood); ties by position.

    I is the informativeness above the least of all candidates.

    Raises:
        ModelError: a score is NaN or infinite.
    """
    scores, prices = candidates.scores, candidates.prices
    require_finite("Purity", scores.purity, scores.indices)
    require_finite("Informativeness", scores.informativeness, scores.indices)
    inside = probability_inside(scores.purity.astype(np.float64), candidates.last)
    gain = scores.informativeness.astype(np.float64)
    gain = gain - gain.min(initial=np.inf)
    cost = inside * prices.inside + (1 - inside) * prices.ood
    value = inside**params.sharpness * gain / cost
    # Without any difference in what they teach, the purest come first.
    return Ranking(best_first(n, value, inside), value.astype(np.float32))


def probability_inside(purity: NDArray[np.float64], last: LastAnswers) -> NDArray[np.float64]:
    """Read purity as a probability of being in-distribution.

    Purity in 0..1 is taken as it is. Any other is passed through a sigmoid that is fitted to the
    last answers (Platt), whose purity was computed before their verdicts were known; without
    answers of both kinds, through the sigmoid of its z-score.

    Args:
        purity: (N,) finite, higher = more in-distribution.
        last: the last answers with their scores of then.

    Returns:
        (N,) float64 in 0..1.
    """
    if len(purity) == 0 or (purity.min() >= 0 and purity.max() <= 1):
        return purity
    normalisation = Normalisation.fit(purity)
    z = normalisation.apply(purity)
    known = last.labels >= 0
    if last.scores is None or known.all() or not known.any():
        return sigmoid(z)
    slope, intercept = fit_sigmoid(
        normalisation.apply(last.scores.purity.astype(np.float64)), known
    )
    return sigmoid(slope * z + intercept)
