import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegressionCV

from models.heads.head import Scaling, fit_head
from models.heads.penalty import FEWEST_ANSWERS, USUAL_PENALTY, choose_penalty

DIGITS = load_digits()
PIXELS = DIGITS.data.astype(np.float32)
LABELS = DIGITS.target.astype(np.int64)
SCALING = Scaling.fit(PIXELS)
LEVELS = np.array([10.0 ** (step / 2) for step in range(-6, 3)])


def chosen(x: NDArray[np.float32], labels: NDArray[np.int64], seed: int = 0) -> float:
    return choose_penalty(x, labels, classes=10, scaling=Scaling.fit(PIXELS), seed=seed)


def noisy(labels: NDArray[np.int64], share: float) -> NDArray[np.int64]:
    generator = np.random.default_rng(3)
    wrong = generator.random(len(labels)) < share
    return np.where(wrong, generator.integers(0, 10, len(labels)), labels)


@pytest.mark.parametrize("share", [0.0, 0.3, 0.7])
def test_is_a_step_at_most_from_what_scikit_learn_chooses(share: float) -> None:
    x, labels = PIXELS[:600], noisy(LABELS[:600], share)
    reference = LogisticRegressionCV(
        Cs=1 / LEVELS, cv=3, scoring="neg_log_loss", max_iter=2000, use_legacy_attributes=False,
        l1_ratios=(0,),
    ).fit(SCALING.apply(x).astype(float), labels)  # fmt: skip
    steps = 2 * np.log10(chosen(x, labels) * float(reference.C_))
    assert abs(steps) < 1.01


def test_wrong_labels_want_a_stronger_penalty() -> None:
    clean, wrong = (chosen(PIXELS[:600], noisy(LABELS[:600], share)) for share in (0, 0.7))
    assert wrong >= 10 * clean


def test_helps_where_the_usual_penalty_is_far_off() -> None:
    few, rest = slice(0, 40), slice(40, None)

    def accuracy(l2: float) -> float:
        head = fit_head(PIXELS[few], LABELS[few], classes=10, l2=l2, scaling=SCALING)
        return float((head.logits(PIXELS[rest]).argmax(axis=1) == LABELS[rest]).mean())

    assert accuracy(chosen(PIXELS[few], LABELS[few])) > accuracy(1.0) + 0.02


def test_the_same_seed_chooses_the_same() -> None:
    assert chosen(PIXELS[:60], LABELS[:60], 1) == chosen(PIXELS[:60], LABELS[:60], 1)


@pytest.mark.parametrize("labels", [LABELS[: FEWEST_ANSWERS - 1], np.full(100, 4)])
def test_too_few_answers_or_one_class_leave_the_usual(labels: NDArray[np.int64]) -> None:
    assert chosen(PIXELS[: len(labels)], labels) == USUAL_PENALTY


@pytest.mark.parametrize("every", [2, 90])
def test_ood_answers_count_as_a_class_even_when_a_fold_lacks_them(every: int) -> None:
    labels = LABELS[:180].copy()
    labels[::every] = 10
    assert 1e-3 <= chosen(PIXELS[:180], labels) <= 10


@pytest.mark.parametrize("count", [1, 2, 3])
def test_so_few_answers_of_a_class_that_a_fold_has_none(count: int) -> None:
    """Where nothing but OOD was seen, nothing tells the classes apart, and nothing breaks."""
    is_ood = np.arange(60) >= count
    for classes, seed in ((1, 0), (1, 1), (4, 2)):
        labels = np.where(is_ood, classes, 0)
        found = choose_penalty(PIXELS[:60], labels, classes=classes, scaling=SCALING, seed=seed)
        assert 1e-3 <= found <= 10
    head = fit_head(PIXELS[5:60], np.full(55, 2), classes=2, l2=0.1, scaling=SCALING)
    np.testing.assert_array_equal(head.logits(PIXELS[:5]), np.zeros((5, 2)))
