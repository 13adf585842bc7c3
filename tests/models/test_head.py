import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression

from models.heads.head import Scaling, fit_head
from models.heads.search import HeadSearch
from models.numerics.probability import softmax

DIGITS = load_digits()
PIXELS = DIGITS.data.astype(np.float32)
LABELS = DIGITS.target.astype(np.int64)


@pytest.mark.parametrize("l2", [0.05, 0.3, 3.0])
def test_equals_scikit_learn(l2: float) -> None:
    scaling = Scaling.fit(PIXELS)
    head = fit_head(PIXELS[:300], LABELS[:300], classes=10, l2=l2, scaling=scaling)
    reference = LogisticRegression(C=1 / l2, tol=1e-9, max_iter=5000)
    reference.fit(scaling.apply(PIXELS[:300]).astype(float), LABELS[:300])
    expected = reference.predict_proba(scaling.apply(PIXELS[300:]).astype(float))
    assert_allclose(softmax(head.logits(PIXELS[300:])), expected, atol=2e-3)


def test_scaling_gives_mean_zero_and_unit_squared_norm() -> None:
    scaled = Scaling.fit(PIXELS).apply(PIXELS)
    assert_allclose(scaled.mean(axis=0), 0, atol=1e-5)
    assert_allclose((scaled**2).sum(axis=1).mean(), 1, rtol=1e-4)
    assert Scaling.fit(np.ones((3, 4), np.float32)).scale == 1


def test_the_unit_of_the_embeddings_does_not_matter() -> None:
    def logits(unit: float) -> NDArray[np.float32]:
        x = PIXELS * np.float32(unit)
        return fit_head(x[:100], LABELS[:100], classes=10, l2=0.3, scaling=Scaling.fit(x)).logits(x)

    assert_allclose(logits(1), logits(1000), atol=0.02)


def test_a_class_without_examples_is_unlikely_but_possible() -> None:
    some = np.flatnonzero(LABELS < 3)[:90]
    head = fit_head(PIXELS[some], LABELS[some], classes=5, l2=0.3, scaling=Scaling.fit(PIXELS))
    probabilities = softmax(head.logits(PIXELS[:50]))
    assert_allclose(probabilities[:, 3:], 1 / (91 + 2), rtol=1e-4)


@pytest.mark.parametrize("count", [1, 4])
def test_a_single_class_is_predicted(count: int) -> None:
    labels = np.full(count, 2)
    head = fit_head(PIXELS[:count], labels, classes=3, l2=0.3, scaling=Scaling.fit(PIXELS))
    assert_array_equal(head.logits(PIXELS[:9]).argmax(axis=1), np.full(9, 2))


@pytest.mark.parametrize("rows", [40, 400])
def test_where_a_search_begins_changes_nothing_of_what_it_finds(rows: int) -> None:
    """With fewer rows than features, and with more."""
    x = Scaling.fit(PIXELS).apply(PIXELS[:rows])
    wanted = np.eye(10)[LABELS[:rows]]
    rng = np.random.default_rng(0)
    search = HeadSearch(x)
    for weights in (np.ones(rows), rng.random(rows), rng.random(rows)):
        there = search.minimise(wanted * weights[:, None], 1.0, 200)
        anew = HeadSearch(x).minimise(wanted * weights[:, None], 1.0, 200)
        for found, expected in zip(there, anew, strict=True):
            assert_allclose(found, expected, atol=1e-3 * np.abs(anew[0]).max())
    # Of other classes, and under another penalty, it begins anew.
    for classes, l2 in ((2, 1.0), (2, 0.1), (10, 0.1), (10, 1.0)):
        some = np.eye(classes)[LABELS[:rows] % classes]
        again, _ = search.minimise(some, l2, 200)
        expected, _ = HeadSearch(x).minimise(some, l2, 200)
        assert_array_equal(again, expected)
