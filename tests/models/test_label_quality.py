"""cleanlab's judgement of labels, and the consensus of annotators."""

import numpy as np
import pytest
from cleanlab.filter import find_label_issues
from cleanlab.multiannotator import get_label_quality_multiannotator
from cleanlab.rank import get_label_quality_scores
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold

from models.errors import ModelError
from models.heads.head import Scaling
from models.media.images.store import PixelStore
from models.relabeling.consensus import consensus_quality
from models.relabeling.second_opinion import judge, out_of_sample, second_opinion
from tests.models.relabeling_cases import noisy


def test_wrong_labels_are_found_without_having_shaped_the_features(
    digit_store: PixelStore, digit_labels: NDArray[np.int64]
) -> None:
    case, steps = noisy(digit_labels, count=300), []
    pool = PixelStore.open(digit_store.path, digit_store.size, 300)
    found = second_opinion(
        pool, case.indices, case.labels, classes=10, seed=0,
        progress=lambda step, total: steps.append((step, total)),
    )  # fmt: skip
    assert found.quality.dtype == np.float32
    assert (found.quality >= 0).all()
    assert (found.quality <= 1).all()
    assert roc_auc_score(case.wrong, -found.quality) > 0.95
    assert found.issue[case.wrong].mean() > 0.7
    assert found.issue[~case.wrong].mean() < 0.1
    assert (5, 5) in steps
    few = noisy(digit_labels, count=60)
    first, again = (
        second_opinion(
            PixelStore.open(digit_store.path, digit_store.size, 60), few.indices, few.labels,
            classes=10, seed=0,
        )
        for _ in range(2)
    )  # fmt: skip
    assert_array_equal(first.probabilities, again.probabilities)


def test_probabilities_are_those_of_heads_that_have_not_seen_the_fold() -> None:
    random = np.random.default_rng(0)
    labels = random.integers(0, 3, 90)
    embeddings = (np.eye(3)[labels] @ random.standard_normal((3, 5))).astype(np.float32)
    embeddings += random.standard_normal((90, 5)).astype(np.float32)
    found = out_of_sample(embeddings, labels, classes=3, seed=4)
    scaled = Scaling.fit(embeddings).apply(embeddings)
    splitter = StratifiedKFold(5, shuffle=True, random_state=4)
    for rest, fold in splitter.split(embeddings, labels):
        reference = LogisticRegression(C=1 / 0.1, max_iter=1000, tol=1e-8)
        wanted = reference.fit(scaled[rest], labels[rest]).predict_proba(scaled[fold])
        assert_allclose(found[fold], wanted, atol=1e-3)


def test_a_class_that_is_missing_or_rare_is_no_trouble() -> None:
    random = np.random.default_rng(0)
    labels = np.array([0] * 20 + [1] * 20 + [3] * 2)
    embeddings = random.standard_normal((42, 4)).astype(np.float32)
    probabilities = out_of_sample(embeddings, labels, classes=5, seed=0)
    assert_allclose(probabilities.sum(axis=1), 1, atol=1e-5)
    found = judge(labels, probabilities)
    assert found.quality.shape == found.issue.shape == (42,)
    assert np.isfinite(found.quality).all()


def test_the_judgement_is_that_of_the_library() -> None:
    random = np.random.default_rng(0)
    probabilities = random.dirichlet(np.ones(4) / 2, 200).astype(np.float32)
    labels = probabilities.argmax(axis=1)
    labels[:30] = (labels[:30] + 1) % 4
    found = judge(labels, probabilities)
    wanted = get_label_quality_scores(labels, probabilities, method="normalized_margin")
    assert_allclose(found.quality, wanted, rtol=1e-6)
    assert_array_equal(found.issue, find_label_issues(labels, probabilities, n_jobs=1))
    assert found.issue[:30].mean() > 0.5


def votes_of(random: np.random.Generator, truth: NDArray[np.int64]) -> NDArray[np.float64]:
    """Three annotators who are right in 95 %, 85 % and 50 %, and one who labels nothing."""
    votes = np.full((len(truth), 4), np.nan)
    for annotator, skill in enumerate((0.95, 0.85, 0.5)):
        wrong = random.random(len(truth)) > skill
        column = annotator + (annotator == 2)
        votes[:, column] = np.where(wrong, (truth + random.integers(1, 3, len(truth))) % 3, truth)
    votes[random.random(votes.shape) < 0.3] = np.nan
    votes[np.isnan(votes).all(axis=1), 0] = 0
    return votes


def test_a_good_annotator_outweighs_a_bad_one() -> None:
    random = np.random.default_rng(0)
    truth = random.integers(0, 3, 300)
    votes = votes_of(random, truth)
    logits = 2 * np.eye(3)[truth] + random.standard_normal((300, 3))
    probabilities = (np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)).astype("f")
    found = consensus_quality(votes, probabilities)
    assert found.labels.dtype == np.int64
    right = found.labels == truth
    single = np.array([row[~np.isnan(row)][0] for row in votes]) == truth
    assert right.mean() > single.mean() + 0.05
    assert roc_auc_score(right, found.quality) > 0.75
    first, second, absent, worst = found.annotators
    assert first > second > worst
    assert np.isnan(absent)
    table = get_label_quality_multiannotator(votes[:, [0, 1, 3]], probabilities, verbose=False)
    assert_allclose(found.quality, table["label_quality"]["consensus_quality_score"])


@pytest.mark.parametrize(
    ("votes", "fault"),
    [
        ([[0, np.nan], [np.nan, np.nan]], "takes two annotators"),
        ([[0, 1], [np.nan, np.nan]], "1 examples have no vote .*position 1"),
        ([[0, 1], [2, 1]], r"classes 0\.\.1"),
        ([[0, 1], [0.5, 1]], r"classes 0\.\.1"),
        ([[0, 1], [-1, 1]], r"classes 0\.\.1"),
        ([[0, 1]], "one row each"),
    ],
)
def test_votes_that_make_no_consensus_are_refused(votes: list[list[float]], fault: str) -> None:
    with pytest.raises(ModelError, match=fault):
        consensus_quality(np.array(votes), np.full((2, 2), 0.5, np.float32))
