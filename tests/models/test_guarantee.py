"""Lots, what is asked of people about them, and what may then be promised."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, Literal

import numpy as np
import pytest

from models.errors import ModelError
from models.guarantee.certification import Certification
from models.guarantee.estimates import Draws, Part, estimate
from models.guarantee.lots import Lot, labels_of, make_lots
from models.guarantee.outlook import outlook
from models.guarantee.promise import Promise
from models.protocols import OOD


class Pool:
    """Examples whose labels are wrong as often as their confidence says, and a little more."""

    def __init__(self, size: int = 4_000, seed: int = 0, spread: float = 3.0) -> None:
        rng = np.random.default_rng(seed)
        self.confidence = 1 / (1 + np.exp(-rng.gamma(2.0, spread, size)))
        self.wrong = rng.random(size) > self.confidence
        self.labels = rng.integers(OOD, 3, size)
        self.members = rng.permutation(3 * size)[:size].astype(np.int64)
        self.is_wrong = dict(zip(self.members.tolist(), self.wrong.tolist(), strict=True))

    @property
    def lots(self) -> list[Lot]:
        return make_lots(self.labels, self.confidence, self.members)

    def answer(self, state: Certification, batch: int = 40, most: int = 10**6) -> list[int]:
        """Answer all draws truly, at most so many; return them in order."""
        asked: list[int] = []
        while (draws := state.next_draws(min(batch, most - len(asked)))) and len(asked) < most:
            for draw in draws:
                assert 0 < draw.probability <= 1
                assert draw.index in state.lots[draw.lot].members
                state.observe(draw.index, self.is_wrong[draw.index])
            asked += [draw.index for draw in draws]
        return asked

    def left_wrong(self, state: Certification, asked: list[int]) -> float:
        """Share of what the model would label that is wrong."""
        decided = state.decide().lots
        passed = [
            lot.members
            for lot, found in zip(state.lots, decided, strict=True)
            if found.state == "passed"
        ]
        auto = np.setdiff1d(np.concatenate(passed), asked)
        return float(np.mean([self.is_wrong[one] for one in auto.tolist()]))


def begin(
    lots: list[Lot],
    target: float,
    confidence: float,
    scope: Literal["all", "class"] = "all",
    *,
    seed: int,
    first: Sequence[int] = (),
    **promised: Any,
) -> Certification:
    promise = Promise(target=target, confidence=confidence, scope=scope, **promised)
    return Certification(lots, promise, seed=seed, first=first)


def test_lots_part_everything_whatever_its_order() -> None:
    pool = Pool(1_000)
    lots = pool.lots
    assert np.sort(np.concatenate([lot.members for lot in lots])).tolist() == sorted(
        pool.members.tolist()
    )
    assert [lot.label for lot in lots][-1] == OOD
    for one, two in pairwise(lots):
        if one.label == two.label:
            assert one.low >= two.high
            assert abs(one.size - two.size) <= 1
    turned = np.random.default_rng(5).permutation(1_000)
    again = make_lots(pool.labels[turned], pool.confidence[turned], pool.members[turned])
    assert [lot.members.tolist() for lot in again] == [lot.members.tolist() for lot in lots]
    assert len(make_lots(np.zeros(60, int), np.full(60, 0.5), np.arange(60))) == 1
    with pytest.raises(ModelError, match=r"Confidences must lie in 0\.\.1"):
        make_lots(np.zeros(1, int), np.array([np.nan]), np.arange(1))


def test_a_label_is_the_likeliest_of_the_classes_and_ood() -> None:
    classes, given = np.array([2, 1, 0]), np.array([0.9, 0.5, 0.6])
    labels, sure = labels_of(classes, given, np.array([0.9, 0.6, 0.1]))
    assert labels.tolist() == [2, OOD, OOD]
    np.testing.assert_allclose(sure, [0.81, 0.4, 0.9])
    labels, sure = labels_of(classes, given, None)
    assert labels.tolist() == [2, 1, 0]
    assert sure.tolist() == [0.9, 0.5, 0.6]


@pytest.mark.parametrize("missed", [None, 0.06])
def test_what_passes_keeps_its_promise_and_the_rest_is_for_people(missed: float | None) -> None:
    pool = Pool()
    promise = Promise(0.05, is_ood_apart=missed is not None, missed_in=missed)
    state = Certification(pool.lots, promise, seed=3)
    assert state.decide().bound is None
    assert {lot.state for lot in state.decide().lots} == {"open"}
    asked = pool.answer(state)
    assert len(asked) == len(set(asked)), "nobody is asked twice"
    found = state.decide()
    assert found.is_over
    assert {lot.state for lot in found.lots} == {"passed", "people"}
    assert found.bound is not None
    assert found.bound.share <= (missed or 0.05)
    assert pool.left_wrong(state, asked) <= found.bound.share
    assert (found.missed is None) == (missed is None)
    assert sum(lot.drawn for lot in found.lots) == len(asked)
    passed = sum(
        lot.size - one.drawn
        for lot, one in zip(state.lots, found.lots, strict=True)
        if one.state == "passed"
    )
    assert found.bound.of == passed > 800


@pytest.mark.parametrize("scope", ["all", "class"])
def test_it_goes_on_from_its_answers_alone(scope: Literal["all", "class"]) -> None:
    pool = Pool()
    promise = Promise(target=0.05, scope=scope)
    whole = Certification(pool.lots, promise, seed=3)
    asked = pool.answer(whole)
    half = Certification(pool.lots, promise, seed=3)
    begun = pool.answer(half, most=100)
    waiting = [draw.index for draw in half.next_draws(7)]
    half.asked(waiting)
    again = Certification(pool.lots, promise, seed=3)
    for index in begun:
        again.observe(index, pool.is_wrong[index])
    again.asked(waiting)
    assert again.decide() == half.decide()
    for index in waiting:
        again.observe(index, pool.is_wrong[index])
    begun += waiting + pool.answer(again)
    assert begun[:100] == asked[:100]
    assert again.decide() == whole.decide(), "however often somebody looked"


def test_an_answer_counts_once_those_before_it_are_there() -> None:
    """Else whatever takes people long would be left out of the sample."""
    pool = Pool(spread=20.0)
    state = begin(pool.lots, 0.05, 0.95, seed=1, is_ood_apart=False)
    draws = state.next_draws(10**6, at_first=10**6)
    state.asked([draw.index for draw in draws])
    assert state.next_draws(50, at_first=10**6) == [], (
        "no more than passes if all of them are right"
    )
    for draw in draws[1:]:
        state.observe(draw.index, False)
    assert state.decide().bound is None
    state.observe(draws[0].index, False)
    assert state.decide().bound is not None


@pytest.mark.parametrize("target", [0.02, 0.05])
def test_few_are_asked_about_before_anything_is_known(target: float) -> None:
    """Whoever is asked about hundreds at once has looked at most of them in vain."""
    pool = Pool(spread=20.0)
    state = begin(pool.lots, target, 0.95, seed=1, is_ood_apart=False)
    known = 0
    sizes: list[int] = []
    while draws := state.next_draws(10**6):
        assert len(draws) <= max(20, known // 2)
        state.asked([draw.index for draw in draws])
        assert state.next_draws(10**6) == [], "until half of them are answered"
        for place, draw in enumerate(draws, start=1):
            state.observe(draw.index, False)
            if known == 0 and place < 20:
                more = len(state.next_draws(10**6))
                assert more == (0 if place < 10 else place), "nobody waits for all of the others"
        known += len(draws)
        sizes.append(len(draws))
    assert max(sizes) > 20
    bad = begin(pool.lots, target, 0.95, seed=1, is_ood_apart=False)
    for draw in bad.next_draws(10**6):
        bad.observe(draw.index, True)
    assert bad.next_draws(10**6) == []
    assert sum(lot.drawn for lot in bad.decide().lots) <= 20


def test_what_may_be_asked_at_most_goes_to_one_part_before_another_and_is_waited_for() -> None:
    pool = Pool(spread=20.0)
    whole = begin(pool.lots, 0.1, 0.95, seed=1)
    first = whole.next_draws(10**6, at_first=10**6)
    chain = [draw for draw in first if whole.lots[draw.lot].label == OOD]
    assert 0 < len(chain) < len(first)
    most = max(len(chain), len(first) - len(chain))
    state = begin(pool.lots, 0.1, 0.95, seed=1, at_most=most)
    asked = 0
    while draws := state.next_draws(10**6):
        asked += len(draws)
        state.asked([draw.index for draw in draws])
        for draw in draws[:-1]:
            state.observe(draw.index, False)
            assert not state.decide().is_over, "one of them is waited for"
        state.observe(draws[-1].index, False)
    assert asked <= most
    assert state.decide().bound is not None, "all that was allowed is enough for one of them"


def test_earlier_draws_come_first_and_unsure_is_wrong() -> None:
    pool = Pool(spread=20.0)
    first = np.random.default_rng(9).permutation(pool.members)[:300].tolist()
    together = Promise(0.05, is_ood_apart=False)
    state = Certification(pool.lots, together, seed=1, first=first)
    for index in first:
        state.observe(index, False)
    assert state.decide().bound is not None
    assert not set(first) & {draw.index for draw in state.next_draws(50)}
    for index in first:
        state.observe(index, None)
    found = state.decide()
    assert found.bound is None
    assert sum(lot.unsure for lot in found.lots) == sum(lot.wrong for lot in found.lots) == 300
    assert found.is_over
    assert "label more" in found.why


def test_wrong_labels_among_the_surest_pass_seldom() -> None:
    """Whoever chose the confidences: with a share of wrong ones just above what is promised."""
    passed = 0
    pool = Pool(1_500)
    pool.confidence = np.full(1_500, 0.999)
    for seed in range(60):
        wrong = np.random.default_rng(seed).random(1_500) < 0.11
        pool.is_wrong = dict(zip(pool.members.tolist(), wrong.tolist(), strict=True))
        state = begin(pool.lots, 0.1, 0.9, seed=seed)
        asked = pool.answer(state, batch=300, most=300)
        found = state.decide()
        passed += found.bound is not None and pool.left_wrong(state, asked) > found.bound.share
    assert passed <= 12


def test_people_who_err_make_it_harder() -> None:
    pool = Pool(spread=20.0)
    plain = Promise(target=0.05)
    sure = Certification(pool.lots, plain, seed=1)
    careful = Certification(pool.lots, replace(plain, human_error=0.1, human_alpha=0.005), seed=1)
    needed = [len(one.next_draws(10**6, at_first=10**6)) for one in (sure, careful)]
    assert needed[0] < needed[1]
    pool.answer(careful)
    found = careful.decide().bound
    assert found is not None
    assert found.share <= 0.05


def test_each_label_is_promised_apart() -> None:
    pool = Pool(8_000, spread=4.0)
    state = begin(pool.lots, 0.1, 0.95, "class", seed=1)
    asked = pool.answer(state)
    found = state.decide()
    for label in range(OOD, 3):
        lots = [
            (lot, one)
            for lot, one in zip(state.lots, found.lots, strict=True)
            if lot.label == label and one.state == "passed"
        ]
        assert lots, "each label has draws of its own"
        auto = np.setdiff1d(np.concatenate([lot.members for lot, _ in lots]), asked)
        share = np.mean([pool.is_wrong[one] for one in auto.tolist()])
        assert {one.bound for _, one in lots} <= {lots[0][1].bound}
        assert share <= (lots[0][1].bound or 0) <= 0.1


def test_what_cannot_be_promised_is_said() -> None:
    pool = Pool(600)
    state = begin(pool.lots, 0.001, 0.95, seed=1)
    assert state.next_draws(50) == []
    assert outlook(state, at_once=50, plays=3, seed=0).answers == 0
    assert "600 are too few to promise that at most 0.1 of 100" in state.decide().why
    few = begin(pool.lots, 0.2, 0.95, seed=1, at_most=3)
    assert len(pool.answer(few)) == 3
    assert "The 3 answers that were allowed are too few" in few.decide().why
    one = Lot(0, 0.9, 0.9, 0.1, np.array([7]))
    alone = begin([one], 0.02, 0.95, seed=1)
    assert alone.next_draws(5) == []
    assert alone.decide().lots[0].state == "people"
    for wrong in ({"target": 0}, {"target": 0.6}, {"confidence": 1.0}, {"human_error": 0.3}):
        with pytest.raises(ModelError, match=r"choose|judge more"):
            Promise(**wrong)
    with pytest.raises(ModelError, match="nothing to certify"):
        begin([], 0.02, 0.95, seed=1)
    with pytest.raises(ModelError, match="two lots"):
        begin([one, one], 0.02, 0.95, seed=1)
    with pytest.raises(ModelError, match="in one lot, once"):
        begin([one], 0.02, 0.95, seed=1, first=[8])
    with pytest.raises(ModelError, match="none of the lots"):
        alone.observe(8, True)


def test_random_draws_tell_how_accurate_a_model_is() -> None:
    """All of a pool's shares lie within their intervals in nearly all of 60 pools."""
    outside = np.zeros(4)
    for seed in range(60):
        rng = np.random.default_rng(seed)
        truth = rng.choice([OOD, 0, 1], 3_000, p=[0.4, 0.4, 0.2])
        predicted = np.where(rng.random(3_000) < 0.85, truth, rng.integers(OOD, 2, 3_000))
        drawn = rng.permutation(3_000)[:250]
        draws = Draws(predicted[drawn], truth[drawn], np.zeros(250, dtype=bool), np.zeros(250, int))
        found = estimate(draws, [Part(3_000)], classes=2)
        right = predicted == truth
        known = truth >= 0
        exact = (right.mean(), right[known].mean(), right[~known].mean(), (~known).mean())
        told = (found.accuracy, found.inside, found.ood, found.ood_share)
        for at, (share, one) in enumerate(zip(exact, told, strict=True)):
            assert one is not None
            outside[at] += not one.low <= share <= one.high
    assert (outside <= 4).all()
    assert found.per_class[1].recall is not None
    assert found.per_class[0].precision is not None
    assert found.per_class[0].precision.n == int((draws.predicted == 0).sum())


@pytest.mark.parametrize(
    ("drawn", "right"), [((60, 3), (0.95, 0.5)), ((100, 100), (1.0, 0.0)), ((250, 50), (0.9, 0.6))]
)
def test_a_pool_that_grew_is_estimated_by_the_sizes_of_its_parts(
    drawn: tuple[int, int], right: tuple[float, float]
) -> None:
    """Nine of ten images are old; who is of a class is right as often as who is not."""
    parts, outside = [Part(9_000), Part(1_000)], np.zeros(2)
    exact = float(np.average(right, weights=[9, 1]))
    for seed in range(60):
        rng = np.random.default_rng(seed)
        part = np.repeat([0, 1], drawn)
        truth = rng.choice([OOD, 0, 1], sum(drawn))
        is_right = rng.random(sum(drawn)) < np.array(right)[part]
        predicted = np.where(is_right, truth, 2)
        unsure = np.zeros(sum(drawn), dtype=bool)
        found = estimate(Draws(predicted, truth, unsure, part), parts, classes=2)
        for at, one in enumerate((found.accuracy, found.inside)):
            assert one is not None
            assert one.low <= one.share <= one.high
            outside[at] += not one.low <= exact <= one.high
    assert (outside <= 3).all()
    with pytest.raises(ModelError, match="Nothing was drawn from a part"):
        estimate(Draws(predicted, truth, unsure, part), [*parts, Part(5)], classes=2)


def test_what_has_left_what_was_drawn_from_may_have_been_right_or_wrong() -> None:
    """A tenth has left that was all right, or all wrong, and every fourth draw of the rest is."""
    for was in (True, False):
        outside = np.zeros(2)
        for seed in range(60):
            rng = np.random.default_rng(seed)
            gone = rng.random(300) < 0.1
            is_right = np.where(gone, was, rng.random(300) < 0.75)
            truth = rng.choice([OOD, 0], 300)
            draws = Draws(np.where(is_right, truth, 1), truth, gone & False, truth * 0)
            found = estimate(draws, [Part(9_000, 1_000)], classes=2)
            for at, one in enumerate((found.accuracy, found.inside)):
                assert one is not None
                assert 0 <= one.low <= one.share <= one.high <= 1
                outside[at] += not one.low <= 0.75 <= one.high
        assert (outside <= 3).all()


def test_unsure_draws_count_as_wrong_and_parts_by_their_size() -> None:
    unsure = np.array([True] * 10 + [False] * 90)
    same = np.zeros(100, dtype=np.int64)
    found = estimate(Draws(same, same, unsure, same), [Part(1_000)], classes=1)
    assert found.unsure == 10
    assert found.accuracy is not None
    assert found.accuracy.share == pytest.approx(0.9)
    assert found.inside is not None
    assert found.inside.share == 1.0
    assert found.ood is None
    truth = np.array([0, OOD] * 50)
    halves = [Part(250), Part(750)]
    parts = estimate(Draws(same, truth, unsure & False, (truth == OOD) * 1), halves, classes=1)
    assert parts.accuracy is not None
    assert parts.accuracy.share == pytest.approx(0.25)
    assert parts.accuracy.low < 0.25 < parts.accuracy.high
    with pytest.raises(ModelError, match="count each once"):
        estimate(Draws(same, same, unsure, same), [Part(99)], classes=1)
