"""Picking one by one, so that labels of the classes come in balance."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from models.numerics.probability import softmax
from models.protocols import Indices, PoolView, Ranking
from models.ranking.pool_scores import PoolScores

_ACTIVE_SHARE: Final = 16
"""How many times the queue so many of the best candidates compete for it at first."""


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

    @classmethod
    def of_candidates(
        cls, scores: PoolScores, view: PoolView, inside: NDArray[np.float64], power: float
    ) -> "ClassBalance":
        """Take the state of N candidates and all verdicts so far.

        Args:
            scores: N rows.
            view: of the same candidates.
            inside: (N,) probabilities of being in-distribution.
            power: > 0.
        """
        counts = np.bincount(view.labels.classes[~view.is_ood], minlength=scores.logits.shape[1])
        return cls(softmax(scores.logits), inside, counts, power)

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


def pick_in_balance(
    order: Indices, value: NDArray[np.float64], balance: ClassBalance, n: int
) -> Ranking:
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
