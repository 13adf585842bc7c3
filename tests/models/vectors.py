"""Rows as slow transcriptions of formulas take them."""

import numpy as np
from numpy.typing import NDArray

from models.protocols import Float32Array

Exact = NDArray[np.float64]


def unit(rows: Float32Array) -> Exact:
    """Rows of length 1."""
    exact = rows.astype(np.float64)
    result: Exact = exact / np.linalg.norm(exact, axis=1, keepdims=True)
    return result
