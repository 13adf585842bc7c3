"""Smallest margin between the two most likely classes.

Source: D. Roth, K. Small, "Margin-Based Active Learning for Structured Output Spaces", ECML 2006.
"""

import numpy as np

from models.catalog.params import NoParams
from models.numerics.probability import softmax
from models.protocols import Float32Array, PoolView


def score(view: PoolView, params: NoParams) -> Float32Array:
    """Return 1 - (p1 - p2) of the two largest probabilities: (N,) float32 in 0..1.

    Higher = ask sooner. With one class there is no second: p2 = 0.
    """
    del params
    probabilities = softmax(view.logits)
    if probabilities.shape[1] == 1:
        return np.zeros(len(probabilities), dtype=np.float32)
    two = np.partition(probabilities, -2, axis=1)[:, -2:]
    return (1 - (two[:, 1] - two[:, 0])).astype(np.float32)
