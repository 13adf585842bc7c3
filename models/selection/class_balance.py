"""Picking one by one, so that labels of the classes come in balance."""

from collections.abc import Callable, Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray

from models.numerics.probability import softmax
from models.protocols import Indices, Ranking
from models.ranking.candidates import Candidates
from models.selection.lazy_greedy import pick_best
from models.selection.picks import Chosen

_BLOCK_ROWS: Final = 1024


class ClassBalance:
    """What one more label of each class is worth, while labels are picked.

    Of class c it is (share of c in the pool / share of c among the labels)^power: 1 where both
    agree, more for a class that is behind. Picks count as labels by their probability. Those of a
    pool are computed from its logits as they are needed: a table of all would not fit.

    Attributes:
        worth: (C,) float64, > 0; falls with every pick.
    """

    def __init__(
        self,
        candidates: Candidates,
        inside: NDArray[np.float64],
        power: float,
        report: Callable[[], None],
    ) -> None:
        """Take the state of N candidates and all verdicts so far, before the first pick.

        Args:
            candidates: N of them.
            inside: (N,) probabilities of being in-distribution.
            power: > 0; the larger, the more balanced.
            report: called again and again; may raise `Cancelled`.
        """
        self._logits, self._inside = candidates.scores.logits, inside
        view, classes = candidates.view, self._logits.shape[1]
        # One more each: no class is certain to be absent, neither from the pool nor from labels.
        in_pool = np.ones(classes)
        for block in _blocks(len(candidates)):
            in_pool += inside[block] @ softmax(self._logits[block])
            report()
        self._labels = 1.0 + np.bincount(view.labels.classes[~view.is_ood], minlength=classes)
        self._shares = in_pool / in_pool.sum() * self._labels.sum()
        self._power = power
        self.worth = self._worth()

    def of(self, positions: Indices) -> NDArray[np.float64]:
        """Return the expected worth of a label at (n,) positions: (n,) float64, > 0."""
        # Row by row, so that equal rows have equal worth whatever is asked about beside them.
        result: NDArray[np.float64] = np.einsum(
            "nc,c->n", softmax(self._logits[positions]), self.worth
        )
        return result

    def pick(self, position: int) -> None:
        """Count a candidate as a label of the classes that it may have."""
        self._labels += self._inside[position] * softmax(self._logits[[position]])[0]
        self.worth = self._worth()

    def _worth(self) -> NDArray[np.float64]:
        result: NDArray[np.float64] = (self._shares / self._labels) ** self._power
        return result


class _Products:
    """Value times worth, by place in an order, which ties follow: the gains of a greedy choice."""

    def __init__(self, order: Indices, value: NDArray[np.float64], balance: ClassBalance) -> None:
        self.picks = 0
        self.seen = np.full(len(order), -1, dtype=np.int64)
        self._order, self._value, self._balance = order, value, balance

    def of(self, positions: Indices) -> NDArray[np.float64]:
        self.seen[positions] = self.picks
        chosen = self._order[positions]
        return self._value[chosen] * self._balance.of(chosen)

    def pick(self, position: int) -> None:
        self._balance.pick(int(self._order[position]))
        self.picks += 1


def pick_in_balance(
    candidates: Candidates,
    order: Indices,
    value: NDArray[np.float64],
    inside: NDArray[np.float64],
    n: int,
    *,
    power: float,
) -> Ranking:
    """Take, again and again, the candidate with the largest value times worth.

    The picks are those of the plain loop over all candidates: worth only falls.

    Args:
        candidates: N of them.
        order: (N,) positions by value, which ties follow.
        value: (N,) by position, >= 0.
        inside: (N,) probabilities of being in-distribution.
        n: how many to take.
        power: of `ClassBalance`.

    Returns:
        min(n, N) picks; `meta_scores` are the products of the moment of the pick, and of what was
        not picked those at the end.
    """
    chosen = Chosen.room(min(n, len(order)), candidates.progress)
    balance = ClassBalance(candidates, inside, power, chosen.report)
    pick_best(_Products(order, value, balance), chosen)
    if not chosen.full():
        chosen.fill(-np.arange(len(order), dtype=np.float64))
    meta = np.empty(len(order))
    for block in _blocks(len(order)):
        meta[block] = value[block] * balance.of(block)
        chosen.report()
    picks = order[chosen.order]
    meta[picks] = chosen.gains
    return Ranking(picks, meta.astype(np.float32))


def _blocks(count: int) -> Iterator[Indices]:
    for start in range(0, count, _BLOCK_ROWS):
        yield np.arange(start, min(start + _BLOCK_ROWS, count))
