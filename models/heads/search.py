"""The search for the optimum of a logistic head, in NumPy and SciPy.

Not in PyTorch: where its linear algebra is MKL's, products with few columns take two to three times
as long as OpenBLAS needs for them on processors by others than Intel.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, optimize

from models.numerics.finite import require_numbers
from models.numerics.threads import threads_for

Float64Array = NDArray[np.float64]

_LEAST_CURVATURE: Final = 1e-10
_ROWS: Final = "The features that a head learns from"


class HeadSearch:
    """Finds logistic heads of the same rows.

    Minimises  sum of cross-entropies + l2 / 2 * |W|^2  (the bias is free) by L-BFGS, in coordinates
    V where W = A V and A A' is the inverse of a bound on the curvature, X'X / 2 + l2 (D. Boehning,
    "Multinomial Logistic Regression Algorithm", 1992): a quarter of the iterations, as no direction
    is much steeper than the others. With fewer rows than features the optimum is a combination of
    the rows, and is searched among these. A search under the penalty of the one before begins where
    that one ended.

    Args:
        x: (n, D) float32 or float64, n >= 1, scaled.

    Raises:
        ModelError: the rows are not finite.
    """

    def __init__(self, x: NDArray[np.floating]) -> None:
        """Look at the rows; nothing is found yet."""
        rows = x.astype(np.float64)
        self._basis: Float64Array | None = None
        if len(rows) < rows.shape[1]:
            require_numbers(_ROWS, rows)
            self._basis, triangle = linalg.qr(rows.T, mode="economic")
            rows = np.ascontiguousarray(triangle.T)
        self._plain = rows
        self._curvature = rows.T @ rows / (2 * len(rows))
        require_numbers(_ROWS, self._curvature.diagonal())
        self._l2: float | None = None

    def _turn(self, l2: float) -> None:
        """Take the coordinates that suit a penalty."""
        if l2 == self._l2:
            return
        bound = self._curvature.copy()
        bound[np.diag_indices_from(bound)] += max(
            l2 / len(self._plain), _LEAST_CURVATURE * float(bound.diagonal().mean())
        )
        upper = linalg.cholesky(bound)
        self._to_weight: Float64Array = linalg.solve_triangular(upper, np.eye(len(upper)))
        # A'A, by which the penalty is one product.
        self._metric = self._to_weight.T @ self._to_weight
        self._rows = self._plain @ self._to_weight
        self._l2, self._found = l2, np.zeros(0)

    def minimise(
        self, wanted: Float64Array, l2: float, max_iterations: int
    ) -> tuple[Float64Array, Float64Array]:
        """Return the weight (D, C) and bias (C,) of the optimum.

        Args:
            wanted: (n, C) weights of each class, which need not sum to 1; C >= 1.
            l2: > 0.
            max_iterations: of L-BFGS.

        Raises:
            ModelError: the weights are not finite.
        """
        self._turn(l2)
        count, width = self._rows.shape
        size = (width + 1, wanted.shape[1])
        penalty = l2 / count
        mass = wanted.sum(axis=1, keepdims=True)

        def objective(at: Float64Array) -> tuple[float, Float64Array]:
            free = at.reshape(size)
            said = self._rows @ free[:-1]
            said += free[-1]
            said -= said.max(axis=1, keepdims=True)
            agreed = float(np.vdot(wanted, said))
            likely = np.exp(said, out=said)
            total = likely.sum(axis=1, keepdims=True)
            surprise = float(np.vdot(mass, np.log(total))) - agreed
            likely *= mass / total
            off = np.subtract(likely, wanted, out=likely)
            off /= count
            slopes = np.empty(size)
            np.matmul(self._metric, free[:-1], out=slopes[:-1])
            slopes[:-1] *= penalty
            loss = surprise / count + float(np.vdot(free[:-1], slopes[:-1])) / 2
            slopes[:-1] += self._rows.T @ off
            off.sum(axis=0, out=slopes[-1])
            return loss, slopes.ravel()

        start = self._found
        if start.size != size[0] * size[1]:
            start = np.zeros(size[0] * size[1])
        options = {"maxiter": max_iterations, "maxcor": 20, "gtol": 1e-6, "ftol": 1e-10}
        with threads_for(self._rows.size * size[1]):
            searched = optimize.minimize(
                objective, start, jac=True, method="L-BFGS-B", options=options
            )
        require_numbers("The targets that a head learns from", searched.fun)
        self._found = searched.x
        found = searched.x.reshape(size)
        weight = self._to_weight @ found[:-1]
        return weight if self._basis is None else self._basis @ weight, found[-1].copy()
