"""Strategies that combine scores, against slow transcriptions of their formulas."""

import math
import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from models.catalog.params import NoParams
from models.catalog.params.strategies import EaoaParams, ExpectedValueParams, NeatParams
from models.errors import NotReady
from models.protocols import OOD, PoolView
from models.ranking.calibration import probability_inside
from models.ranking.candidates import Candidates, LastAnswers, Prices
from models.ranking.mqnet import Normalisation
from models.ranking.ordering import widening
from models.ranking.pool_scores import PoolScores
from models.selection import class_balance, lazy_greedy
from models.strategies import eaoa, expected_value, neat, p_times_i
from tests.models.open_set import numbers, said

VALUE = ExpectedValueParams()


def candidates_of(
    view: PoolView,
    purity: np.ndarray | None = None,
    prices: Prices | None = None,
    last: LastAnswers | None = None,
) -> Candidates:
    rng = np.random.default_rng(2)
    count = len(view.logits)
    scores = PoolScores(
        np.arange(count),
        view.logits,
        rng.random(count).astype(np.float32) if purity is None else purity,
        rng.random(count).astype(np.float32),
        # As after probe.
        purity_is_probability=True,
    )
    empty = LastAnswers(np.empty(0, dtype=np.bool_))
    return Candidates(scores, view, prices=prices or Prices(), last=last or empty)


def test_p_times_i_equals_the_definition(view: PoolView) -> None:
    candidates = candidates_of(view)
    purity, information = candidates.scores.purity, candidates.scores.informativeness
    z = [(raw - raw.mean()) / raw.std() for raw in (purity, information)]
    ranking = p_times_i.rank(candidates, len(purity), NoParams())
    assert_allclose(ranking.meta_scores, np.exp(z[0]) * np.exp(z[1]), rtol=1e-4)


@pytest.mark.parametrize("floor", [0.0, 0.25, 2.0])
@pytest.mark.parametrize("prices", [Prices(1, 1), Prices(1, 4), Prices(2, 0.5)])
def test_expected_value_equals_the_definition(view: PoolView, prices: Prices, floor: float) -> None:
    candidates = candidates_of(view, prices=prices)
    params = ExpectedValueParams(sharpness=2, floor=floor, balance=0)
    ranking = expected_value.rank(candidates, 200, params)
    told = candidates.scores.informativeness.astype(float)
    none = told.min() - floor * (told - told.min()).mean()
    expected = [
        p**2 * (i - none) / (p * prices.inside + (1 - p) * prices.ood)
        for p, i in zip(
            candidates.scores.purity.tolist(),
            candidates.scores.informativeness.tolist(),
            strict=True,
        )
    ]
    assert_allclose(ranking.meta_scores, expected, rtol=1e-5)
    assert_array_equal(ranking.order, np.argsort(-np.array(expected), kind="stable"))


@pytest.mark.parametrize("seed", range(5))
def test_a_model_that_is_sure_of_its_classes_still_asks_for_them(view: PoolView, seed: int) -> None:
    """What is left to be unsure of is OOD, which would be asked for alone."""
    generator = np.random.default_rng(seed)
    count = len(view.logits)
    known = np.arange(count) % 2 == 0
    purity = np.where(known, generator.uniform(0.95, 1, count), generator.uniform(0, 0.01, count))
    told = np.where(known, generator.uniform(0, 0.001, count), generator.uniform(0, 1, count))
    candidates = candidates_of(view, purity=purity.astype(np.float32))
    scores = replace(candidates.scores, informativeness=told.astype(np.float32))
    candidates = replace(candidates, scores=scores)

    def asked_inside(**params: float) -> int:
        chosen = ExpectedValueParams(balance=0, **params)
        return int(known[expected_value.rank(candidates, 20, chosen).order].sum())

    assert asked_inside() == 20
    assert asked_inside(sharpness=0.5, floor=0) == 0


@pytest.mark.parametrize("factor", [0.01, 1.0, 300.0])
def test_the_floor_follows_the_scale_of_the_informativeness(view: PoolView, factor: float) -> None:
    candidates = candidates_of(view)
    told = candidates.scores.informativeness
    params = ExpectedValueParams(floor=0.7)
    scaled = replace(candidates.scores, informativeness=(factor * told - 3).astype(np.float32))
    assert_array_equal(
        expected_value.rank(replace(candidates, scores=scaled), 30, params).order,
        expected_value.rank(candidates, 30, params).order,
    )


@pytest.mark.parametrize("active", [4096, 16])
@pytest.mark.parametrize(("n", "balance"), [(3, 2.0), (40, 1.0), (200, 2.0)])
def test_class_balance_equals_the_plain_loop(
    view: PoolView, n: int, balance: float, active: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lazy_greedy, "_ACTIVE", active)
    candidates = candidates_of(view)
    scores, labels = candidates.scores, numbers(view.labels)
    classes = np.array([_softmax(row) for row in scores.logits])
    gain = scores.informativeness - scores.informativeness.min()
    gain = gain + ExpectedValueParams().floor * gain.mean()
    labeled = np.array([1.0 + (labels == c).sum() for c in range(view.classes)])
    pool = 1 + (classes * scores.purity[:, None]).sum(axis=0)
    share, total = pool / pool.sum(), labeled.sum()
    expected: list[int] = []
    values: list[float] = []
    for _ in range(n):
        worth = (share * total / labeled) ** balance
        value = np.sqrt(scores.purity.astype(float)) * gain * (classes @ worth)
        value[expected] = -1
        best = int(value.argmax())
        expected.append(best)
        values.append(value[best])
        labeled += classes[best] * scores.purity[best]
    ranking = expected_value.rank(candidates, n, ExpectedValueParams(balance=balance))
    assert_array_equal(ranking.order, expected)
    assert_allclose(ranking.meta_scores[ranking.order], values, rtol=1e-4)
    rest = np.setdiff1d(np.arange(len(gain)), ranking.order)
    assert ranking.meta_scores[rest].max(initial=-np.inf) <= min(values)


def test_balance_holds_no_table_of_the_pool(view: PoolView) -> None:
    logits = np.random.default_rng(0).standard_normal((20_000, 100)).astype(np.float32)
    told: list[int] = []
    candidates = replace(
        candidates_of(replace(view, logits=logits)), progress=lambda picked, _: told.append(picked)
    )
    tracemalloc.start()
    try:
        expected_value.rank(candidates, 20, VALUE)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < logits.nbytes
    # Both passes over the pool before the first pick can be cancelled.
    passes = (class_balance._BLOCK_ROWS, lazy_greedy.MOST_TOGETHER)
    assert told.count(0) >= sum(math.ceil(len(logits) / rows) for rows in passes)


def test_a_class_that_is_behind_is_asked_for_first(view: PoolView) -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, view.classes, 200)
    logits = (4.0 * np.eye(view.classes)[truth]).astype(np.float32)
    candidates = candidates_of(replace(view, labels=said([0] * len(view.labels))))
    candidates = replace(candidates, scores=replace(candidates.scores, logits=logits))
    asked = expected_value.rank(candidates, 30, VALUE).order
    unbalanced = expected_value.rank(candidates, 30, ExpectedValueParams(balance=0)).order
    assert (truth[asked] == 0).mean() < 0.5 * (truth[unbalanced] == 0).mean()


def test_dear_ood_verdicts_make_queries_purer(view: PoolView) -> None:
    def purity_of_first(price: float) -> float:
        candidates = candidates_of(view, prices=Prices(1, price))
        order = expected_value.rank(candidates, 30, VALUE).order
        return float(candidates.scores.purity[order].mean())

    assert purity_of_first(0.25) < purity_of_first(1) < purity_of_first(4)


def test_a_purity_of_another_scale_is_calibrated_on_the_last_answers(view: PoolView) -> None:
    rng = np.random.default_rng(5)
    purity = (100 + 20 * rng.standard_normal(200)).astype(np.float32)
    truth = rng.random(200) < 1 / (1 + np.exp(-(purity - 110) / 10))
    asked = PoolScores(np.arange(200), view.logits, purity, purity)
    last = LastAnswers(~truth, asked, Normalisation.fit(purity))
    result = probability_inside(purity, last)(purity)
    reference = LogisticRegression(C=1e6).fit(purity[:, None] - 100, truth)
    assert_allclose(result, reference.predict_proba(purity[:, None] - 100)[:, 1], atol=0.02)
    before = probability_inside(purity, LastAnswers(truth[:0]))(purity)
    assert_allclose(before, 1 / (1 + np.exp(-(purity - purity.mean()) / purity.std())), rtol=1e-4)


def test_the_last_answers_may_be_of_another_scale(view: PoolView) -> None:
    rng = np.random.default_rng(5)
    now = rng.standard_normal(200)
    is_ood = rng.random(200) >= 1 / (1 + np.exp(-2 * now))
    expected = None
    for shift, scale in ((0, 1), (50, 1), (-3, 1000)):
        purity = (shift + scale * now).astype(np.float32)
        then = PoolScores(np.arange(200), view.logits, purity, purity)
        last = LastAnswers(is_ood, then, Normalisation.fit(purity))
        found = probability_inside(now, last)(now)
        expected = found if expected is None else expected
        assert_allclose(found, expected, atol=1e-4)
        assert np.ptp(found) > 0.8


def test_cosines_are_no_probabilities(view: PoolView) -> None:
    cosines = np.linspace(0.2, 0.4, 200).astype(np.float32)
    candidates = candidates_of(view, purity=cosines)
    scores = replace(candidates.scores, purity_is_probability=False)
    calibrated = replace(candidates, scores=scores)
    params = ExpectedValueParams(floor=0, balance=0)
    plain = expected_value.rank(candidates, 200, params)
    ranking = expected_value.rank(calibrated, 200, params)
    gain = candidates.scores.informativeness - candidates.scores.informativeness.min()
    z = (cosines - cosines.mean()) / cosines.std()
    assert_allclose(ranking.meta_scores, gain / np.sqrt(1 + np.exp(-z)), rtol=1e-4)
    assert (ranking.order != plain.order).any()


def test_equal_informativeness_leaves_purity(view: PoolView) -> None:
    candidates = candidates_of(view)
    same = replace(candidates.scores, informativeness=np.ones(200, dtype=np.float32))
    order = expected_value.rank(replace(candidates, scores=same), 10, VALUE).order
    assert_array_equal(order, np.argsort(-same.purity)[:10])


@settings(deadline=None, max_examples=100)
@given(
    values=st.lists(st.integers(0, 5), min_size=1, max_size=30),
    width=st.floats(1, 6),
    n=st.integers(1, 40),
)
def test_the_widening_window_equals_the_definition(values: list[int], width: float, n: int) -> None:
    purest = np.random.default_rng(0).permutation(len(values))
    expected: list[int] = []
    for count in range(1, min(n, len(values)) + 1):
        window = [p for p in purest[: math.ceil(width * count)] if p not in expected]
        expected.append(max(window, key=lambda position: values[position]))
    assert_array_equal(widening(purest, np.array(values, dtype=float), width, n), expected)


def _cosines(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    unit = [rows / np.linalg.norm(rows, axis=1, keepdims=True) for rows in (a, b)]
    product: np.ndarray = unit[0].astype(float) @ unit[1].astype(float).T
    return product


def _softmax(logits: np.ndarray) -> np.ndarray:
    weights = np.exp(logits.astype(float) - logits.max())
    probabilities: np.ndarray = weights / weights.sum()
    return probabilities


def test_neat_equals_the_definition(view: PoolView) -> None:
    similar = _cosines(view.embeddings, view.labeled_embeddings)
    counts, score = [], []
    for row, logits in zip(similar, view.logits, strict=True):
        count = [0] * (view.classes + 1)
        for neighbour in sorted(range(len(row)), key=lambda j: -row[j])[:10]:
            count[numbers(view.labels)[neighbour]] += 1
        q = _softmax(np.array(count[:-1]))
        p = _softmax(logits)
        counts.append(count)
        score.append(-sum(p[c] * math.log(q[c]) for c in range(view.classes)))
    inside = [sum(count[:-1]) for count in counts]
    known = [i for i in range(200) if inside[i] > counts[i][-1]]
    purest = sorted(known, key=lambda i: (-inside[i], -score[i]))
    expected = widening(np.array(purest), np.array(score), 2.0, 40)

    ranking = neat.rank(candidates_of(view), 40, NeatParams())
    assert_array_equal(ranking.order, expected)
    everything = neat.rank(candidates_of(view), 200, NeatParams()).order
    assert set(everything[: len(known)]) == set(known)
    assert sorted(everything) == list(range(200))


def test_eaoa_energies_equal_the_definition(view: PoolView) -> None:
    rng = np.random.default_rng(1)
    with_ood = replace(view, ood_logits=rng.standard_normal(200).astype(np.float32))
    assert with_ood.ood_logits is not None
    energy = eaoa.learned_energy(with_ood, EaoaParams())
    for got, logits, ood in zip(energy, view.logits, with_ood.ood_logits, strict=True):
        inside = math.log(sum(math.exp(float(value)) for value in logits))
        assert_allclose(got, -inside + math.log(1 + math.exp(float(ood))), rtol=1e-4)

    left = eaoa.aleatoric(view.logits)
    for got, logits in zip(left, view.logits, strict=True):
        p = _softmax(logits)
        assert_allclose(got, math.log(1 - p.max()), rtol=1e-3, atol=1e-5)

    similar = _cosines(view.labeled_embeddings, view.embeddings)
    counts = np.zeros((200, view.classes))
    for row, label in zip(similar, numbers(view.labels), strict=True):
        for candidate in sorted(range(200), key=lambda j: -row[j])[:30]:
            if label >= 0:
                counts[candidate, label] += 1
    expected = -np.log(np.exp(counts).sum(axis=1))
    assert_allclose(eaoa.neighbour_energy(view, 30), expected, rtol=1e-4)


def test_eaoa_learns_a_detector_where_the_model_has_none(view: PoolView) -> None:
    """The fixture's embeddings tell OOD from the classes."""
    view = replace(view, ood_logits=None)
    centers = np.stack(
        [
            view.labeled_embeddings[numbers(view.labels) == label].mean(axis=0)
            for label in (0, 1, 2, OOD)
        ]
    )
    distance = np.linalg.norm(view.embeddings[:, None] - centers[None], axis=2)
    inside = distance.argmin(axis=1) < 3
    energy = eaoa.learned_energy(view, EaoaParams())
    assert roc_auc_score(~inside, energy) > 0.9
    only_inside = ~view.is_ood
    without = replace(
        view,
        labels=view.labels[only_inside],
        labeled_embeddings=view.labeled_embeddings[only_inside],
    )
    expected = -np.log(np.exp(view.logits.astype(float)).sum(axis=1))
    assert_allclose(eaoa.learned_energy(without, EaoaParams()), expected, rtol=1e-5)


@pytest.mark.parametrize(
    ("share", "before", "after"),
    [(0.9, 5, 6), (0.62, 5, 5), (0.1, 5, 4), (0.1, 1.5, 1), (None, 3, 3)],
)
def test_eaoa_follows_the_target_share(
    view: PoolView, share: float | None, before: float, after: float
) -> None:
    is_ood = np.arange(0 if share is None else 50) >= round(50 * (share or 0))
    candidates = replace(candidates_of(view, last=LastAnswers(is_ood)), state={"k": before})
    ranking = eaoa.rank(candidates, 10, EaoaParams())
    assert ranking.state == {"k": after}
    fresh = replace(candidates, state={})
    assert eaoa.rank(fresh, 10, EaoaParams()).state == {"k": 5.0}


def test_eaoa_lets_the_predicted_classes_take_turns(view: PoolView) -> None:
    order = eaoa.rank(candidates_of(view), 30, EaoaParams()).order
    predicted = view.logits.argmax(axis=1)
    assert_array_equal(predicted[order[:9]], [0, 1, 2] * 3)


@pytest.mark.parametrize(
    ("module", "params"), [(eaoa, EaoaParams()), (neat, NeatParams())], ids=["eaoa", "neat"]
)
def test_without_a_labeled_class_neighbours_say_nothing(
    view: PoolView, module: object, params: object
) -> None:
    nothing = replace(view, labels=said([OOD] * len(view.labels)))
    with pytest.raises(NotReady, match="No example has a class yet"):
        module.rank(candidates_of(nothing), 5, params)  # type: ignore[attr-defined]
