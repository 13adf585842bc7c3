"""Probabilities that are fitted to margins."""

import numpy as np
import pytest

from models.numerics.probability import fit_sigmoid, sigmoid


@pytest.mark.parametrize("seed", range(5))
def test_margins_that_run_against_what_is_known_leave_the_share_of_the_known(seed: int) -> None:
    generator = np.random.default_rng(seed)
    known = np.arange(24) % 4 != 0
    # As left-out margins of few verdicts do, far from 0.
    margins = 0.6 - 0.3 * known + generator.normal(0, 0.05, len(known))
    slope, intercept = fit_sigmoid(margins, known)
    assert 0 < slope < 0.01
    said = sigmoid(slope * margins + intercept)
    # 18 of 24, by targets that are never quite 0 or 1.
    assert said.mean() == pytest.approx((18 * 19 / 20 + 6 / 8) / 24, abs=1e-6)


def test_margins_that_tell_are_followed() -> None:
    known = np.arange(40) % 2 == 0
    margins = np.where(known, 2.0, -1.0)
    slope, intercept = fit_sigmoid(margins, known)
    expected = np.where(known, 21 / 22, 1 / 22)
    np.testing.assert_allclose(sigmoid(slope * margins + intercept), expected, atol=1e-6)
