"""The ways of mislabeling: slips towards any class, and confusion of classes that look alike."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from numpy.typing import NDArray

from models.errors import ModelError
from models.numerics.probability import log_softmax
from models.relabeling.frozen import Judgement, judge_labels, suggestions
from models.relabeling.noise_model import UNKNOWN, NoiseModel, _Search
from models.relabeling.opinions import folds_of

_ALIKE = 4
_WIDE = 24


def families(
    classes: int, each: int, *, share: float, seed: int, within: float
) -> tuple[NDArray[np.float32], NDArray[np.int64], NDArray[np.int64]]:
    """Images of families of four classes: embeddings, true labels, and given ones.

    Args:
        classes: a multiple of four.
        each: images of each class.
        share: of the labels that are exchanged within the family.
        seed: of the draw.
        within: how far classes of a family lie apart; families lie apart by 6.
    """
    random = np.random.default_rng(seed)
    truth = np.repeat(np.arange(classes), each)
    family = truth // _ALIKE
    centres = (random.standard_normal((classes // _ALIKE, _WIDE)) * 6)[np.arange(classes) // _ALIKE]
    centres = (centres + random.standard_normal((classes, _WIDE)) * within) / np.sqrt(_WIDE)
    rows = centres[truth] + random.standard_normal((len(truth), _WIDE)) / np.sqrt(2)
    other = family * _ALIKE + (truth + random.integers(1, _ALIKE, len(truth))) % _ALIKE
    labels = np.where(random.random(len(truth)) < share, other, truth)
    return rows.astype(np.float32), truth, labels


def judged_once(x: NDArray[np.float32], labels: NDArray[np.int64], classes: int) -> Judgement:
    """Judge by one partition, where several, which take as many times as long, say the same."""
    return judge_labels(x, labels, classes=classes, seed=0, partitions=[folds_of(labels, 0)])


@pytest.mark.parametrize("share", [0.05, 0.2, 0.3])
@pytest.mark.parametrize(("classes", "each"), [(60, 25), (8, 100)])
def test_labels_that_are_confused_within_families_are_found(
    classes: int, each: int, share: float
) -> None:
    x, truth, labels = families(classes, each, share=share, seed=0, within=3.0)
    wrong = labels != truth
    if classes == 60:
        found = judged_once(x, labels, 60)
    else:
        found = judge_labels(x, labels, classes=classes, seed=0)
    picked = suggestions(found, 0.5)
    assert wrong[picked].mean() > 0.85
    assert np.isin(np.flatnonzero(wrong), picked).mean() > 0.75
    assert (found.other[picked] == truth[picked]).mean() > 0.8
    assert abs(found.noise.rate - wrong.mean()) < 0.04
    assert found.noise.low <= wrong.mean() <= found.noise.high


@pytest.mark.parametrize("within", [1.0, 1.5, 2.0])
def test_difficult_classes_of_a_family_are_not_taken_for_confused_labels(within: float) -> None:
    x, truth, _ = families(60, 25, share=0, seed=0, within=within)
    found = judged_once(x, truth, 60)
    # A plain classifier contradicts a tenth of the labels and more.
    assert (found.opinions.argmax(axis=1) != truth).mean() > 0.1
    assert found.noise.rate < 0.02
    assert len(suggestions(found, 0.5)) <= 0.01 * len(truth)


def test_confused_labels_of_difficult_images_are_told_as_often_as_they_are() -> None:
    x, truth, labels = families(60, 25, share=0.2, seed=1, within=2.0)
    found = judged_once(x, labels, 60)
    picked = suggestions(found, 0.5)
    said, wrong = float(found.wrong[picked].mean()), labels != truth
    assert abs(said - wrong[picked].mean()) < 0.1
    assert abs(found.noise.rate - wrong.mean()) < 0.05


@settings(max_examples=25, deadline=None)
@given(
    classes=st.integers(2, 30),
    count=st.integers(0, 200),
    sure=st.sampled_from([0.0, 1.0, 30.0, 700.0]),
    opinions=st.integers(1, 3),
    seed=st.integers(0, 1000),
)
def test_any_opinions_lead_to_probabilities(
    classes: int, count: int, sure: float, opinions: int, seed: int
) -> None:
    random = np.random.default_rng(seed)
    labels = random.integers(0, classes, count)
    tables = []
    for _ in range(opinions):
        logits = random.standard_normal((count, classes)) * sure
        tables.append(logits - np.logaddexp.reduce(logits, axis=1, keepdims=True))
    model = NoiseModel.fit(tables, labels)
    assert_allclose(model.transition.sum(axis=1), 1)
    for found in (model.believed(tables), model.posterior(tables, labels)):
        assert np.isfinite(found).all()
        assert_allclose(np.exp(found).sum(axis=1), 1)


def test_after_a_review_of_half_the_labels_the_rest_is_judged_as_truly() -> None:
    x, truth, labels = families(20, 40, share=0.2, seed=3, within=2.0)
    known = np.random.default_rng(0).random(len(labels)) < 0.5
    reviewed = np.where(known, truth, labels)
    found = judge_labels(x, reviewed, classes=20, seed=0, settled=known, before=labels)
    left = ~known
    assert abs(float(found.wrong[left].mean()) - (labels != truth)[left].mean()) < 0.04


@pytest.mark.parametrize("left", [0, 1, 20])
def test_little_that_says_how_labels_go_wrong_is_judged_without_a_fault(left: int) -> None:
    x, _, labels = families(4, 20, share=0.2, seed=1, within=2.0)
    # What is left lies in one fold: to judge that fold, there is nothing to learn it from.
    fold = np.arange(len(labels)) % 4
    some = np.flatnonzero(fold == 0)[:left]
    settled = ~np.isin(np.arange(len(labels)), some)
    found = judge_labels(x, labels, classes=4, seed=0, partitions=[fold], settled=settled)
    assert np.isfinite(found.probabilities).all()
    assert set(suggestions(found, 0.0, settled)) == set(some)
    if left > 1:
        learned = judge_labels(x, labels, classes=4, seed=0, partitions=[fold], trained_on=some)
        assert np.isfinite(learned.probabilities).all()


def told(
    classes: int, count: int, seed: int
) -> tuple[list[NDArray[np.float64]], NDArray[np.int64], NDArray[np.int64]]:
    """Opinions of different worth, labels of which a fifth is drawn anew, and true classes."""
    random = np.random.default_rng(seed)
    truth = random.integers(0, classes, count)
    labels = np.where(random.random(count) < 0.2, random.integers(0, classes, count), truth)
    sure = [random.standard_normal((count, classes)) + worth * np.eye(classes)[truth]
            for worth in (3.0, 2.0, 1.0)]  # fmt: skip
    return [log_softmax(one) for one in sure], labels, truth


@settings(max_examples=20)
@given(
    classes=st.integers(2, 6),
    count=st.integers(1, 40),
    opinions=st.integers(1, 3),
    reviewed=st.sampled_from([0.0, 0.3, 1.0]),
    seed=st.integers(0, 1000),
)
def test_slopes_are_those_of_what_is_searched(
    classes: int, count: int, opinions: int, reviewed: float, seed: int
) -> None:
    tables, labels, truth = told(classes, count, seed)
    random = np.random.default_rng(seed)
    alike = np.triu(random.uniform(-1, 1, (classes, classes)), 1)
    known = np.where(random.random(count) < reviewed, truth, UNKNOWN)
    search = _Search(np.stack(tables[:opinions]), alike + alike.T, labels, known, count)
    at = search.start + random.standard_normal(len(search.start))
    _, slopes = search.loss(at)
    step = 1e-5
    found = [
        (search.loss(at + one)[0] - search.loss(at - one)[0]) / (2 * step)
        for one in step * np.eye(len(at))
    ]
    # The prior of the trust bends at zero alone, where none is drawn.
    assert_allclose(slopes, found, atol=1e-7)


@pytest.mark.parametrize(("classes", "count"), [(2, 30), (4, 200), (10, 600), (40, 600)])
def test_the_search_ends_where_nothing_is_to_be_gained(classes: int, count: int) -> None:
    tables, labels, _ = told(classes, count, 0)
    model = NoiseModel.fit(tables, labels)
    centred = np.stack([one - one.mean(axis=1, keepdims=True) for one in tables])
    unknown = np.full_like(labels, UNKNOWN)
    search = _Search(centred, model.alike, labels, unknown, count)
    loss, slopes = search.loss(search.together(model.free))
    assert abs(slopes).max() < 1e-3
    # Begun there, it stays; begun nearby, it comes back.
    again = NoiseModel.fit(tables, labels, near=model)
    assert search.loss(search.together(again.free))[0] == pytest.approx(loss, abs=1e-6)


def test_opinions_that_are_no_numbers_are_named() -> None:
    tables, labels, _ = told(3, 30, 0)
    tables[1][4, 0] = np.nan
    with pytest.raises(ModelError, match="The opinions on labels"):
        NoiseModel.fit(tables, labels)
