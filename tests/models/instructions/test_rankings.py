"""Central rankings and agreement, against brute force, literal formulas and textbooks."""

from itertools import combinations, permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import friedmanchisquare, kendalltau

from models.errors import ModelError
from models.tasks.instructions.rankings import (
    central_ranking,
    kendall_tau,
    kendall_w,
    kendall_w_p_value,
    ranks_of,
)

orders = st.integers(1, 5).flatmap(
    lambda n: st.lists(st.permutations(range(n)), min_size=1, max_size=4)
)
ranks = st.integers(2, 5).flatmap(
    lambda n: st.lists(st.lists(st.integers(1, 4), min_size=n, max_size=n), min_size=1, max_size=4)
)


def contradictions(order: tuple[int, ...], others: list[list[int]]) -> int:
    place = {item: at for at, item in enumerate(order)}
    return sum(place[a] > place[b] for other in others for a, b in combinations(other, 2))


@settings(max_examples=60, deadline=None)
@given(orders)
def test_the_central_ranking_is_the_best_of_all(given_orders: list[list[int]]) -> None:
    n, m = len(given_orders[0]), len(given_orders)
    costs = {one: contradictions(one, given_orders) for one in permutations(range(n))}
    best = min(costs.values())
    central = central_ranking(given_orders, n)
    assert central.order == min(one for one in costs if costs[one] == best)
    assert central.firsts == tuple(sorted({one[0] for one in costs if costs[one] == best}))
    assert central.distance == pytest.approx(best / max(1, m * n * (n - 1) / 2))


def test_ten_items_are_ranked_exactly_and_more_of_them_well() -> None:
    rng = np.random.default_rng(0)
    truth = list(range(10))
    # Neighbours change places in each, never the same: the truth contradicts five pairs of 135.
    swaps = [(0, 1), (4, 5), (8, 9)]
    noisy = [truth.copy() for _ in swaps]
    for order, (a, b) in zip(noisy, swaps, strict=True):
        order[a], order[b] = order[b], order[a]
    assert central_ranking(noisy, 10) == central_ranking(noisy[::-1], 10)
    assert central_ranking(noisy, 10).order == tuple(truth)
    assert central_ranking(noisy, 10).distance == pytest.approx(3 / 135)
    long = [rng.permutation(14).tolist() for _ in range(3)] + [list(range(14))] * 4
    assert central_ranking(long, 14).order == tuple(range(14))


def test_a_preference_that_goes_in_circles_leaves_the_best_open() -> None:
    circle = central_ranking([[0, 1, 2], [1, 2, 0], [2, 0, 1]], 3)
    assert circle.firsts == (0, 1, 2)
    assert central_ranking([[0, 1], [1, 0]], 2).firsts == (0, 1)
    assert central_ranking([[2, 1, 0]], 3).firsts == (2,)
    assert central_ranking([[0]], 1).order == (0,)


@pytest.mark.parametrize("bad", [[], [[0, 1]], [[0, 1, 1]], [[1, 2, 3]], [[0, 1, 2], [2, 1]]])
def test_orders_that_are_none_are_refused(bad: list[list[int]]) -> None:
    with pytest.raises(ModelError, match="each of 0 to 2 once"):
        central_ranking(bad, 3)


def literal_w(given_ranks: list[list[float]]) -> float:
    """W as books have it, of mean ranks."""
    m, n = len(given_ranks), len(given_ranks[0])
    middle = [
        [sum(b < a for b in row) + (sum(b == a for b in row) + 1) / 2 for a in row]
        for row in given_ranks
    ]
    sums = [sum(row[item] for row in middle) for item in range(n)]
    mean = sum(sums) / n
    tied = sum(row.count(t) ** 3 - row.count(t) for row in middle for t in set(row))
    room = m**2 * (n**3 - n) - m * tied
    return 12 * sum((one - mean) ** 2 for one in sums) / room if room else 0.0


@settings(max_examples=60, deadline=None)
@given(ranks)
def test_w_is_what_the_formula_says_with_ties(given_ranks: list[list[int]]) -> None:
    assert kendall_w(given_ranks) == pytest.approx(
        literal_w([list(map(float, r)) for r in given_ranks])
    )


def test_w_has_the_values_of_textbooks() -> None:
    # S. Siegel, Nonparametric Statistics, 1956, table 9.8: three executives rank six applicants.
    executives = [[1, 6, 3, 2, 5, 4], [1, 5, 6, 4, 2, 3], [6, 3, 2, 5, 4, 1]]
    assert kendall_w(executives) == pytest.approx(0.16, abs=0.005)
    # M. Kendall, Rank Correlation Methods: three rankings of ten objects with ties, W = 0.828.
    tied = [
        [1, 4.5, 2, 4.5, 3, 7.5, 6, 9, 7.5, 10],
        [2.5, 1, 2.5, 4.5, 4.5, 8, 9, 6.5, 10, 6.5],
        [2, 1, 4.5, 4.5, 4.5, 4.5, 8, 8, 8, 10],
    ]
    assert kendall_w(tied) == pytest.approx(0.828, abs=0.0005)
    assert kendall_w([[1, 2, 3]] * 4) == 1
    assert kendall_w([[1, 2, 3], [3, 2, 1]]) == 0
    assert kendall_w([[1, 1, 1]] * 3) == 0
    # Friedman's chi-squared is m (n - 1) W.
    rng = np.random.default_rng(0)
    scores = rng.integers(0, 5, (6, 7))
    assert 6 * 6 * kendall_w(scores) == pytest.approx(friedmanchisquare(*scores.T).statistic)
    with pytest.raises(ModelError, match="at least two items"):
        kendall_w([[1], [1]])


@pytest.mark.parametrize(
    "said",
    [
        [[1, 2, 3], [1, 2, 3], [1, 2, 3]],
        [[1, 2, 3], [1, 3, 2], [2, 1, 3]],
        [[1, 1, 2], [1, 2, 2], [3, 1, 2]],
        [[1, 2, 3, 4], [2, 1, 4, 3]],
        [[1, 1, 2, 3], [1, 2, 2, 2]],
        [[1, 1], [1, 2], [2, 1]],
    ],
)
def test_the_p_value_counts_every_case(said: list[list[int]]) -> None:
    found = literal_w([list(map(float, row)) for row in said]) - 1e-12
    cases = list(product(*(list(permutations(row)) for row in said)))
    expected = np.mean([kendall_w(case) >= found for case in cases])
    assert kendall_w_p_value(said) == pytest.approx(expected)


def test_the_p_value_of_many_is_drawn_and_the_same_by_seed() -> None:
    # Tables have 0.028 for three judges who agree on three items.
    assert kendall_w_p_value([[1, 2, 3]] * 3) == pytest.approx(1 / 36)
    agreed = [list(range(10))] * 3
    assert kendall_w_p_value(agreed) == 1 / 10_000
    assert kendall_w_p_value(agreed, permutations=99) == 1 / 100
    rng = np.random.default_rng(1)
    values = [kendall_w_p_value([rng.permutation(8) for _ in range(3)], seed=5) for _ in range(400)]
    assert np.mean(np.array(values) <= 0.1) == pytest.approx(0.1, abs=0.05)
    assert np.mean(values) == pytest.approx(0.5, abs=0.06)
    some = [rng.permutation(8) for _ in range(3)]
    assert kendall_w_p_value(some, seed=5) == kendall_w_p_value(some[::-1], seed=5)
    assert abs(kendall_w_p_value(some, seed=5) - kendall_w_p_value(some, seed=6)) < 0.03


def test_one_order_says_nothing_about_agreement() -> None:
    assert kendall_w_p_value([list(range(9))]) == 1
    assert kendall_w([[3, 1, 2]]) == 1


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=8))
def test_tau_is_that_of_scipy(pairs: list[tuple[int, int]]) -> None:
    a, b = zip(*pairs, strict=True)
    expected = kendalltau(a, b).statistic if len(set(a)) > 1 and len(set(b)) > 1 else 0.0
    assert kendall_tau(a, b) == pytest.approx(expected)


def test_ranks_are_places_in_orders() -> None:
    assert ranks_of([[2, 0, 1]], 3).tolist() == [[1, 2, 0]]
