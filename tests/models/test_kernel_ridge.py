import numpy as np
import pytest
from numpy.testing import assert_allclose
from numpy.typing import NDArray
from sklearn.metrics.pairwise import rbf_kernel

from models.purity.kernel_ridge import regress

Exact = NDArray[np.float64]


@pytest.mark.parametrize("seed", [0, 1])
def test_what_is_left_out_of_many_rows_is_what_a_refit_without_it_predicts(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = rng.standard_normal((2300, 4))
    rows = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    target = np.sign(rng.standard_normal((2300, 2)) + 2 * rows[:, :2])
    ridge, left_out = regress(rows, target, l2=0.3, width=0.7, landmarks=25, seed=seed)
    landmarks = {row.tobytes() for row in ridge.landmarks}
    is_landmark = np.array([row.tobytes() in landmarks for row in rows])
    assert is_landmark.sum() == 25

    def refit(keep: NDArray[np.bool_]) -> Exact:
        spanning = rows[is_landmark & keep]
        near = rbf_kernel(rows[keep], spanning, gamma=1 / 0.7)
        system = near.T @ near + 0.3 * rbf_kernel(spanning, gamma=1 / 0.7)
        wanted = target[keep] - target.mean(axis=0)
        coefficients: Exact = np.linalg.solve(system, near.T @ wanted)
        margins: Exact = rbf_kernel(rows, spanning, gamma=1 / 0.7) @ coefficients
        margins += target.mean(axis=0)
        return margins

    assert_allclose(ridge.margins(rows), refit(np.ones(2300, dtype=np.bool_)), atol=2e-3)
    others = rng.choice(np.flatnonzero(~is_landmark), 15, replace=False)
    for out in [*np.flatnonzero(is_landmark), *others]:
        assert_allclose(left_out[out], refit(np.arange(2300) != out)[out], atol=2e-3)
