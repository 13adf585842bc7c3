"""What the strategies that look at embeddings ask for, and what they say about it."""

import math
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from models.catalog import find, parse
from models.catalog.params.selection import CcalParams, SimilarParams
from models.catalog.resolve import resolve
from models.errors import Cancelled, ModelError, NotReady
from models.protocols import OOD, Float32Array, Indices, LinearHead, PoolView, Ranking
from models.ranking.candidates import Candidates
from models.ranking.pool_scores import PoolScores
from models.rounds.query import QuerySettings, Scored, select
from models.selection.library import head_of
from models.strategies import ccal, typiclust, uherding
from tests.models.open_set import numbers, said

CENTERS = 4 * np.eye(6, dtype=np.float32)


def clusters(kinds: Indices, seed: int = 0, spread: float = 0.4) -> Float32Array:
    noise = np.random.default_rng(seed).standard_normal((len(kinds), 6))
    return (CENTERS[kinds] + spread * noise).astype(np.float32)


def pool(count: int = 120) -> tuple[Candidates, Indices]:
    """Clusters 0 and 1 are classes, 2 and 3 are OOD; every cluster has labeled examples."""
    kinds = np.arange(count) % 4
    labeled = np.arange(16) % 4
    head = LinearHead(CENTERS[:2].T / np.float32(4), np.zeros(2, dtype=np.float32))
    embeddings, labeled_embeddings = clusters(kinds), clusters(labeled, seed=1)
    view = PoolView(
        embeddings @ head.weight, embeddings, labeled_embeddings @ head.weight, labeled_embeddings,
        said(np.where(labeled < 2, labeled, OOD)), 2, seed=0, head=head, indices=np.arange(count),
        contrastive=embeddings, labeled_contrastive=labeled_embeddings,
    )  # fmt: skip
    informativeness = np.arange(count, dtype=np.float32)
    scores = PoolScores(np.arange(count), view.logits, 0 * informativeness, informativeness)
    return Candidates(scores, view), kinds


def changed(candidates: Candidates, **changes: object) -> Candidates:
    return replace(candidates, view=PoolView(**(vars(candidates.view) | changes)))


def with_verdicts(candidates: Candidates, keep: Indices) -> Candidates:
    view = candidates.view
    return changed(
        candidates,
        labels=view.labels[keep],
        labeled_logits=view.labeled_logits[keep],
        labeled_embeddings=view.labeled_embeddings[keep],
        labeled_contrastive=CENTERS[:0],
    )


def rank(name: str, candidates: Candidates, n: int, **params: object) -> Ranking:
    result: Ranking = resolve(find("strategy", name))(
        candidates, n, parse("strategy", name, params)
    )
    return result


@pytest.mark.parametrize(
    ("name", "params"),
    [
        ("coreset", {}),
        ("expected_value", {}),
        ("badge", {}),
        ("uherding", {}),
        ("similar", {"function": "flcmi"}),
        ("similar", {"function": "logdetcmi"}),
    ],
)
def test_a_selection_counts_its_picks_and_can_be_cancelled(
    name: str, params: dict[str, object]
) -> None:
    candidates, _ = pool()
    seen: list[int] = []

    def progress(step: int, steps: int) -> None:
        assert steps == 100
        seen.append(step)
        if step >= 16:
            raise Cancelled

    with pytest.raises(Cancelled):
        rank(name, replace(candidates, progress=progress), 100, **params)
    assert seen[-1] == 16
    assert seen == sorted(seen)


@pytest.mark.parametrize("function", ["flcmi", "logdetcmi"])
def test_similar_asks_for_what_resembles_classes(function: str) -> None:
    candidates, kinds = pool()
    order = rank("similar", candidates, 30, function=function).order
    assert (kinds[order] < 2).all()
    assert set(kinds[order[:6]]) == {0, 1}


def test_similar_covers_as_the_formula_says() -> None:
    candidates, _ = pool(60)
    view = candidates.view

    def cosine(x: Float32Array, y: Float32Array) -> float:
        return float(x @ y) / math.sqrt(float(x @ x) * float(y @ y))

    query = view.labeled_embeddings[~view.is_ood]
    private = view.labeled_embeddings[view.is_ood]
    rows = view.embeddings.astype(float)

    def value(chosen: list[int]) -> float:
        total = 0.0
        for x in rows:
            near = max((cosine(x, rows[a]) for a in chosen), default=-1.0)
            close = 1.1 * max(cosine(x, q) for q in query)
            total += max(min(near, close) - 0.7 * max(cosine(x, p) for p in private), 0)
        return total

    order: list[int] = []
    for _ in range(3):
        values = [value([*order, x]) if x not in order else -1.0 for x in range(60)]
        order.append(int(np.argmax(values)))
    ranking = rank("similar", candidates, 3, eta=1.1, nu=0.7)
    assert_array_equal(ranking.order, order)
    assert_allclose(ranking.meta_scores[order].sum(), value(order), atol=1e-4)


def test_similar_says_when_it_took_a_sample() -> None:
    candidates, _ = pool()
    notes = rank("similar", candidates, 5, representatives=10).notes
    assert notes == (
        "Strategy similar covered a sample of 10 of the 60 examples that are nearer to the labeled "
        "classes than to OOD.",
    )


def test_similar_takes_no_weight_that_breaks_a_determinant() -> None:
    assert SimilarParams(eta=2).eta == 2
    with pytest.raises(ModelError, match="logdetcmi takes eta and nu up to 1"):
        parse("strategy", "similar", {"function": "logdetcmi", "eta": 2})


def test_coreset_may_leave_ood_verdicts_aside() -> None:
    candidates, kinds = pool()
    known = np.flatnonzero(~candidates.view.is_ood)
    order = rank("coreset", candidates, 30, covered_by="in").order
    assert_array_equal(order, rank("coreset", with_verdicts(candidates, known), 30).order)
    assert (kinds[order[:2]] >= 2).all()
    first = rank("coreset", candidates, 30).order
    assert not np.array_equal(order, first)


def test_badge_prefers_unsure_examples() -> None:
    candidates, _ = pool()
    sure = np.arange(120) < 100
    logits = np.where(sure[:, None], [9.0, 0.0], [0.1, 0.0]).astype(np.float32)
    order = rank("badge", changed(candidates, logits=logits), 15).order
    assert (order >= 100).mean() > 0.9


def test_ccal_equals_the_formula() -> None:
    candidates, _ = pool(40)
    view = candidates.view
    assert view.contrastive is not None
    assert view.labeled_contrastive is not None
    rows = view.contrastive / np.linalg.norm(view.contrastive, axis=1, keepdims=True)
    anchors = view.labeled_contrastive.copy()
    anchors /= np.linalg.norm(anchors, axis=1, keepdims=True)
    semantic = (rows @ anchors[~view.is_ood].T).max(axis=1)
    semantic = (semantic - semantic.min()) / (semantic.max() - semantic.min())
    lists = []
    for label in (0, 1):
        mine = anchors[numbers(view.labels) == label]
        distance = []
        for row in rows:
            a, b = mine[np.argsort(-(mine @ row))[:2]]
            distance.append((row @ a - row @ b) + a @ b + row @ a)
        raw = np.array(distance)
        score = 1 - (raw - raw.min()) / (raw.max() - raw.min())
        score = score + (1 - np.exp(-50 * (semantic - 0.8))) / (1 + np.exp(-50 * (semantic - 0.8)))
        lists.append(np.argsort(-score).tolist())
    expected: list[int] = []
    while len(expected) < 40:
        turn = lists[len(expected) % 2]
        expected.append(next(x for x in turn if x not in expected))
    assert_array_equal(rank("ccal", candidates, 40, steepness=50, threshold=0.8).order, expected)


def test_ccal_copes_with_one_example_of_a_class() -> None:
    features = clusters(np.arange(12) % 4)
    score = ccal.distinctive_score(features, CENTERS[:1])
    assert ((score >= 0) & (score <= 1)).all()
    assert score[0] < score[1]
    alike = ccal.semantic_score(np.ones((3, 6), np.float32), CENTERS[:1], CcalParams())
    assert_allclose(alike, -1)


@pytest.mark.parametrize(("name", "fallback"), [("similar", "coreset"), ("ccal", "p_plus_i")])
def test_without_classes_another_strategy_stands_in(name: str, fallback: str) -> None:
    candidates, _ = pool()
    few = with_verdicts(candidates, np.flatnonzero(candidates.view.is_ood))
    with pytest.raises(NotReady, match="label some examples with a class"):
        rank(name, few, 5)
    ranking = select(
        Scored(few.scores, few.view), np.arange(120), 5, QuerySettings(strategy=name),
        mqnet=None, had_ood=True,
    )  # fmt: skip
    assert f"Strategy {fallback} stands in." in ranking.notes[0]
    assert len(ranking.order) == 5


def asked_of_one_class(strategy: str, *, is_probability: bool) -> tuple[Ranking, Float32Array]:
    """What is asked about where there is one class, and the purity of all."""
    candidates, _ = pool()
    view = candidates.view
    assert view.head is not None
    one = changed(
        candidates,
        classes=1,
        logits=view.logits[:, :1],
        head=LinearHead(view.head.weight[:, :1], view.head.bias[:1]),
        labels=said(np.where(view.is_ood, OOD, 0)),
    ).view
    purity = np.random.default_rng(0).random(len(one.logits)).astype(np.float32)
    everything = np.arange(len(purity))
    scores = PoolScores(
        everything, one.logits, purity, 0 * purity, purity_is_probability=is_probability
    )
    settings = QuerySettings(strategy=strategy)
    return select(Scored(scores, one), everything, 20, settings, mqnet=None, had_ood=True), purity


@pytest.mark.parametrize("name", ["margin", "conf", "entropy", "badge"])
def test_of_one_class_it_is_asked_where_it_is_unclear(name: str) -> None:
    ranking, purity = asked_of_one_class(name, is_probability=True)
    doubt = np.abs(purity - 0.5)
    if name == "badge":
        assert doubt[ranking.order].mean() < doubt.mean()
    else:
        assert_array_equal(ranking.order, np.argsort(doubt, kind="stable")[:20])
    assert ranking.notes == ()


@pytest.mark.parametrize("name", ["margin", "conf", "entropy", "badge", "dropquery"])
def test_what_cannot_tell_one_class_from_none_says_so(name: str) -> None:
    ranking, _ = asked_of_one_class(name, is_probability=name == "dropquery")
    assert not (np.diff(ranking.order) == 1).all()
    assert "stands in." in ranking.notes[0]


def test_ccal_names_the_job_that_it_waits_for() -> None:
    candidates, _ = pool()
    with pytest.raises(NotReady, match="start the job learn_features"):
        rank("ccal", changed(candidates, contrastive=None), 5)


@pytest.mark.parametrize("name", ["coreset", "badge", "similar", "uherding", "typiclust"])
def test_embeddings_that_were_not_kept_are_missed(name: str) -> None:
    candidates, _ = pool()
    with pytest.raises(NotReady, match="No embeddings of the pool were kept"):
        rank(name, changed(candidates, embeddings=candidates.view.embeddings[:, :0]), 5)


def test_uherding_covers_uncertain_clusters_first() -> None:
    candidates, kinds = pool()
    logits = np.where((kinds == 3)[:, None], [0.0, 0.0], [2.0, 0.0]).astype(np.float32)
    none = with_verdicts(candidates, np.array([], dtype=np.int64))
    order = rank("uherding", changed(none, logits=logits), 3).order
    assert kinds[order[0]] == 3
    covered = with_verdicts(candidates, np.flatnonzero(np.arange(16) % 4 == 3))
    order = rank("uherding", changed(covered, logits=logits), 3, radius=2.0).order
    assert kinds[order[0]] != 3


def test_uherding_turns_into_plain_uncertainty_as_the_radius_shrinks() -> None:
    candidates, _ = pool()
    order = rank("uherding", candidates, 120, radius=1e-3, calibrate=False).order
    unsure = uherding.uncertainty(candidates.view.logits)
    assert_array_equal(order, np.argsort(-unsure, kind="stable"))


def test_radius_is_the_smallest_distance_between_verdicts() -> None:
    rows = clusters(np.arange(20) % 4)
    scaled = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    apart = np.linalg.norm(scaled[:, None] - scaled, axis=2)[np.triu_indices(20, 1)]
    assert_allclose(uherding.smallest_distance(rows), apart.min(), rtol=1e-3)
    assert_allclose(uherding.smallest_distance(np.concatenate([rows, rows])), apart.min(), 1e-3)
    assert uherding.smallest_distance(rows[:1]) == 1
    assert uherding.smallest_distance(rows[:0]) == 1


def test_calibration_error_is_the_definition() -> None:
    rng = np.random.default_rng(0)
    probability, labels = rng.dirichlet(np.ones(3), 200), rng.integers(0, 3, 200)
    confidence, right = probability.max(axis=1), probability.argmax(axis=1) == labels
    expected = 0.0
    for low in np.arange(15) / 15:
        inside = (confidence >= low) & (confidence < low + 1 / 15)
        if inside.any():
            expected += inside.mean() * abs(confidence[inside].mean() - right[inside].mean())
    assert_allclose(uherding.calibration_error(probability, labels), expected)


def test_temperature_softens_a_layer_that_is_too_sure() -> None:
    """Labels at random: the best calibrated answer knows nothing."""
    candidates, _ = pool()
    rng = np.random.default_rng(1)
    labeled = rng.standard_normal((100, 6)).astype(np.float32)
    guessing = changed(
        candidates, labels=said(rng.integers(0, 2, 100)), labeled_embeddings=labeled,
        labeled_logits=labeled[:, :2],
    )  # fmt: skip
    found = uherding.calibrated_layer(guessing.view)
    assert found is not None
    assert found[1] > 1.5
    few = with_verdicts(candidates, np.array([0]))
    assert uherding.calibrated_layer(few.view) is None


def test_a_layer_that_errs_nowhere_is_taken_as_it_is() -> None:
    """That nothing was wrong among a few does not say that nothing will be."""
    found = uherding.calibrated_layer(pool()[0].view)
    assert found is not None
    assert found[1] == 1


def test_calibrated_uncertainty_is_free_of_the_scale_of_the_logits() -> None:
    candidates, _ = pool()
    sharper = changed(candidates, logits=7 * candidates.view.logits)
    one, other = (rank("uherding", some, 20) for some in (candidates, sharper))
    assert_array_equal(one.order, other.order)
    assert_array_equal(one.meta_scores, other.meta_scores)


@pytest.mark.parametrize("name", ["typiclust", "probcover"])
def test_library_strategies_begin_where_nobody_looked(name: str) -> None:
    candidates, kinds = pool()
    seen = with_verdicts(candidates, np.flatnonzero(np.arange(16) % 4 < 2))
    ranking = rank(name, seen, 2)
    assert set(kinds[ranking.order]) == {2, 3}
    assert ranking.notes == ()


def test_typiclust_goes_by_position_where_every_cluster_has_a_verdict() -> None:
    candidates, _ = pool()
    view = candidates.view
    same = changed(
        candidates, embeddings=np.ones_like(view.embeddings),
        labeled_embeddings=np.ones_like(view.labeled_embeddings),
    )  # fmt: skip
    ranking = rank("typiclust", same, 4)
    assert_array_equal(ranking.order, np.arange(4))
    assert ranking.notes == (typiclust.COVERED_NOTE,)


@pytest.mark.parametrize("name", ["typiclust", "probcover", "dropquery"])
def test_library_strategies_look_at_a_sample_of_large_pools(name: str) -> None:
    candidates, _ = pool()
    ranking = rank(name, candidates, 4, most=30)
    assert ranking.notes == (f"Strategy {name} looked at a sample of 30 of 120 examples.",)
    assert len(set(ranking.order.tolist())) == 4
    assert_array_equal(ranking.order, rank(name, candidates, 4, most=30).order)


def test_dropquery_asks_where_the_class_hangs_on_few_features() -> None:
    candidates, kinds = pool()
    noise = np.random.default_rng(0).standard_normal((120, 6)).astype(np.float32)
    sides = np.where(kinds[:, None] == 0, 4, np.where(kinds[:, None] == 1, -4, 0))
    head = LinearHead(
        np.tile(np.array([1, -1], dtype=np.float32), (6, 1)), np.zeros(2, dtype=np.float32)
    )
    rows = (sides + noise).astype(np.float32)
    order = rank("dropquery", changed(candidates, embeddings=rows, head=head), 4, rate=0.5).order
    assert (kinds[order] >= 2).all()


def test_a_head_answers_as_a_classifier() -> None:
    view = pool()[0].view
    assert view.head is not None
    classifier = head_of(view.head.weight, view.head.bias)
    probability = classifier.predict_proba(view.embeddings)
    assert_allclose(probability.sum(axis=1), 1)
    assert_array_equal(classifier.predict(view.embeddings), probability.argmax(axis=1))
