"""Several orders of the same few items: the one in their middle, and how far they agree.

Sources: J. Kemeny, "Mathematics without Numbers", Daedalus 88, 1959 (the central ranking);
R. Tang et al., "Found in the Middle: Permutation Self-Consistency Improves Listwise Ranking in
Large Language Models", NAACL 2024 (why a judge is asked several times); M. Kendall, B. Babington
Smith, "The Problem of m Rankings", Annals of Mathematical Statistics 10, 1939 (W).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations as all_orders
from itertools import product
from math import factorial
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import rankdata

from models.errors import ModelError

EXACT: Final = 10
"""Items up to which the central ranking is certainly the best one."""
PERMUTATIONS: Final = 9_999
_ENUMERATED: Final = 20_000
"""Cases up to which all of them are counted, instead of so many drawn at random."""
_BLOCK: Final = 2_000

_Counts = NDArray[np.int64]


@dataclass(frozen=True)
class Consensus:
    """The order in the middle of others.

    Attributes:
        order: items, best first; of several such orders the first in the order of numbers.
        distance: share of the pairs of items, over all orders given, that it has the other way
            round, 0..1; lower is better.
        firsts: the items, ascending, that come first in an order of this distance; more than one
            where the orders leave open which is best. Of more than ten items only the first.
    """

    order: tuple[int, ...]
    distance: float
    firsts: tuple[int, ...]


def central_ranking(orders: Sequence[Sequence[int]], n: int) -> Consensus:
    """Return the order that agrees with as many pairs of the given ones as any can.

    Exact up to ten items, in 2^n n steps. Beyond, the order by mean rank, of which single items are
    moved while that lowers the distance.

    Args:
        orders: at least one, each with every item 0..n-1 once, best first.
        n: how many items there are, at least 1.

    Raises:
        ModelError: there are no orders, or one is not of all items.
    """
    places = ranks_of(orders, n)
    # against[i, j]: orders that have j before i, which i before j contradicts.
    against = (places[:, None, :] < places[:, :, None]).sum(axis=0)
    pairs = max(len(places) * n * (n - 1) // 2, 1)
    if n <= EXACT:
        order, cost, firsts = _exact(against)
    else:
        order = _searched(np.argsort(places.sum(axis=0), kind="stable").tolist(), against)
        cost, firsts = _cost(order, against), (order[0],)
    return Consensus(tuple(order), cost / pairs, firsts)


def ranks_of(orders: Sequence[Sequence[int]], n: int) -> NDArray[np.int64]:
    """Return the rank, 0 the best, of each of n items in each of M orders: (M, n).

    Raises:
        ModelError: there are no orders, or one is not of all items.
    """
    if n < 1 or not len(orders) or any(sorted(order) != list(range(n)) for order in orders):
        raise ModelError(
            f"A ranking of {n} items needs orders that hold each of 0 to {n - 1} once; got "
            f"{list(map(list, orders))}."
        )
    return np.argsort(np.array(orders, dtype=np.int64), axis=1)


def kendall_w(ranks: ArrayLike) -> float:
    """Return Kendall's coefficient of concordance, corrected for ties.

    W = 12 S / (m^2 (n^3 - n) - m T), where S is the sum of the squared deviations of the items'
    rank sums from their mean, and T the sum of t^3 - t over all groups of t items that one order
    has tied.

    Args:
        ranks: (M, n), what each of M orders says of each of n >= 2 items, lower = better, with
            equal numbers for ties.

    Returns:
        0 (nothing in common) to 1 (all orders are the same); 0 where every order ties all.

    Raises:
        ModelError: fewer than two items or no orders.
    """
    middle = _doubled(ranks)
    m, n = middle.shape
    # Everything of the doubled ranks is four times as much.
    room = m**2 * (n**3 - n) - m * sum(map(_tied, middle))
    if room == 0:
        return 0.0
    return float(12 * _scatter(middle.sum(axis=0)) / (4 * n * room))


def kendall_w_p_value(
    ranks: ArrayLike, *, permutations: int = PERMUTATIONS, seed: int = 0
) -> float:
    """Return how often orders without any agreement would have a W at least as large.

    Under the null hypothesis every order is as likely as any other with the same ties. Where there
    are at most 20,000 cases all are counted; else so many are drawn, and the value is
    (1 + those at least as large) / (1 + drawn), which never is 0.

    Args:
        ranks: as in `kendall_w`.
        permutations: how many cases are drawn, at least 1.
        seed: decides which.

    Raises:
        ModelError: as in `kendall_w`.
    """
    middle = _doubled(ranks)
    found = _scatter(middle.sum(axis=0))
    rows = tuple(sorted(tuple(sorted(row)) for row in middle.tolist()))
    drawn, exact = _by_chance(rows, permutations, seed)
    at_least = len(drawn) - int(np.searchsorted(drawn, found))
    return at_least / len(drawn) if exact else (1 + at_least) / (1 + len(drawn))


def kendall_tau(a: ArrayLike, b: ArrayLike) -> float:
    """Return Kendall's tau-b of two rankings of the same n items.

    Args:
        a: (n,), lower = better, equal numbers for ties.
        b: (n,), likewise.

    Returns:
        -1 (reversed) to 1 (the same); 0 where either ties all, or there are fewer than two items.
    """
    first, second = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    upper = np.triu_indices(len(first), 1)
    one = np.sign(first[:, None] - first)[upper]
    other = np.sign(second[:, None] - second)[upper]
    room = float(np.sqrt((one**2).sum() * (other**2).sum()))
    return float(one @ other) / room if room else 0.0


def _exact(against: _Counts) -> tuple[list[int], int, tuple[int, ...]]:
    """The central ranking of n items by the best order of every set of them that is left."""
    n = len(against)
    sets, members = _sets(n)
    # pays[s, i]: what it costs that i stands before all others of set s.
    pays = members @ against.T
    best = np.zeros(2**n, dtype=np.int64)
    after = np.arange(2**n)[:, None] & ~(1 << np.arange(n))
    far = np.iinfo(np.int64).max // 2
    for here in sets:
        costs = np.where(members[here], pays[here] + best[after[here]], far)
        best[here] = costs.min(axis=1)
    order: list[int] = []
    left = 2**n - 1
    while left:
        costs = np.where(members[left], pays[left] + best[after[left]], far)
        ties = np.flatnonzero(costs == best[left])
        if not order:
            firsts = tuple(ties.tolist())
        order.append(int(ties[0]))
        left = int(after[left, ties[0]])
    return order, int(best[-1]), firsts


@lru_cache(maxsize=EXACT)
def _sets(n: int) -> tuple[list[NDArray[np.int64]], NDArray[np.int64]]:
    """Sets of n items by how many they hold, 1 to n, and (2^n, n) whether each holds each item."""
    members = (np.arange(2**n)[:, None] >> np.arange(n)) & 1
    sizes = members.sum(axis=1)
    return [np.flatnonzero(sizes == size) for size in range(1, n + 1)], members


def _searched(order: list[int], against: _Counts) -> list[int]:
    """Move single items while an order gets better by it."""
    cost = _cost(order, against)
    better = True
    while better:
        better = False
        for item in list(order):
            rest = [one for one in order if one != item]
            # Moving down past another replaces one contradiction by its opposite.
            steps = against[rest, item] - against[item, rest]
            costs = np.concatenate([[0], np.cumsum(steps)]) + _cost([item, *rest], against)
            place = int(costs.argmin())
            if costs[place] < cost:
                order = [*rest[:place], item, *rest[place:]]
                cost, better = int(costs[place]), True
    return order


def _cost(order: Sequence[int], against: _Counts) -> int:
    return int(np.triu(against[np.ix_(order, order)], 1).sum())


def _doubled(ranks: ArrayLike) -> NDArray[np.int64]:
    """Mean ranks of ties, twice over, so that all are whole numbers: (M, n)."""
    given = np.asarray(ranks, dtype=np.float64)
    if given.ndim != 2 or len(given) < 1 or given.shape[1] < 2:
        raise ModelError(
            f"Agreement needs orders of at least two items, as rows; got {given.shape}."
        )
    doubled: NDArray[np.int64] = np.rint(2 * rankdata(given, axis=1)).astype(np.int64)
    return doubled


def _tied(row: NDArray[np.int64]) -> int:
    return int(sum(count**3 - count for count in np.unique(row, return_counts=True)[1].tolist()))


def _scatter(sums: NDArray[np.int64]) -> int:
    """N times the squared deviations of n sums from their mean, exactly."""
    return int(len(sums) * (sums @ sums) - sums.sum() ** 2)


@lru_cache(maxsize=256)
def _by_chance(
    rows: tuple[tuple[int, ...], ...], permutations: int, seed: int
) -> tuple[NDArray[np.int64], bool]:
    """Ascending scatters of orders without agreement, and whether these are all cases."""
    n = len(rows[0])
    # Only how the others stand to the first counts.
    all_cases = factorial(n) ** (len(rows) - 1) <= _ENUMERATED
    if all_cases:
        cases = product(*(list(all_orders(row)) for row in rows[1:]))
        sums = np.array([np.add(rows[0], np.sum(case, axis=0)) for case in cases])
    else:
        random = np.random.default_rng(seed)
        blocks = []
        for start in range(0, permutations, _BLOCK):
            case = np.tile(np.array(rows), (min(_BLOCK, permutations - start), 1, 1))
            blocks.append(random.permuted(case, axis=2).sum(axis=1))
        sums = np.concatenate(blocks)
    scatters = n * np.vecdot(sums, sums) - sums.sum(axis=1) ** 2
    return np.sort(scatters), all_cases
