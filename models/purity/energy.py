"""Energy score.

Source: W. Liu et al., "Energy-based Out-of-distribution Detection", NeurIPS 2020, equation 4.
"""

import numpy as np

from models.params.scores import EnergyParams
from models.probability import logsumexp
from models.protocols import Float32Array, PoolView


def score(view: PoolView, params: EnergyParams) -> Float32Array:
    """Return -E(x) = T log sum exp(logits / T): (N,) float32, higher = more in-distribution."""
    scaled = view.logits / np.float32(params.temperature)
    return (params.temperature * logsumexp(scaled)).astype(np.float32)
