"""Limits on how many of a lot are wrong, against what can be computed exactly."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import hypergeom

from models.errors import ModelError
from models.guarantee.boundaries import first_passage, make_boundary
from models.guarantee.human_error import from_pairs, target_of_draws
from models.guarantee.sequences import most_wrong_fixed, share_wrong

counts = st.tuples(st.integers(1, 400), st.integers(1, 60), st.integers(0, 15)).map(
    lambda it: (it[0] + it[1], it[1], min(it[2], it[1]))
)


def fewest_and_most(drawn: int, wrong: int, lot: int, alpha: float) -> tuple[int, int]:
    """How many of a lot are wrong, at any look."""
    found = share_wrong(drawn, wrong, lot, alpha)
    return round(found.low * lot), round(found.high * lot)


@settings(max_examples=40, deadline=None)
@given(counts, st.sampled_from([0.01, 0.05, 0.2]))
def test_limits_move_with_what_is_seen(count: tuple[int, int, int], alpha: float) -> None:
    lot, drawn, wrong = count
    fewest, limit = fewest_and_most(drawn, wrong, lot, alpha)
    assert wrong <= fewest <= limit <= lot - (drawn - wrong)
    assert fewest_and_most(drawn, wrong, lot, alpha / 2)[1] >= limit
    if drawn < lot:
        assert fewest_and_most(drawn + 1, wrong, lot, alpha)[1] <= limit
        assert fewest_and_most(drawn + 1, wrong + 1, lot, alpha)[1] >= limit
    assert most_wrong_fixed(drawn, wrong, lot, alpha) <= limit, "one look is never wider"


def test_the_limit_of_one_look_is_that_of_enumeration() -> None:
    """Every set of wrong ones of a small lot, each as likely as any other."""
    lot, drawn, alpha = 9, 4, 0.1
    for wrong in range(drawn + 1):
        chance = []
        for total in range(lot + 1):
            sets = list(combinations(range(lot), total))
            few = sum(len([one for one in made if one < drawn]) <= wrong for made in sets)
            chance.append(few / len(sets))
        possible = range(wrong, lot - (drawn - wrong) + 1)
        exact = max(total for total in possible if chance[total] > alpha or total == wrong)
        assert most_wrong_fixed(drawn, wrong, lot, alpha) == exact


def misled(lot: int, wrong: int, is_false: np.ndarray) -> float:
    """Chance that draws from a lot ever come to a state (drawn, wrong) that is false."""
    at = np.zeros(lot + 2)
    at[0] = 1.0
    total = 0.0
    for drawn in range(lot + 1):
        here = is_false[drawn]
        total += float(at[: lot + 1][here].sum())
        at[: lot + 1][here] = 0
        if drawn < lot:
            chance = np.clip((wrong - np.arange(lot + 2)) / (lot - drawn), 0, 1)
            at = at * (1 - chance) + np.roll(at * chance, 1)
    return total


def test_a_limit_at_every_look_misleads_seldom_enough() -> None:
    """Exactly, over all orders in which a lot may be drawn, one looking after each draw."""
    lot, alpha = 40, 0.1
    limit = np.full((lot + 1, lot + 1), lot)
    least = np.zeros((lot + 1, lot + 1), dtype=int)
    for drawn in range(1, lot + 1):
        for wrong in range(drawn + 1):
            least[drawn, wrong], limit[drawn, wrong] = fewest_and_most(drawn, wrong, lot, alpha)
    for total in range(lot + 1):
        assert misled(lot, total, limit < total) <= alpha + 1e-12
        assert misled(lot, total, least > total) <= alpha + 1e-12


@pytest.mark.parametrize(
    ("lot", "target", "most"), [(60, 0.1, 60), (150, 0.05, 150), (400, 0.04, 200)]
)
def test_a_boundary_misleads_as_seldom_as_it_says(lot: int, target: float, most: int) -> None:
    """For every number of wrong ones, whenever one looks, not only when it first passes."""
    boundary = make_boundary(lot, target, 0.05, most)
    assert 0 < boundary.level <= 0.05
    drawn, wrong = np.mgrid[0 : lot + 1, 0 : lot + 1]
    last = len(boundary.needed) - 1
    passed = (wrong <= last) & (drawn >= boundary.needed[np.minimum(wrong, last)])
    passed &= drawn <= boundary.horizon
    said = np.floor(target * (lot - drawn) + 1e-9) + wrong
    worst = max(
        misled(lot, total, passed & (said < total)) for total in range(round(3 * target * lot))
    )
    assert worst <= boundary.level + 1e-9


def test_first_passage_is_that_of_enumeration() -> None:
    lot, wrong, needed = 11, 3, np.array([3, 5, 9])
    found = np.zeros(3)
    sets = list(combinations(range(lot), wrong))
    for made in sets:
        for drawn in range(lot + 1):
            seen = sum(one < drawn for one in made)
            if seen < 3 and drawn >= needed[seen]:
                found[seen] += 1 / len(sets)
                break
    np.testing.assert_allclose(first_passage(lot, wrong, needed), found, atol=1e-12)


def test_a_boundary_is_nearly_as_quick_as_one_that_knows_the_share() -> None:
    """Wald's limit for any test that may go on as long as it likes is log(1 / level) / KL."""
    lot, target, level = 30_000, 0.02, 0.05
    boundary = make_boundary(lot, target, level, 2_500)
    share = 0.5 * target
    chances = first_passage(lot, round(share * lot), boundary.needed)
    draws = float(chances @ boundary.needed) + (1 - chances.sum()) * 2_500
    bits = share * np.log(share / target) + (1 - share) * np.log((1 - share) / (1 - target))
    assert chances.sum() > 0.9
    assert draws < 1.15 * np.log(1 / level) / bits
    assert make_boundary(20, 0.02, 0.05, 20).needed.size == 0, "so few can show nothing"


def test_what_a_boundary_says_is_what_is_left() -> None:
    boundary = make_boundary(5_000, 0.02, 0.05, 1_000)
    first = int(boundary.needed[0])
    right = np.zeros(first, dtype=bool)
    assert boundary.most_wrong(right[:-1]) is None
    assert boundary.most_wrong(right) == int(0.02 * (5_000 - first))
    assert boundary.still_needed(0, 0, np.array([0.0001])) == first
    assert boundary.still_needed(100, 50, np.array([0.5])) == np.inf
    late = np.concatenate([right, np.ones(200, dtype=bool)])
    assert boundary.most_wrong(late) == int(0.02 * (5_000 - first)), "what was said holds on"


def test_a_share_without_a_lot_is_a_little_wider() -> None:
    known, unknown = share_wrong(200, 10, 1_000, 0.05), share_wrong(200, 10, None, 0.05)
    assert unknown.low <= known.low < 0.05 < known.high <= unknown.high < 0.13
    assert share_wrong(50, 50, 50, 0.05).low == 1.0
    with pytest.raises(ModelError, match="count each draw once"):
        share_wrong(5, 6, 10, 0.05)


def test_pairs_tell_how_often_people_err() -> None:
    """Two who err independently in 3 of 100 cases differ in twice as many, less both."""
    rng = np.random.default_rng(1)
    low = 0
    for _ in range(200):
        differed = int((rng.random((400, 2)) < 0.03).sum(axis=1).clip(max=1).sum())
        found = from_pairs(400, differed, 0.05)
        assert found.share <= found.high < 0.08
        low += found.high < 0.03
    assert low <= 16
    assert from_pairs(0, 0, 0.05).high == 0.5
    assert from_pairs(10, 10, 0.05).share == 0.5
    assert target_of_draws(0.02, 0.03) == pytest.approx(0.02 * 0.97**2)
    with pytest.raises(ModelError, match="count each pair once"):
        from_pairs(3, 4, 0.05)


def test_hypergeometric_limits_agree_with_scipy() -> None:
    limit = most_wrong_fixed(60, 1, 500, 0.05)
    assert hypergeom.cdf(1, 500, limit, 60) > 0.05 >= hypergeom.cdf(1, 500, limit + 1, 60)
