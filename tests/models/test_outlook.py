"""What a certificate will take, told before anybody has answered."""

import numpy as np
import pytest

from models.guarantee.certification import Certification
from models.guarantee.lots import Lot
from models.guarantee.outlook import Outlook, outlook
from models.guarantee.promise import Promise
from tests.models.test_guarantee import Pool

_AT_ONCE = 100


def seen(state: Certification, *, plays: int = 20) -> Outlook:
    return outlook(state, at_once=_AT_ONCE, plays=plays, seed=0)


def labeled(state: Certification) -> int:
    decided = zip(state.lots, state.decide().lots, strict=True)
    return sum(lot.size - now.drawn for lot, now in decided if now.state == "passed")


@pytest.mark.parametrize("target", [0.02, 0.05])
@pytest.mark.parametrize("size", [300, 1_000, 2_500])
def test_pools_take_about_what_was_said(size: int, target: float) -> None:
    within, answers, given, said = 0, [], [], []
    seeds = 8 if size > 2_000 else 16
    for seed in range(seeds):
        pool = Pool(size, seed=seed)
        state = Certification(pool.lots, Promise(target, is_ood_apart=False), seed=seed)
        found = seen(state)
        assert found.low <= found.answers <= found.high or found.low == found.high
        taken = len(pool.answer(state, _AT_ONCE))
        within += 0.9 * found.low <= taken <= 1.1 * found.high
        answers.append(taken)
        given.append(labeled(state))
        said.append(found)
    assert within >= 0.75 * seeds
    assert np.mean([one.answers for one in said]) == pytest.approx(np.mean(answers), rel=0.35)
    assert abs(np.mean([one.labeled for one in said]) - np.mean(given)) < 0.2 * size


def test_nothing_changes_by_looking_ahead_and_it_is_seen_the_same_again() -> None:
    pool = Pool(1_000)
    state = Certification(pool.lots, Promise(0.05), seed=3)
    pool.answer(state, most=60)
    state.asked([draw.index for draw in state.next_draws(20)])
    before, waiting = state.decide(), state.waiting()
    first, again = seen(state), seen(state)
    assert first.answers > 0
    assert (first.answers, first.labeled) == (again.answers, again.labeled)
    assert first.passing.tolist() == again.passing.tolist()
    assert state.decide() == before
    assert state.waiting() == waiting
    assert len(waiting) == 20


def test_what_people_are_asked_already_is_not_to_come() -> None:
    pool = Pool(1_000)
    state = Certification(pool.lots, Promise(0.05, is_ood_apart=False), seed=3)
    before = seen(state)
    asked = state.next_draws(_AT_ONCE)
    state.asked([draw.index for draw in asked])
    assert seen(state).answers == pytest.approx(before.answers - len(asked), abs=0.3 * len(asked))
    for draw in asked:
        state.observe(draw.index, pool.is_wrong[draw.index])
    pool.answer(state)
    over = seen(state, plays=3)
    assert (over.answers, over.low, over.high) == (0, 0, 0)
    assert over.labeled == labeled(state)


def test_a_model_that_was_wrong_oftener_than_it_said_is_expected_to_be_so_again() -> None:
    pool = Pool(4_000)
    told = Certification(pool.lots, Promise(0.05, is_ood_apart=False), seed=1)
    good, bad = told.copied(), told.copied()
    for number, draw in enumerate(told.next_draws(60, at_first=60)):
        good.observe(draw.index, False)
        bad.observe(draw.index, number % 4 == 0)
    assert seen(good).labeled > seen(bad).labeled
    assert seen(good).in_vain < seen(bad).in_vain


def test_lots_that_the_model_doubts_are_seen_to_be_left() -> None:
    sure = Lot(0, 0.99, 1.0, 0.004, np.arange(3_000))
    doubtful = Lot(1, 0.5, 0.6, 0.45, np.arange(3_000, 4_000))
    state = Certification([sure, doubtful], Promise(0.03, scope="class"), seed=1)
    found = seen(state)
    assert found.passing[0] > 0.8
    assert found.passing[1] == 0
    assert found.in_vain < 0.2
    assert found.labeled == pytest.approx(3_000, rel=0.2)


def test_a_model_that_is_certain_can_be_wrong_all_the_same() -> None:
    lots = [Lot(0, 1.0, 1.0, 0.0, np.arange(2_000)), Lot(1, 0.0, 0.0, 1.0, np.arange(2_000, 2_100))]
    found = seen(Certification(lots, Promise(0.02), seed=0))
    assert found.answers > 0
    assert np.isfinite(found.passing).all()
