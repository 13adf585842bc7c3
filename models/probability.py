"""Probabilities from logits, in NumPy."""

import numpy as np
from numpy.typing import NDArray

from models.protocols import Float32Array


def logsumexp(logits: Float32Array) -> NDArray[np.float64]:
    """Return log sum exp over the last axis of (N, C) logits without overflow: (N,)."""
    exact = logits.astype(np.float64)
    top = exact.max(axis=-1)
    total: NDArray[np.float64] = top + np.log(np.exp(exact - top[..., None]).sum(axis=-1))
    return total


def log_softmax(logits: Float32Array) -> NDArray[np.float64]:
    """Return log-probabilities of (N, C) logits: (N, C), each <= 0."""
    result: NDArray[np.float64] = logits.astype(np.float64) - logsumexp(logits)[..., None]
    return result


def sigmoid(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return 1 / (1 + exp(-x)) element by element, in 0..1, without overflow."""
    # Beyond 700 the sigmoid is 0 or 1 in float64 anyway.
    result: NDArray[np.float64] = 1 / (1 + np.exp(-np.clip(x, -700, 700)))
    return result


def softmax(logits: Float32Array) -> NDArray[np.float64]:
    """Return probabilities of (N, C) logits: (N, C) in 0..1, rows sum to 1."""
    return np.exp(log_softmax(logits))
