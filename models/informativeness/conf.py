"""Least confidence.

Source: D. Wang, Y. Shang, "A New Active Labeling Method for Deep Learning", IJCNN 2014.
"""

import numpy as np
from numpy.typing import NDArray

from models.catalog.params import NoParams
from models.numerics.probability import softmax
from models.protocols import Float32Array, PoolView


def score(view: PoolView, params: NoParams) -> Float32Array:
    """Return 1 - the largest softmax probability: (N,) float32 in 0..1, higher = ask sooner."""
    del params
    probability: NDArray[np.float64] = softmax(view.logits).max(axis=1)
    return (1 - probability).astype(np.float32)
