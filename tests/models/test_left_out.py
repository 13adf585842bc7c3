"""How well a purity tells verdicts apart that it has not learned from."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.metrics import roc_auc_score

from models.evaluation.ood_detection import Telling, telling
from models.heads.head import Scaling, fit_head
from models.protocols import OOD, Indices, TargetModel
from models.rounds.left_out import tells_apart
from models.rounds.query import QuerySettings
from models.target.trained import HeadModel
from tests.models.open_set import said

WIDTH = 64


def judged(
    apart: float,
    purity: str,
    *,
    count: int = 90,
    seed: int = 0,
    is_ood: Sequence[bool] = (True, False, False),
    ood_class: bool = True,
    learns: bool = True,
) -> Telling | None:
    """Judge a purity on two classes and OOD, from which both lie apart."""
    rng = np.random.default_rng(seed)
    labels = np.where(np.resize(is_ood, count), OOD, np.arange(count) % 2)
    rows = rng.standard_normal((count, WIDTH)).astype(np.float32)
    rows[labels != OOD, 0] += apart
    # The verdicts are some of the pool.
    pool = np.zeros((7 * count, WIDTH), dtype=np.float32)
    pool[::7] = rows
    store: Any = None

    def learn(indices: Indices) -> TargetModel:
        known = labels[indices // 7]
        used = np.flatnonzero((known != OOD) | ood_class)
        head = fit_head(
            pool[indices[used]], said(known[used]).outputs(2),
            classes=2, l2=0.1, scaling=Scaling.fit(rows),
        )  # fmt: skip
        return HeadModel(head, pool, store, "auto", {})

    model = learn(7 * np.arange(count))
    verdicts = model.infer(7 * np.arange(count))
    return tells_apart(
        model, 7 * np.arange(count), said(labels), verdicts, QuerySettings(purity=purity),
        seed=0, learn=learn if learns else None,
    )  # fmt: skip


@pytest.mark.parametrize("ood_class", [False, True])
@pytest.mark.parametrize(
    "purity", ["probe", "knn", "mahalanobis", "msp", "energy", "react", "odin", "k_plus_1"]
)
def test_what_was_learned_from_is_not_told_apart_for_that(purity: str, ood_class: bool) -> None:
    noise = []
    for seed in range(5):
        found = judged(0.0, purity, seed=seed, ood_class=ood_class)
        assert found is not None
        noise.append(found.auroc)
    # Verdicts that were learned from would be told apart nearly without a fault.
    assert 0.35 < np.mean(noise) < 0.65


@pytest.mark.parametrize("purity", ["probe", "knn", "mahalanobis", "k_plus_1"])
def test_what_lies_apart_is_told(purity: str) -> None:
    clear = judged(8.0, purity)
    assert clear is not None
    assert clear.auroc > 0.9
    assert (clear.inside, clear.ood) == (60, 30)


def test_too_little_says_nothing() -> None:
    assert judged(8.0, "probe", count=19) is None
    assert judged(8.0, "knn", is_ood=[False]) is None
    # All models that there are have learned from what would be asked about.
    assert judged(8.0, "msp", learns=False) is None
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
