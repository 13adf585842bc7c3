"""The utility tanh, where it has long since run into 1.

A difference of two tanh is 0 in double precision once an example has confidence of about 19 around
it, and then every order would be one of rounding errors. So differences are written as

    tanh(a + c) - tanh(a) = 2 p (1 - q) / ((1 + p) (1 + p q)),   p = exp(-2 a), q = exp(-2 c),

which loses nothing, and gains are compared by their logarithm, which never is 0.
"""

import numpy as np
from numpy.typing import NDArray

Float64Array = NDArray[np.float64]


def gained(estimate: Float64Array, added: Float64Array) -> Float64Array:
    """Return tanh(estimate + added) - tanh(estimate), element by element; both >= 0."""
    p = np.exp(-2 * estimate)
    less = np.expm1(-2 * added)
    value: Float64Array = -2 * p * less / ((1 + p) * (1 + p * (1 + less)))
    return value


class OwnGains:
    """Gains of examples for themselves: tanh(estimate + c) - tanh(estimate).

    Source: thesis, algorithm 1, line 3, and algorithm 2, line 4.
    """

    def __init__(self, confidence: Float64Array) -> None:
        """Take (N,) confidences c in 0..1."""
        self._rest = np.exp(-2 * confidence)
        with np.errstate(divide="ignore"):
            self._level = np.log(-2 * np.expm1(-2 * confidence))

    def log_of(self, estimate: Float64Array, positions: NDArray[np.integer]) -> Float64Array:
        """Return the logarithms of the gains at (n,) positions, whose estimates are given."""
        p = np.exp(-2 * estimate)
        value: Float64Array = (
            self._level[positions] - 2 * estimate
            - np.log1p(p) - np.log1p(p * self._rest[positions])
        )  # fmt: skip
        return value
