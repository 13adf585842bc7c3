"""What an answer is expected to teach, per unit of what it is expected to cost.

Ours. With p the probability of being in-distribution and c the price of a verdict, an answer
teaches I with probability p and costs p * c_in + (1 - p) * c_ood on average. But what is surely
in-distribution resembles what is labeled, and teaches less than I says: by default the root of p
counts. Labels of a class teach the less the more of them there are.

Of boxes, an answer costs a look and what each box takes that the detector leads to expect. What
drawing takes is charged here alone: an informativeness that is divided by it would pay twice.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from models.detection.entropy import expected, right, there
from models.finite import require_finite
from models.params.strategies import ExpectedValueParams
from models.probability import softmax
from models.protocols import Indices, Ranking, Surface
from models.ranking.calibration import Probability, calibrates, probability_inside
from models.ranking.candidates import Candidates, Prices
from models.ranking.ordering import best_first

UNCALIBRATED_NOTE = (
    "Strategy expected_value calibrates purity on scored answers of both kinds, class and OOD, and "
    "the last round lacks some: a plain sigmoid is used."
)

_ACTIVE_SHARE = 16
"""How many times the queue so many of the best candidates compete for it at first."""


def rank(candidates: Candidates, n: int, params: ExpectedValueParams) -> Ranking:
    """Rank by  p^sharpness * I / (p * c_in + (1 - p) * c_ood) * b; ties by p, then by position.

    I is the informativeness above the least of all candidates, and b the worth of another label of
    the class that the example is expected to have (`ClassBalance`), which falls with each pick.

    Raises:
        ModelError: a score is NaN or infinite.
    """
    scores, prices = candidates.scores, candidates.prices
    require_finite("Purity", scores.purity, scores.indices)
    require_finite("Informativeness", scores.informativeness, scores.indices)
    inside_of: Probability = _identity
    notes: tuple[str, ...] = ()
    if not candidates.view.purity_is_probability:
        inside_of = probability_inside(scores.purity, candidates.last)
        notes = () if calibrates(candidates.last) else (UNCALIBRATED_NOTE,)
    inside = inside_of(scores.purity)
    least = float(scores.informativeness.min(initial=np.inf))

    def value_of(
        purity: NDArray[np.floating], informativeness: NDArray[np.floating]
    ) -> NDArray[np.float64]:
        return _value(inside_of(purity), informativeness, least, prices, params.sharpness)

    value = value_of(scores.purity, scores.informativeness)
    boxes = _boxes(candidates)
    if boxes is not None:
        gain = scores.informativeness.astype(np.float64) - least
        value = inside**params.sharpness * gain / (prices.ood + prices.box * boxes)
    exact = params.balance == 0 and boxes is None
    surface = Surface("expected_value", value_of, exact=exact)
    # Without any difference in what they teach, the purest come first.
    order = best_first(len(value), value, inside)
    if params.balance == 0:
        return Ranking(order[:n], value.astype(np.float32), notes, surface=surface)
    view = candidates.view
    balance = ClassBalance(
        softmax(scores.logits),
        inside,
        np.bincount(view.labels[~view.is_ood], minlength=scores.logits.shape[1]),
        params.balance,
    )
    return replace(_greedy(order, value, balance, n), notes=notes, surface=surface)


def _value(
    inside: NDArray[np.float64],
    informativeness: NDArray[np.floating],
    least: float,
    prices: Prices,
    sharpness: float,
) -> NDArray[np.float64]:
    gain = informativeness.astype(np.float64) - least
    cost = inside * prices.inside + (1 - inside) * prices.ood
    result: NDArray[np.float64] = inside**sharpness * gain / cost
    return result


def _boxes(candidates: Candidates) -> NDArray[np.float64] | None:
    """Return (N,) how many boxes each answer is expected to hold; None where they cost nothing."""
    detections = candidates.view.detections
    if detections is None or candidates.prices.box == 0:
        return None
    return expected(right(detections), there(detections))


def _identity(purity: NDArray[np.floating]) -> NDArray[np.float64]:
    return purity.astype(np.float64)


class ClassBalance:
    """What one more label of each class is worth, while labels are picked.

    Of class c it is (share of c in the pool / share of c among the labels)^power: 1 where both
    agree, more for a class that is behind. Picks count as labels by their probability.

    Attributes:
        worth: (C,) float64, > 0; falls with every pick.
    """

    def __init__(
        self,
        classes: NDArray[np.float64],
        inside: NDArray[np.float64],
        counts: Indices,
        power: float,
    ) -> None:
        """Take the state before the first pick.

        Args:
            classes: (N, C) probabilities of the classes, given that the example has one.
            inside: (N,) probabilities of being in-distribution.
            counts: (C,) labels so far.
            power: > 0; the larger, the more balanced.
        """
        self._expected = classes * inside[:, None]
        self._classes = classes
        # One more each: no class is certain to be absent, neither from the pool nor from labels.
        in_pool = self._expected.sum(axis=0) + 1
        self._labels = counts + 1.0
        self._shares = in_pool / in_pool.sum() * self._labels.sum()
        self._power = power
        self.worth = self._worth()

    def rows(self, positions: Indices) -> NDArray[np.float64]:
        """Return the probabilities of the classes at (n,) positions: (n, C)."""
        return self._classes[positions]

    def of(self, positions: Indices) -> NDArray[np.float64]:
        """Return the expected worth of a label at (n,) positions: (n,) float64, > 0."""
        result: NDArray[np.float64] = self.rows(positions) @ self.worth
        return result

    def pick(self, position: int) -> None:
        """Count a candidate as a label of the classes that it may have."""
        self._labels += self._expected[position]
        self.worth = self._worth()

    def _worth(self) -> NDArray[np.float64]:
        result: NDArray[np.float64] = (self._shares / self._labels) ** self._power
        return result


def _greedy(order: Indices, value: NDArray[np.float64], balance: ClassBalance, n: int) -> Ranking:
    """Take, again and again, the candidate with the largest value times worth.

    The picks are those of the plain loop over all candidates. Worth only falls, so a candidate
    outside a leading part stays out while the leading part holds one that beats its first product.

    Args:
        order: (N,) positions by value, which ties follow.
        value: (N,) by position.
        balance: of the same N candidates.
        n: how many to take.

    Returns:
        min(n, N) picks; `meta_scores` are the products of the moment of the pick, and of what was
        not picked those at the end.
    """
    count = min(n, len(order))
    first = value[order] * balance.of(order)
    leading = np.argsort(-first, kind="stable")
    width = min(len(order), _ACTIVE_SHARE * max(1, count))
    meta = np.empty(len(order))
    picks: list[int] = []
    active = np.sort(leading[:width])
    while len(picks) < count:
        limit = first[leading[width]] if width < len(order) else -np.inf
        places = order[active]
        worth, rows = value[places], balance.rows(places)
        while len(picks) < count:
            product = worth * (rows @ balance.worth)
            best = int(product.argmax())
            if product[best] <= limit:
                width = min(len(order), 4 * width)
                taken = np.isin(order, picks)
                active = np.sort(leading[:width])
                active = active[~taken[active]]
                break
            meta[places[best]] = product[best]
            picks.append(int(places[best]))
            balance.pick(picks[-1])
            worth[best] = -np.inf
    chosen = np.array(picks, dtype=np.int64)
    rest = np.ones(len(order), dtype=bool)
    rest[chosen] = False
    meta[rest] = (value * balance.of(np.arange(len(order))))[rest]
    return Ranking(chosen, meta.astype(np.float32))
