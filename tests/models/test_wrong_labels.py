"""Judging labels by frozen features: who is doubted, how surely, and by whom never."""

from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray
from sklearn.datasets import load_digits
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.metrics import average_precision_score

from models.errors import ModelError
from models.features.chosen import chosen_features, embed_rows
from models.relabeling.frozen import Judgement, NoiseRate, _opinions, judge_labels, suggestions
from models.relabeling.noise_model import NoiseModel
from models.relabeling.opinions import (
    Axes,
    folds_of,
    gaussians,
    neighbours,
    one_hot,
    partitions_of,
)

HEADS = ("ce", "sop_plus", "dividemix")


def clusters(
    classes: int, count: int, *, seed: int, apart: float = 6.0, wide: int = 24
) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """Images of classes that lie apart: embeddings and true labels, at least three of each."""
    random = np.random.default_rng(seed)
    truth = np.concatenate([np.repeat(np.arange(classes), 3), random.integers(0, classes, count)])
    centres = random.standard_normal((classes, wide)) * apart / np.sqrt(wide)
    rows = centres[truth] + random.standard_normal((len(truth), wide)) / np.sqrt(2)
    return rows.astype(np.float32), truth.astype(np.int64)


def spoiled(truth: NDArray[np.int64], share: float, classes: int, seed: int) -> NDArray[np.int64]:
    """Exchange a share of the labels for other classes."""
    random = np.random.default_rng(seed + 1)
    other = (truth + random.integers(1, classes, len(truth))) % classes
    return np.where(random.random(len(truth)) < share, other, truth).astype(np.int64)


@settings(max_examples=8, deadline=None)
@example(classes=2, share=0.3, learner="ce", seed=399)
@given(
    classes=st.sampled_from([2, 3, 10, 40]),
    share=st.sampled_from([0.03, 0.1, 0.3]),
    learner=st.sampled_from(HEADS),
    seed=st.integers(0, 1000),
)
def test_planted_noise_is_found_and_named(
    classes: int, share: float, learner: str, seed: int
) -> None:
    x, truth = clusters(classes, 600, seed=seed)
    labels = spoiled(truth, share, classes, seed)
    wrong = labels != truth
    found = judge_labels(x, labels, classes=classes, seed=seed, learner=learner)
    picked = suggestions(found, 0.5)
    assert wrong[picked].mean() > 0.85
    assert np.isin(np.flatnonzero(wrong), picked).mean() > 0.8
    assert (found.other[picked] == truth[picked]).mean() > 0.8
    assert abs(found.noise.rate - wrong.mean()) < 0.08
    assert found.noise.low <= wrong.mean() <= found.noise.high + 0.02
    # Where every suggestion is right, what is said of them may be modest, but no boast. Of two
    # classes it is most modest: whatever is not the one is the other, however it went wrong.
    assert (0.7 if classes > 2 else 0.55) < found.wrong[picked].mean() < wrong[picked].mean() + 0.1
    assert_allclose(found.probabilities.sum(axis=1), 1, atol=1e-4)
    assert_allclose(found.opinions.sum(axis=1), 1, atol=1e-4)


@pytest.mark.parametrize("classes", [2, 10])
def test_where_no_label_is_wrong_next_to_none_is_doubted(classes: int) -> None:
    # Classes that overlap: a plain classifier contradicts many labels that are right.
    x, truth = clusters(classes, 800, seed=5, apart=2.0)
    found = judge_labels(x, truth, classes=classes, seed=0)
    assert (found.opinions.argmax(axis=1) != truth).mean() > 0.02
    assert found.noise.rate < 0.03
    assert len(suggestions(found, 0.5)) <= 0.01 * len(truth)


@pytest.mark.parametrize(("share", "most"), [(0.0, 4), (0.05, 22)])
def test_few_labels_of_broad_classes_are_not_doubted_for_being_unlike_the_others(
    share: float, most: int
) -> None:
    # Two or three digits go by the name of each class.
    images, digits = load_digits(return_X_y=True)
    drawn = np.random.default_rng(0).permutation(len(digits))[:400]
    random = np.random.default_rng(1)
    shape = random.standard_normal((64, 600))
    rows = np.maximum(images[drawn] @ shape, 0).astype(np.float32)
    truth = (digits[drawn] % 4).astype(np.int64)
    doubted, wrong = 0, 0
    for part in np.array_split(np.arange(400), 2):
        labels = spoiled(truth[part], share, 4, seed=0)
        found = judge_labels(rows[part], labels, classes=4, seed=0)
        picked = suggestions(found, 0.5)
        doubted += len(picked)
        wrong += int((labels != truth[part])[picked].sum())
    assert doubted <= most
    assert wrong >= 0.7 * doubted or doubted <= 4


@pytest.mark.parametrize("learner", HEADS)
def test_no_opinion_has_seen_the_label_that_it_is_about(learner: str) -> None:
    x, truth = clusters(4, 120, seed=2, apart=3.0)
    labels = spoiled(truth, 0.2, 4, 2)
    fold = folds_of(labels, 0)
    projected = Axes.fit(x).apply(x)
    learned = np.ones(len(labels), dtype=np.bool_)
    before = _opinions(projected, labels, 4, learner, learned, fold, None)

    def judge(some: NDArray[np.int64]) -> Judgement:
        return judge_labels(x, some, classes=4, seed=0, learner=learner, partitions=[fold])

    given = judge(labels)
    for row in (0, 17, 60, 131):
        changed = labels.copy()
        changed[row] = (changed[row] + 1) % 4
        after = _opinions(projected, changed, 4, learner, learned, fold, None)
        for one, other in zip(before, after, strict=True):
            assert_array_equal(one[row], other[row])
        # How far the opinions are trusted is told by the other folds, whose opinions on themselves
        # the label takes part in.
        assert_allclose(given.opinions[row], judge(changed).opinions[row], atol=0.05)


@pytest.mark.parametrize(("count", "times"), [(2, 3), (40, 3), (5_000, 3), (5_001, 1)])
def test_few_labels_are_parted_into_folds_in_several_ways(count: int, times: int) -> None:
    labels = np.arange(count) % 2
    partitions = partitions_of(labels, 7)
    assert len(partitions) == times
    assert_array_equal(partitions[0], folds_of(labels, 7))
    for one, again in zip(partitions, partitions_of(labels, 7), strict=True):
        assert_array_equal(one, again)
        assert len(np.unique(one)) >= 2
    if count >= 40 and times > 1:
        assert (partitions[1] != partitions[0]).any()
        assert (partitions[2] != partitions[1]).any()


def test_what_partitions_say_is_their_mean() -> None:
    x, truth = clusters(4, 200, seed=5, apart=2.5)
    labels = spoiled(truth, 0.2, 4, 5)
    partitions = [folds_of(labels, one) for one in (0, 1)]
    together = judge_labels(x, labels, classes=4, seed=0, partitions=partitions)
    apart = [judge_labels(x, labels, classes=4, seed=0, partitions=[one]) for one in partitions]
    mean = np.mean([one.probabilities for one in apart], axis=0)
    # A search that begins where another ended ends there within what it is called the same.
    assert_allclose(together.probabilities, mean, atol=0.02)
    assert abs(apart[0].probabilities - apart[1].probabilities).max() > 0.05


def test_progress_counts_the_folds_of_all_partitions() -> None:
    x, truth = clusters(3, 30, seed=1, apart=3.0)
    seen: list[tuple[int, int]] = []
    judge_labels(x, truth, classes=3, seed=0, progress=lambda *one: seen.append(one))
    assert [one for one, _ in seen] == sorted(one for one, _ in seen)
    assert seen[-1] == (15, 15)
    assert {total for _, total in seen} == {15}


def test_the_names_of_the_classes_do_not_matter() -> None:
    x, truth = clusters(5, 400, seed=3, apart=4.0)
    labels = spoiled(truth, 0.2, 5, 3)
    renamed = np.array([3, 0, 4, 1, 2])
    fold = folds_of(labels, 0)
    found = judge_labels(x, labels, classes=5, seed=0, partitions=[fold])
    other = judge_labels(x, renamed[labels], classes=5, seed=0, partitions=[fold])
    assert_allclose(found.wrong, other.wrong, atol=5e-3)
    sure = found.wrong > 0.5
    assert_array_equal(renamed[found.other[sure]], other.other[sure])


def test_the_same_call_says_the_same() -> None:
    x, truth = clusters(3, 100, seed=1)
    labels = spoiled(truth, 0.2, 3, 1)
    found = [judge_labels(x, labels, classes=3, seed=4) for _ in range(2)]
    assert_array_equal(found[0].wrong, found[1].wrong)
    assert_array_equal(found[0].probabilities, found[1].probabilities)


def test_rare_classes_are_not_taken_for_faults_of_frequent_ones() -> None:
    random = np.random.default_rng(0)
    x, truth = clusters(6, 0, seed=7)
    centres = np.stack([x[truth == one].mean(axis=0) for one in range(6)])
    truth = np.repeat(np.arange(6), [600, 200, 60, 25, 12, 6])
    noise = random.standard_normal((len(truth), x.shape[1])) / np.sqrt(2)
    x = (centres[truth] + noise).astype(np.float32)
    labels = spoiled(truth, 0.1, 6, 0)
    found = judge_labels(x, labels, classes=6, seed=0)
    right = labels == truth
    for rare in (3, 4, 5):
        of_class = right & (truth == rare)
        assert (found.wrong[of_class] > 0.5).mean() < 0.35
    assert average_precision_score(~right, found.wrong) > 0.9


@pytest.mark.parametrize(
    ("labels", "classes"),
    [
        ([0, 1], 2),
        ([0, 1, 2, 3, 4, 5], 8),
        ([0] * 30 + [1], 2),
        ([0] * 10 + [3] * 2, 5),
        ([0, 0, 1], 3),
    ],
)
def test_few_labels_are_judged_without_a_fault(labels: list[int], classes: int) -> None:
    random = np.random.default_rng(0)
    x = random.standard_normal((len(labels), 7)).astype(np.float32)
    given = np.array(labels)
    for learner in HEADS:
        found = judge_labels(x, given, classes=classes, seed=0, learner=learner)
        assert np.isfinite(found.probabilities).all()
        assert ((found.wrong >= 0) & (found.wrong <= 1)).all()
        assert (found.other != given).all()
        assert 0 <= found.noise.low <= found.noise.rate <= found.noise.high <= 1


def test_identical_images_are_judged_without_a_fault() -> None:
    found = judge_labels(np.ones((40, 5), np.float32), np.arange(40) % 2, classes=2, seed=0)
    assert np.isfinite(found.wrong).all()


def test_only_what_is_learned_from_has_a_say() -> None:
    x, truth = clusters(3, 200, seed=9, apart=3.0)
    labels = spoiled(truth, 0.1, 3, 9)
    kept, fold = np.arange(0, len(labels), 2), folds_of(labels, 0)
    changed = labels.copy()
    changed[1::2] = (changed[1::2] + 1) % 3
    found = [
        judge_labels(x, some, classes=3, seed=0, trained_on=kept, partitions=[fold])
        for some in (labels, changed)
    ]
    assert_array_equal(found[0].opinions, found[1].opinions)
    # Those that were put wrong are found out by the others.
    assert found[1].wrong[1::2].mean() > 0.8


def test_the_accuracy_is_that_on_images_apart() -> None:
    x, truth = clusters(4, 400, seed=4)
    labels = spoiled(truth, 0.2, 4, 4)
    found = judge_labels(
        x[:300], labels[:300], classes=4, seed=0, evaluation=x[300:], evaluation_labels=truth[300:]
    )
    assert found.accuracy is not None
    assert found.accuracy > 0.95
    assert judge_labels(x, labels, classes=4, seed=0).accuracy is None


@pytest.mark.parametrize("known", [True, False])
def test_after_a_review_the_noise_that_is_left_is_still_found(known: bool) -> None:
    x, truth = clusters(5, 900, seed=3, apart=3.0)
    labels = spoiled(truth, 0.3, 5, 3)
    first = judge_labels(x, labels, classes=5, seed=0)
    settled = np.zeros(len(labels), dtype=np.bool_)
    settled[np.argsort(-first.worth)[:150]] = True
    reviewed = np.where(settled, truth, labels)
    before = labels if known else None
    again = judge_labels(x, reviewed, classes=5, seed=0, settled=settled, before=before)
    left = float((labels != truth)[~settled].mean())

    def said(found: Judgement) -> float:
        return abs(float(found.wrong[~settled].mean()) - left)

    # What a review has put right tells of the ways in which labels went wrong, if it is known.
    if known:
        careless = judge_labels(x, reviewed, classes=5, seed=0)
        assert said(again) < said(careless)
        assert said(again) < 0.06
        fixed = (again.other == truth)[suggestions(again, 0.5, settled)].mean()
        assert fixed > 0.8
    # Nothing that was reviewed counts as wrong, or as difficult.
    noise, differs = again.noise, again.opinions.argmax(axis=1) != reviewed
    assert noise.rate == pytest.approx(again.wrong[~settled].sum() / len(labels), abs=1e-5)
    hard = max(0.0, differs[~settled].sum() / len(labels) - noise.rate)
    assert differs[settled].any()
    assert noise.high == pytest.approx(2 * noise.rate - noise.low + 0.45 * hard)


def test_where_everything_was_reviewed_no_noise_is_left() -> None:
    # Overlapping classes, so that opinions contradict many labels that reviewers have settled.
    x, truth = clusters(5, 300, seed=3, apart=2.0)
    settled = np.ones(len(truth), dtype=np.bool_)
    found = judge_labels(
        x, truth, classes=5, seed=0, settled=settled, before=spoiled(truth, 0.2, 5, 3)
    )
    assert (found.opinions.argmax(axis=1) != truth).any()
    assert found.noise == NoiseRate(0.0, 0.0, 0.0)


def judged(wrong: list[float], right: list[float]) -> Judgement:
    """Of two classes, all labeled 0."""
    table = np.array([[1 - w, r, w - r] for w, r in zip(wrong, right, strict=True)], np.float32)
    x, truth = clusters(3, 10, seed=0)
    some = judge_labels(x, truth, classes=3, seed=0)
    return Judgement(
        table, table, np.array(wrong, np.float32), np.ones(len(wrong), np.int64), some.noise, None,
        some.trust,
    )  # fmt: skip


def test_suggestions_stop_where_too_few_would_be_right() -> None:
    found = judged([0.9, 0.2, 0.6, 0.95, 0.49], [0.9, 0.2, 0.3, 0.5, 0.49])
    assert_array_equal(suggestions(found, 0.5), [0, 3, 2])
    assert_array_equal(suggestions(found, 0.8), [0, 3])
    assert len(suggestions(found, 0.99)) == 0
    settled = np.array([True, False, False, False, False])
    assert_array_equal(suggestions(found, 0.5, settled), [3, 2])


def test_the_gaussians_are_those_of_the_library() -> None:
    x, truth = clusters(3, 3000, seed=6, apart=2.0, wide=5)
    found = gaussians(x, one_hot(truth, 3), x)
    wanted = LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.3).fit(x, truth)
    # The library scales features before it shrinks, which hardly matters where all are alike.
    assert (found.argmax(axis=1) == wanted.predict(x)).mean() > 0.99
    assert_allclose(np.exp(found), wanted.predict_proba(x), atol=0.06)


def test_neighbours_vote_but_never_on_themselves() -> None:
    x = np.array([[1, 0], [1, 0.01], [1, 0.02], [-1, 0], [-1, 0.01], [-1, 0.02]], np.float32)
    labels = np.array([0, 0, 1, 1, 1, 1])
    rows = np.arange(6)
    found = neighbours(x, labels, rows, rows, classes=2)
    assert found[2].argmax() == 0
    assert (found[3:].argmax(axis=1) == 1).all()
    changed = labels.copy()
    changed[3] = 0
    again = neighbours(x, changed, rows, rows, classes=2)
    assert_array_equal(found[3], again[3])


def test_the_ways_of_mislabeling_are_learned() -> None:
    random = np.random.default_rng(0)
    truth = random.integers(0, 3, 4000)
    transition = np.array([[0.7, 0.3, 0.0], [0.0, 1.0, 0.0], [0.0, 0.1, 0.9]])
    labels = np.array([random.choice(3, p=transition[one]) for one in truth])
    told = np.where(random.random(4000) < 0.98, truth, random.integers(0, 3, 4000))
    opinion = np.log(np.full((4000, 3), 0.01) + 0.97 * np.eye(3)[told])
    model = NoiseModel.fit([opinion], labels)
    assert_allclose(model.transition, transition, atol=0.05)
    assert_allclose(np.exp(model.posterior([opinion], labels)).sum(axis=1), 1)


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"learner": "best"}, "known: ce, sop_plus, dividemix"),
        ({"embeddings": np.zeros((3, 2), np.float32)}, "one row each"),
        ({"embeddings": np.full((6, 2), np.nan, np.float32)}, "not finite"),
    ],
)
def test_what_cannot_be_judged_is_named(change: dict[str, Any], fault: str) -> None:
    embeddings = change.pop("embeddings", np.zeros((6, 2), np.float32))
    with pytest.raises(ModelError, match=fault):
        judge_labels(embeddings, np.arange(6) % 2, classes=2, seed=0, **change)


@pytest.mark.parametrize("name", ["auto", "patch_kmeans"])
def test_wrong_digits_are_found_by_features_of_their_own_pool(
    name: str, digit_store: Any, digit_labels: NDArray[np.int64], tmp_path: Any
) -> None:
    rows = np.random.default_rng(0).permutation(len(digit_labels))[:250]
    truth = digit_labels[rows]
    labels = spoiled(truth, 0.2, 10, 0)
    assert_array_equal(digit_store.take(rows)[3:7], digit_store[rows[3:7]])
    out = tmp_path / "features.npy"
    embed_rows(digit_store, rows, name, {"flip": False}, seed=0, out=out)
    features = chosen_features(
        np.load(out), labels, name, classes=10, image_size=digit_store.size, seed=0
    )
    found = judge_labels(features.embeddings, labels, classes=10, seed=0)
    wrong = labels != truth
    picked = suggestions(found, 0.5)
    assert wrong[picked].mean() > 0.85
    assert wrong[picked].sum() > 0.8 * wrong.sum()
