"""Methods that look at the course of a training, against literal transcriptions."""

import math
from statistics import fmean, stdev

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import beta, kstest

from models.numerics.probability import softmax
from models.pruning.course import label_margins, label_probabilities
from models.pruning.run import prune
from models.pruning.view import PruningView

EPOCHS, COUNT, CLASSES = 10, 300, 4


@pytest.fixture(scope="module")
def course() -> tuple[PruningView, np.ndarray]:
    """A training that learns most labels, and what it says of all (E, N, C)."""
    rng = np.random.default_rng(5)
    truth = rng.integers(0, CLASSES, COUNT)
    labels = np.where(rng.random(COUNT) < 0.3, rng.integers(0, CLASSES, COUNT), truth)
    ease = rng.gamma(2, 1, COUNT)
    logits = np.stack(
        [
            np.eye(CLASSES)[truth] * (ease * (1 + epoch) / 2)[:, None]
            + rng.standard_normal((COUNT, CLASSES))
            for epoch in range(EPOCHS)
        ]
    ).astype(np.float32)
    view = PruningView(
        labels,
        CLASSES,
        label_probabilities=np.stack([label_probabilities(one, labels) for one in logits]),
        margins=np.stack([label_margins(one, labels) for one in logits]),
    )
    return view, logits


def areas(view: PruningView, logits: np.ndarray) -> list[float]:
    """Equation 1 of Pleiss et al., one example after the other."""
    return [
        fmean(
            float(said[one][label]) - max(float(v) for c, v in enumerate(said[one]) if c != label)
            for said in logits
        )
        for one, label in enumerate(view.labels.tolist())
    ]


@pytest.mark.parametrize("window", [2, 5, 10, 40])
def test_dual_is_difficulty_times_uncertainty(
    course: tuple[PruningView, np.ndarray], window: int
) -> None:
    view, logits = course
    pruned = prune("dual", view, 50, {"window": window, "sampled": False})
    width = min(window, EPOCHS)
    expected = []
    for one, label in enumerate(view.labels.tolist()):
        p = [float(softmax(said[one : one + 1])[0, label]) for said in logits]
        windows = [p[start : start + width] for start in range(EPOCHS - width + 1)]
        expected.append(fmean(stdev(part) * (1 - fmean(part)) for part in windows))
    assert_allclose(pruned.reasons["score"], expected, rtol=1e-4)
    assert_array_equal(pruned.order, np.argsort(-pruned.reasons["score"], kind="stable")[:50])


@pytest.mark.parametrize("n", [30, 240])
def test_dual_draws_by_score_times_the_density(
    course: tuple[PruningView, np.ndarray], n: int
) -> None:
    """First draws have exactly the published weights; so have all, as of the rest, later ones."""
    view, _ = course
    pruned = prune("dual", view, n)
    score, mean = pruned.reasons["score"], pruned.reasons["mean_probability"]
    hardest = sorted(range(COUNT), key=lambda one: score[one])[-10:]
    b = 15 * (1 - fmean(mean[one] for one in hardest)) * (1 - (1 - n / COUNT) ** 5.5)
    weight = np.array([s * beta.pdf(m, 16 - b, b) for s, m in zip(score, mean, strict=True)])
    # By their share of all weight below them, first draws are uniform.
    ends = np.cumsum(weight / weight.sum())
    first = [int(prune("dual", _seeded(view, seed), n).order[0]) for seed in range(200)]
    jitter = np.random.default_rng(0).random(200)
    places = [
        ends[one] - weight[one] / weight.sum() * u for one, u in zip(first, jitter, strict=True)
    ]
    assert kstest(places, "uniform").pvalue > 0.01


def _seeded(view: PruningView, seed: int) -> PruningView:
    return PruningView(
        view.labels, view.classes, seed, label_probabilities=view.label_probabilities
    )


@pytest.mark.parametrize(("n", "cutoff"), [(60, 0.0), (60, 0.4), (150, None), (290, 0.9)])
def test_coverage_takes_equal_shares_of_what_is_not_cut_off(
    course: tuple[PruningView, np.ndarray], n: int, cutoff: float | None
) -> None:
    view, logits = course
    area = areas(view, logits)
    pruned = prune("ccs", view, n, {"cutoff": cutoff, "strata": 8})
    assert_allclose(pruned.reasons["mean_margin"], area, rtol=1e-4, atol=1e-5)
    hardest = sum(one < 0 for one in area) if cutoff is None else int(cutoff * COUNT)
    dropped = min(hardest, COUNT - n)
    assert pruned.extras["cutoff"] == pytest.approx(dropped / COUNT)
    left = sorted(range(COUNT), key=lambda one: area[one])[dropped:]
    assert set(pruned.order.tolist()) <= set(left)
    low, high = area[left[0]], area[left[-1]]
    strata: list[list[int]] = [[] for _ in range(8)]
    for one in left:
        strata[min(7, math.floor((area[one] - low) / (high - low) * 8))].append(one)
    # Algorithm 1: the budget is divided among the strata that are left, the smallest first.
    budget, shares = n, []
    waiting = sorted(strata, key=len)
    while waiting:
        stratum = waiting.pop(0)
        shares.append((stratum, min(len(stratum), budget // (len(waiting) + 1))))
        budget -= shares[-1][1]
    kept = set(pruned.order.tolist())
    for stratum, share_of in shares:
        assert len(kept & set(stratum)) == pytest.approx(share_of, abs=1)
    assert len(kept) == n


@pytest.mark.parametrize("doubted", [28, 29, 57])
def test_every_label_that_the_warm_up_does_not_believe_is_cut_off(doubted: int) -> None:
    """Also where its share of all, times all, is a little less in floating point."""
    margins = np.where(np.arange(100) < doubted, -1, 1) * np.linspace(1, 2, 100, dtype=np.float32)
    view = PruningView(np.zeros(100, dtype=np.int64), 2, margins=margins[None])
    assert prune("ccs", view, 100 - doubted).order.min() == doubted
