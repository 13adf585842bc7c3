"""How much out-of-distribution is left in a pool, with an interval."""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from models.numerics.intervals import Z95, wilson
from models.numerics.probability import fit_sigmoid, sigmoid

_CERTAIN: Final = 1e-4


@dataclass(frozen=True)
class OodLeft:
    """An estimate of how many unlabeled examples are OOD.

    Attributes:
        count: 0..U.
        low: lower end of the 95 % interval.
        high: upper end.
        answers: of how many verdicts it was made.
    """

    count: float
    low: float
    high: float
    answers: int


def feature(
    purity: NDArray[np.floating], pool: NDArray[np.floating], *, probability: bool
) -> NDArray[np.float64]:
    """Return (n,) purity on a scale that a sigmoid can be fitted to.

    Args:
        purity: (n,) raw.
        pool: (N,) of everything that was unlabeled when it was computed.
        probability: whether the score is one; then its log-odds, otherwise its z-score.
    """
    if probability:
        inside = np.clip(purity.astype(np.float64), _CERTAIN, 1 - _CERTAIN)
        return np.log(inside / (1 - inside))
    exact = pool.astype(np.float64)
    spread = float(exact.std())
    if exact.min() == exact.max():
        return np.zeros(len(purity))
    result: NDArray[np.float64] = (purity.astype(np.float64) - exact.mean()) / spread
    return result


def ood_left_by_purity(
    pool: NDArray[np.float64], answered: NDArray[np.float64], inside: NDArray[np.bool_]
) -> OodLeft | None:
    """Estimate by calibrated purity:  T = sum over the unlabeled of 1 - sigma(a x + b).

    a and b are fitted to the answers of the last query set (Platt), whose purity was computed by a
    model that had not seen them. With g the gradient of T by (a, b) and F the Fisher information of
    the answers, var T = g' F^-1 g + sum p (1 - p); the interval is taken on the log-odds of T / U
    and so stays within 0..U.

    Honest only as far as the answered tell of the others: a query set chosen by purity and
    informativeness shows P(IN | purity) of the chosen. Where, at equal purity, informative examples
    are more often OOD than others, T is too large, and far from the purities that were asked about
    it is an extrapolation.

    Args:
        pool: (U,) features of the unlabeled, higher = more in-distribution.
        answered: (n,) features of the answered, by the model that chose them.
        inside: (n,) whether each was in-distribution.

    Returns:
        None without answers of both kinds, or with an empty pool.
    """
    if len(pool) == 0 or inside.all() or not inside.any():
        return None
    slope, intercept = fit_sigmoid(answered, inside)
    known = sigmoid(slope * answered + intercept)
    design = np.stack([answered, np.ones_like(answered)], axis=1)
    fisher = design.T @ (design * (known * (1 - known))[:, None]) + 1e-6 * np.eye(2)
    chance = sigmoid(slope * pool + intercept)
    curvature = chance * (1 - chance)
    gradient = np.array([(curvature * pool).sum(), curvature.sum()])
    variance = float(gradient @ np.linalg.solve(fisher, gradient) + curvature.sum())
    total = float((1 - chance).sum())
    low, high = _within(total, np.sqrt(variance), len(pool))
    return OodLeft(total, low, high, len(answered))


def _within(total: float, deviation: float, size: int) -> tuple[float, float]:
    """Ends of the 95 % interval of a count in 0..size, symmetric in log-odds."""
    share = min(max(total / size, 1e-9), 1 - 1e-9)
    spread = Z95 * deviation / size / (share * (1 - share))
    odds = np.log(share / (1 - share)) + np.array([-spread, spread])
    low, high = (sigmoid(odds) * size).tolist()
    return low, high


def ood_left_by_random(
    inside: int, ood: int, *, unlabeled: int, later_inside: int, later_ood: int, came: int = 0
) -> OodLeft | None:
    """Estimate by a round that was drawn at random, whatever was labeled afterwards.

    With s the share of OOD among its answers (Wilson's interval) and M = U + later labels the
    examples that it left, s M are OOD, of which `later_ood` have been found:
    left = min(max(s M - found, 0), U). No model is assumed; unsure answers count as neither.

    Of what came later nothing was drawn: all of it may be OOD, or none. The count takes it for the
    like of the rest.

    Args:
        inside: IN answers to what the first round drew.
        ood: OOD answers to what the first round drew.
        unlabeled: U, what is unlabeled now of what it was drawn from.
        later_inside: What of that was labeled IN since, by whomever.
        later_ood: What of that was labeled OOD since.
        came: What is unlabeled now and came later.

    Returns:
        None without answers, or with an empty pool.
    """
    n = inside + ood
    if n == 0 or unlabeled + came == 0:
        return None
    share = wilson(ood, n)
    rest = unlabeled + later_inside + later_ood
    low, count, high = (
        float(min(max(one * rest - later_ood, 0), unlabeled)) + of_later * came
        for one, of_later in ((share.low, 0), (share.share, share.share), (share.high, 1))
    )
    return OodLeft(count, low, high, n)
