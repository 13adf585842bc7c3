"""What an answer is expected to teach, per unit of what it is expected to cost.

Ours. With p the probability of being in-distribution and c the price of a verdict, an answer
teaches I with probability p and costs p * c_in + (1 - p) * c_ood on average. But what is surely
in-distribution resembles what is labeled, and teaches less than I says; and what is surely of a
class still teaches something. Labels of a class teach the less the more of them there are.

Of boxes, an answer costs a look and what each box takes that the detector leads to expect. What
drawing takes is charged here alone: an informativeness that is divided by it would pay twice.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from models.catalog.params.strategies import ExpectedValueParams
from models.numerics.finite import require_finite
from models.protocols import Float32Array, Ranking, Surface
from models.ranking.calibration import calibrates, probability_of
from models.ranking.candidates import Candidates, Prices
from models.ranking.ordering import best_first
from models.ranking.pool_scores import PoolScores
from models.selection.class_balance import pick_in_balance
from models.tasks.boxes.entropy import expected, right, there

UNCALIBRATED_NOTE = (
    "Strategy expected_value calibrates purity on scored answers of both kinds, class and OOD, and "
    "the last round lacks some: a plain sigmoid is used."
)


def rank(candidates: Candidates, n: int, params: ExpectedValueParams) -> Ranking:
    """Rank by  p^sharpness * I / (p * c_in + (1 - p) * c_ood) * b; ties by p, then by position.

    I is the informativeness above `taught_by_none`, and b the worth of another label of the class
    that the example is expected to have (`ClassBalance`), which falls with each pick.

    Raises:
        ModelError: a score is NaN or infinite.
    """
    scores, prices = candidates.scores, candidates.prices
    require_finite("Purity", scores.purity, scores.indices)
    require_finite("Informativeness", scores.informativeness, scores.indices)
    is_read = candidates.scores.purity_is_probability or calibrates(candidates.last)
    notes = () if is_read else (UNCALIBRATED_NOTE,)
    inside_of = probability_of(candidates)
    inside = inside_of(scores.purity)
    none = taught_by_none(scores.informativeness, params.floor)

    def value_of(
        purity: NDArray[np.floating], informativeness: NDArray[np.floating]
    ) -> NDArray[np.float64]:
        likely = inside_of(purity)
        cost = _cost_of_verdict(likely, prices)
        return expected_value(likely, informativeness, none, cost, params.sharpness)

    detections = candidates.view.detections
    value = pool_values(scores, inside, prices, params, detections)
    exact = params.balance == 0 and (detections is None or prices.box == 0)
    surface = Surface("expected_value", value_of, exact=exact)
    # Without any difference in what they teach, the purest come first.
    order = best_first(len(value), value, inside)
    if params.balance == 0:
        return Ranking(order[:n], value.astype(np.float32), notes, surface=surface)
    ranking = pick_in_balance(candidates, order, value, inside, n, power=params.balance)
    return replace(ranking, notes=notes, surface=surface)


def expected_value(
    inside: NDArray[np.float64],
    informativeness: NDArray[np.floating],
    none: float,
    cost: NDArray[np.float64],
    sharpness: float,
) -> NDArray[np.float64]:
    """Return  p^sharpness * (I - none) / c.

    Args:
        inside: (n,) probabilities of being in-distribution.
        informativeness: (n,) higher = ask sooner.
        none: the informativeness of what teaches nothing; see `taught_by_none`.
        cost: (n,) > 0, of an answer, as it is expected.
        sharpness: >= 0; see `ExpectedValueParams`.

    Returns:
        (n,) float64, >= 0.
    """
    gain = informativeness.astype(np.float64) - none
    result: NDArray[np.float64] = inside**sharpness * gain / cost
    return result


def _cost_of_verdict(inside: NDArray[np.float64], prices: Prices) -> NDArray[np.float64]:
    return inside * prices.inside + (1 - inside) * prices.ood


def taught_by_none(informativeness: NDArray[np.floating], floor: float) -> float:
    """Return the informativeness of what would teach nothing.

    The least of all candidates would, if scores were right about it. But a model that tells its
    classes apart is sure of all of them, and what is left to be unsure of is OOD: without a floor
    it would be asked for nothing else.

    Args:
        informativeness: (N,) finite, of all candidates; N = 0 gives infinity.
        floor: >= 0; see `ExpectedValueParams`.
    """
    least = float(informativeness.min(initial=np.inf))
    if floor == 0 or not len(informativeness):
        return least
    # The mean of equal numbers may be less than each of them by rounding.
    return least - floor * max(0.0, float(informativeness.mean(dtype=np.float64)) - least)


def pool_values(
    scores: PoolScores,
    inside: NDArray[np.float64],
    prices: Prices,
    params: ExpectedValueParams,
    detections: Float32Array | None = None,
) -> NDArray[np.float64]:
    """Return the expected value of each of N examples: (N,) float64, >= 0.

    Args:
        scores: N rows.
        inside: (N,) probabilities of being in-distribution.
        prices: of verdicts; where boxes have one, what is expected to be drawn counts.
        params: sharpness and floor; balance is not part of it.
        detections: (N, K, 6) of a detector; None of anything else.
    """
    none = taught_by_none(scores.informativeness, params.floor)
    cost = _cost_of_verdict(inside, prices)
    if detections is not None and prices.box != 0:
        cost = prices.ood + prices.box * expected(right(detections), there(detections))
    return expected_value(inside, scores.informativeness, none, cost, params.sharpness)
