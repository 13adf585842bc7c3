"""Entropy of the predicted probabilities.

Source: B. Settles, "Active Learning Literature Survey", 2009, section 3.1.
"""

import numpy as np
from numpy.typing import NDArray

from models.catalog.params import NoParams
from models.numerics.probability import log_softmax
from models.protocols import Float32Array, PoolView


def score(view: PoolView, params: NoParams) -> Float32Array:
    """Return the entropy in nats: (N,) float32 in 0..log C, higher = ask sooner."""
    del params
    logs = log_softmax(view.logits)
    entropy: NDArray[np.float64] = -(np.exp(logs) * logs).sum(axis=1)
    return entropy.astype(np.float32)
