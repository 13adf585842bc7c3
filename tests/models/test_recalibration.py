"""Recalibration by decisions, intervals of shares, and groups of alike suggestions."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.stats import binomtest

from models.errors import Cancelled, ModelError
from models.numerics.intervals import clopper_pearson, wilson
from models.relabeling.groups import MOST, NO_GROUP, alike_groups
from models.relabeling.recalibration import FLOOR, Recalibration, recalibrate

PROBABILITIES = st.floats(0, 1)
DECISIONS = st.lists(st.tuples(PROBABILITIES, st.integers(0, 3), st.booleans()), max_size=60)


@settings(max_examples=60, deadline=None)
@given(DECISIONS, st.lists(PROBABILITIES, min_size=2, max_size=20), st.integers(0, 5))
def test_what_was_likelier_stays_likelier_within_a_group(
    decisions: list[tuple[float, int, bool]], asked: list[float], group: int
) -> None:
    said, groups, happened = map(list, zip(*decisions, strict=True)) if decisions else ([], [], [])
    learned = recalibrate(said, groups, happened)
    found = learned.apply(sorted(asked), [group] * len(asked))
    assert learned.slope >= 0
    assert ((found > 0) & (found < 1)).all()
    assert (np.diff(found) >= -1e-12).all()


@given(st.lists(PROBABILITIES, min_size=1, max_size=20))
def test_without_decisions_nothing_is_corrected(asked: list[float]) -> None:
    assert recalibrate([], [], []) == Recalibration()
    found = recalibrate([], [], []).apply(asked, [1] * len(asked))
    assert_allclose(found, np.clip(asked, FLOOR, 1 - FLOOR), atol=1e-12)


@pytest.mark.parametrize("one", [math.nan, math.inf, -math.inf])
def test_nothing_is_learned_from_what_is_no_number(one: float) -> None:
    with pytest.raises(ModelError, match="Probabilities to recalibrate hold numbers"):
        recalibrate([0.2, one], [0, 0], [True, False])


def test_one_decision_moves_little_and_many_move_much() -> None:
    one = recalibrate([0.8], [1], [False]).apply([0.8], [1])[0]
    many = recalibrate([0.8] * 300, [1] * 300, [False] * 300).apply([0.8], [1])[0]
    assert 0.6 < one < 0.8
    assert many < 0.05


@pytest.mark.parametrize(("intercept", "slope"), [(0.0, 1.0), (-1.5, 0.6), (1.0, 1.4)])
def test_it_finds_how_far_a_job_is_off(intercept: float, slope: float) -> None:
    random = np.random.default_rng(0)
    said = random.uniform(0.02, 0.98, 20_000)
    group = random.integers(0, 3, len(said))
    shift = np.array([0.8, 0.0, -0.8])[group]
    truth = 1 / (1 + np.exp(-(intercept + slope * np.log(said / (1 - said)) + shift)))
    happened = random.random(len(said)) < truth
    errors = []
    for count in (20, 200, 20_000):
        learned = recalibrate(said[:count], group[:count], happened[:count])
        errors.append(float(np.abs(learned.apply(said, group) - truth).mean()))
    assert errors[-1] < 0.01
    assert errors[-1] < errors[1] < 0.1


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 300), st.integers(1, 200), st.booleans(), st.integers(0, 10_000))
def test_corrections_are_the_likeliest(count: int, groups: int, wrong: bool, seed: int) -> None:
    random = np.random.default_rng(seed)
    said, group = random.uniform(0, 1, count), random.integers(0, groups, count)
    happened = (random.random(count) < said) != wrong
    learned = recalibrate(said, group, happened)
    logits = np.log(np.clip(said, FLOOR, 1 - FLOOR) / (1 - np.clip(said, FLOOR, 1 - FLOOR)))

    def loss(at: NDArray[np.float64]) -> float:
        found = at[0] + at[1] * logits + at[2:][group]
        prior = (at[0] / 0.7) ** 2 + ((at[1] - 1) / 0.3) ** 2 + ((at[2:] / 0.5) ** 2).sum()
        return float(np.logaddexp(0, found).sum() - found[happened].sum() + prior / 2)

    def slopes(at: NDArray[np.float64]) -> NDArray[np.float64]:
        off = 1 / (1 + np.exp(-(at[0] + at[1] * logits + at[2:][group]))) - happened
        line = [off.sum() + at[0] / 0.49, off @ logits + (at[1] - 1) / 0.09]
        return np.concatenate([line, np.bincount(group, off, groups) + at[2:] / 0.25])

    bounds = [(None, None), (0, None), *[(None, None)] * groups]
    expected = minimize(loss, [0, 1, *[0] * groups], jac=slopes, bounds=bounds, tol=1e-14)
    offsets = [learned.offsets.get(one, 0.0) for one in range(groups)]
    found = np.array([learned.intercept, learned.slope, *offsets])
    assert_allclose(found, expected.x, atol=2e-3)
    assert loss(found) <= expected.fun + 1e-9


def test_a_job_that_is_wrong_about_everything_is_believed_in_nothing() -> None:
    said = np.linspace(0.05, 0.95, 400)
    learned = recalibrate(said, [0] * 400, said < 0.5)
    assert learned.slope == 0
    assert_allclose(learned.apply([0.1, 0.9], [0, 0]), 0.5, atol=0.05)


@settings(max_examples=80, deadline=None)
@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_intervals_are_those_of_the_books(case: tuple[int, int]) -> None:
    hits, count = case
    for found, method in ((wilson(hits, count), "wilson"), (clopper_pearson(hits, count), "exact")):
        expected = binomtest(hits, count).proportion_ci(method=method)
        assert_allclose([found.low, found.high], [expected.low, expected.high], atol=1e-6)
        assert found.low <= found.share == hits / count <= found.high
    narrow = wilson(hits, count, 1.281552)
    book = binomtest(hits, count).proportion_ci(0.8, method="wilson")
    assert_allclose([narrow.low, narrow.high], [book.low, book.high], atol=1e-6)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 60), st.integers(0, 10_000))
def test_groups_hold_one_pair_of_labels_and_no_more_than_a_screen(count: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    given_, suggested = random.integers(0, 3, (2, count))
    embeddings = random.normal(size=(count, 8)).astype(np.float32)
    worth = random.random(count, dtype=np.float32)
    groups = alike_groups(embeddings, given_, suggested, worth)
    numbers = np.unique(groups[groups != NO_GROUP])
    assert numbers.tolist() == list(range(len(numbers)))
    for number in numbers:
        rows = groups == number
        assert 2 <= rows.sum() <= MOST
        assert len(np.unique(given_[rows])) == len(np.unique(suggested[rows])) == 1


def test_those_that_look_alike_are_together() -> None:
    random = np.random.default_rng(0)
    kind = np.arange(16) % 2
    embeddings = random.normal(0, 0.1, (16, 8)).astype(np.float32)
    embeddings[:, 0] += np.where(kind == 0, 3, -3)
    same = np.zeros(16, dtype=np.int64)
    groups = alike_groups(embeddings, same, same, random.random(16, dtype=np.float32))
    assert {len(set(groups[kind == one].tolist())) for one in (0, 1)} == {1}
    assert len(set(groups.tolist())) == 2


def test_groups_are_looked_for_among_what_is_worth_as_much_and_can_be_given_up() -> None:
    count = 6_000
    same, worth = np.zeros(count, dtype=np.int64), -np.arange(count, dtype=np.float32)
    # The first and the last look alike, and nothing between them looks like either.
    embeddings = np.zeros((count, 3), np.float32)
    embeddings[1::2, 1], embeddings[2::2, 1] = 1, -1
    embeddings[[0, -1]] = 1, 0, 0
    embeddings[-2] = 0, 0, 0
    groups = alike_groups(embeddings, same, same, worth)
    assert groups[0] == groups[-1] == NO_GROUP
    assert alike_groups(embeddings[[0, 1, -1]], same[:3], same[:3], worth[:3]).tolist() == [
        0, NO_GROUP, 0,
    ]  # fmt: skip

    def give_up(step: int, steps: int) -> None:
        assert steps == count
        if step >= 1_000:
            raise Cancelled

    with pytest.raises(Cancelled):
        alike_groups(embeddings, same, same, worth, give_up)
