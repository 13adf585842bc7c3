"""How well a purity tells verdicts apart that it has not learned from."""

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.metrics import roc_auc_score

from models.evaluation.ood_detection import telling
from models.protocols import OOD, Outputs
from models.rounds.left_out import tells_apart
from models.rounds.query import QuerySettings
from tests.models.open_set import said

WIDTH = 12


class Model:
    """Outputs that are given; what the purities of this test ask of a frozen model."""

    classes = 2

    def linear_head(self) -> None:
        return None


def judged(apart: float, count: int = 90, settings: QuerySettings | None = None, **of: Any) -> Any:
    rng = np.random.default_rng(of.get("seed", 0))
    labels = np.where(np.arange(count) % 3 == 0, OOD, np.arange(count) % 2)
    rows = rng.standard_normal((count, WIDTH)).astype(np.float32)
    rows[labels != OOD, 0] += apart
    verdicts = Outputs(np.zeros((count, 2), dtype=np.float32), rows)
    model: Any = Model()
    return tells_apart(
        model, 7 * np.arange(count), said(labels), verdicts, settings or QuerySettings(), seed=0
    )


@pytest.mark.parametrize("purity", ["probe", "knn", "mahalanobis"])
def test_what_lies_apart_is_told_and_noise_is_not(purity: str) -> None:
    settings = QuerySettings(purity=purity)
    clear = judged(8.0, settings=settings)
    assert clear.auroc > 0.9
    assert (clear.inside, clear.ood) == (60, 30)
    noise = [judged(0.0, settings=settings, seed=seed).auroc for seed in range(5)]
    # Verdicts that were learned from would be told apart nearly without a fault.
    assert 0.35 < np.mean(noise) < 0.65


def test_too_little_says_nothing() -> None:
    assert judged(8.0, count=19) is None
    rows = np.zeros((30, WIDTH), dtype=np.float32)
    model: Any = Model()
    verdicts = Outputs(np.zeros((30, 2), dtype=np.float32), rows)
    found = tells_apart(model, np.arange(30), said([0] * 30), verdicts, QuerySettings(), seed=0)
    assert found is None
    assert telling(np.arange(4.0), np.ones(4, dtype=bool)) is None


@pytest.mark.parametrize(("inside", "ood"), [(5, 5), (40, 20), (300, 30)])
def test_the_error_is_that_of_draws(inside: int, ood: int) -> None:
    rng = np.random.default_rng(0)
    found = []
    for _ in range(200):
        score = np.concatenate([rng.normal(1.0, 1, inside), rng.normal(0, 1, ood)])
        kind = np.arange(inside + ood) < inside
        one = telling(score, kind)
        assert one is not None
        assert_allclose(one.auroc, roc_auc_score(kind, score))
        assert 0 <= one.average_precision <= 1
        found.append((one.auroc, one.error))
    aurocs, errors = np.array(found).T
    assert_allclose(np.mean(errors), aurocs.std(), rtol=0.35)
    perfect = telling(np.arange(10.0), np.arange(10) >= 5)
    assert perfect is not None
    assert perfect.error > 0
