"""How much OOD is left, on simulated pools whose truth is known."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import binomtest

from models.numerics.probability import sigmoid
from models.rounds.pool_estimate import feature, ood_left_by_purity, ood_left_by_random


def simulated(seed: int, size: int = 3000) -> tuple[np.ndarray, np.ndarray]:
    """Purity, and which are in-distribution: P(IN) = sigmoid(2 purity + 0.5)."""
    rng = np.random.default_rng(seed)
    purity = rng.standard_normal(size)
    return purity, rng.random(size) < sigmoid(2 * purity + 0.5)


@pytest.mark.parametrize("chosen", ["at random", "purest first"])
def test_interval_of_calibrated_purity_holds_the_truth(chosen: str) -> None:
    """Where P(IN | purity) of the asked is that of the pool, whichever purities were asked."""
    hits, errors = 0, []
    for seed in range(200):
        purity, inside = simulated(seed)
        rng = np.random.default_rng(1000 + seed)
        weight = np.ones(3000) if chosen == "at random" else np.exp(1.5 * purity)
        asked = rng.choice(3000, 150, replace=False, p=weight / weight.sum())
        rest = np.setdiff1d(np.arange(3000), asked)
        found = ood_left_by_purity(purity[rest], purity[asked], inside[asked])
        assert found is not None
        truth = int((~inside[rest]).sum())
        hits += found.low <= truth <= found.high
        errors.append(found.count / truth - 1)
        assert 0 <= found.low <= found.count <= found.high <= len(rest)
    # Platt's targets pull towards one half, which costs a little coverage where OOD is rare.
    assert hits / 200 > 0.85
    assert abs(float(np.median(errors))) < 0.1


def test_a_choice_by_more_than_purity_misleads_purity_and_not_the_random_round() -> None:
    rng = np.random.default_rng(0)
    purity, inside = simulated(0, 20_000)
    # Asked are those that are OOD more often than others of their purity.
    weight = np.where(inside, 1.0, 5.0)
    asked = rng.choice(20_000, 400, replace=False, p=weight / weight.sum())
    rest = np.setdiff1d(np.arange(20_000), asked)
    truth = int((~inside[rest]).sum())
    misled = ood_left_by_purity(purity[rest], purity[asked], inside[asked])
    drawn = rng.choice(20_000, 400, replace=False)
    honest = ood_left_by_random(
        int(inside[drawn].sum()), int((~inside[drawn]).sum()),
        unlabeled=len(rest), later_inside=0, later_ood=0,
    )  # fmt: skip
    assert misled is not None
    assert honest is not None
    assert misled.low > truth
    assert honest.low <= truth <= honest.high


def test_random_round_uses_wilson_and_what_was_found_since() -> None:
    found = ood_left_by_random(30, 70, unlabeled=800, later_inside=150, later_ood=50)
    interval = binomtest(70, 100).proportion_ci(method="wilson")
    assert found is not None
    assert_allclose(
        [found.count, found.low, found.high],
        [0.7 * 1000 - 50, interval.low * 1000 - 50, interval.high * 1000 - 50],
        rtol=1e-6,
    )
    # Of what came later all may be OOD, or none.
    grown = ood_left_by_random(
        30, 70, unlabeled=800, later_inside=150, later_ood=50, came=500
    )  # fmt: skip
    assert grown is not None
    assert_allclose(
        [grown.count, grown.low, grown.high],
        [found.count + 350, found.low, found.high + 500],
    )
    # There cannot be more than there are images, nor less than none.
    nearly = ood_left_by_random(0, 10, unlabeled=5, later_inside=0, later_ood=500)
    assert nearly is not None
    assert_allclose(nearly.high, 5)
    assert nearly.high <= 5
    over = ood_left_by_random(10, 0, unlabeled=5, later_inside=0, later_ood=500)
    assert over is not None
    assert over.low == over.count == over.high == 0


def test_nothing_is_claimed_without_answers_of_both_kinds() -> None:
    purity, _ = simulated(0, 10)
    every, none = np.ones(3, dtype=bool), np.zeros(3, dtype=bool)
    assert ood_left_by_purity(purity, purity[:3], every) is None
    assert ood_left_by_purity(purity, purity[:3], none) is None
    assert ood_left_by_purity(purity[:0], purity[:3], np.array([True, False, True])) is None
    assert ood_left_by_random(0, 0, unlabeled=9, later_inside=0, later_ood=0) is None


def test_feature_is_log_odds_of_a_probability_and_a_z_score_otherwise() -> None:
    pool = np.array([0.0, 0.5, 1.0])
    odds = feature(np.array([0.5, 0.9, 0.0]), pool, probability=True)
    assert_allclose(odds, [0, np.log(9), np.log(1e-4 / (1 - 1e-4))], atol=1e-9)
    z = feature(np.array([0.5, 1.0]), pool, probability=False)
    assert_allclose(z, [0, 0.5 / pool.std()])
    # It is one of the score, and not of the values that there happen to be.
    outside = np.array([-0.5, 0.5])
    assert_allclose(feature(np.array([0.5]), outside, probability=True), [0], atol=1e-9)
    assert_allclose(feature(np.array([4.0]), np.array([4.0, 4.0]), probability=False), [0])
