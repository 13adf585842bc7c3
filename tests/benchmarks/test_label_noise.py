"""Labels that are made wrong are wrong as often as they should be, and by nobody else's draw."""

import numpy as np
import pytest

from benchmarks.label_noise import CONFUSED, KINDS, made


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("rate", [0.1, 0.4])
def test_labels_are_wrong_at_the_rate_that_was_asked_for(kind: str, rate: float) -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 10, 4000)
    images = rng.integers(0, 256, (4000, 4, 4, 3), dtype=np.uint8)
    labels = made(kind, rate, truth, images, seed=3)
    wrong = labels != truth
    assert wrong.mean() == pytest.approx(rate, abs=0.03)
    if kind == "asymmetric":
        assert (labels[wrong] == np.array(CONFUSED)[truth[wrong]]).all()
    else:
        assert len(np.unique(labels[wrong & (truth == 0)])) > 3
    # What `uniform` keeps by the same seed is no cleaner.
    kept = np.argsort(-np.random.default_rng(3).random(4000))[:800]
    assert wrong[kept].mean() == pytest.approx(rate, abs=0.06)
    assert (made(kind, rate, truth, images, seed=3) == labels).all()
