"""The quasi-Newton search that heads and models of mislabeling share."""

from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.typing import NDArray

Float64Array = NDArray[np.float64]

_FLATTEST: Final = 1e-6
_LEAST_GAIN: Final = 1e-10
_REMEMBERED: Final = 20


def lbfgs(
    objective: Callable[[Float64Array], tuple[float, Float64Array]],
    start: Float64Array,
    max_iterations: int,
) -> Float64Array:
    """Return where a smooth function is least: (k,) float64. The same call gives the same.

    Ends where no slope is over 1e-6, or a step gains less than 1e-10 of the value, or of 1 if the
    value is below.

    Args:
        objective: maps (k,) float64, which is written over afterwards, to value and slopes (k,).
            Written by hand, both take a tenth of what PyTorch takes to differentiate a small model.
        start: (k,) float64.
        max_iterations: steps, each of about one call.
    """
    # A third of a second, and many processes that import this package never search.
    from scipy.optimize import minimize

    found: Float64Array = minimize(
        objective,
        start,
        jac=True,
        method="L-BFGS-B",
        options={
            "maxiter": max_iterations,
            "maxfun": 20 * max_iterations,
            "maxcor": _REMEMBERED,
            "gtol": _FLATTEST,
            "ftol": _LEAST_GAIN,
        },
    ).x
    return found
