"""Probabilities from logits, in NumPy."""

import numpy as np
from numpy.typing import NDArray

from models.numerics.finite import require_numbers

_LEAST_SLOPE = 1e-3


def logsumexp(logits: NDArray[np.floating]) -> NDArray[np.float64]:
    """Return log sum exp over the last axis of (N, C) logits without overflow: (N,)."""
    exact = logits.astype(np.float64)
    top = exact.max(axis=-1)
    total: NDArray[np.float64] = top + np.log(np.exp(exact - top[..., None]).sum(axis=-1))
    return total


def log_softmax(logits: NDArray[np.floating]) -> NDArray[np.float64]:
    """Return log-probabilities of (N, C) logits: (N, C), each <= 0."""
    result: NDArray[np.float64] = logits.astype(np.float64) - logsumexp(logits)[..., None]
    return result


def sigmoid(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return 1 / (1 + exp(-x)) element by element, in 0..1, without overflow."""
    # Beyond 700 the sigmoid is 0 or 1 in float64 anyway.
    result: NDArray[np.float64] = 1 / (1 + np.exp(-np.clip(x, -700, 700)))
    return result


def softmax(logits: NDArray[np.floating]) -> NDArray[np.float64]:
    """Return probabilities of (N, C) logits: (N, C) in 0..1, rows sum to 1."""
    return np.exp(log_softmax(logits))


def fit_sigmoid(margins: NDArray[np.float64], known: NDArray[np.bool_]) -> tuple[float, float]:
    """Fit probability = sigmoid(slope * margin + intercept) by Newton's method.

    Source: J. Platt, "Probabilistic Outputs for Support Vector Machines", 1999. Targets are
    (n+ + 1) / (n+ + 2) and 1 / (n- + 2), never quite 0 or 1.

    Args:
        margins: (n,) of any scale, higher = more likely known.
        known: (n,) both values among them.

    Returns:
        Slope and intercept. A negative slope would turn the margins round and means that they
        carry nothing: it becomes 0+, and the probability nearly the same for all, the share of
        the known.

    Raises:
        ModelError: margins are not finite.
    """
    positive, negative = known.sum(), (~known).sum()
    target = np.where(known, (positive + 1) / (positive + 2), 1 / (negative + 2))
    ones = np.ones_like(margins)
    slope, intercept = _newton(np.stack([margins, ones], axis=1), target, np.zeros_like(margins))
    if slope < _LEAST_SLOPE:
        # The intercept was fitted beside the other slope, and far from what is known without it.
        slope = _LEAST_SLOPE
        (intercept,) = _newton(ones[:, None], target, slope * margins)
    require_numbers("The scores that become probabilities", (slope, intercept))
    return float(slope), float(intercept)


def _newton(
    design: NDArray[np.float64], target: NDArray[np.float64], offset: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Fit sigmoid(design @ weights + offset) to (n,) targets: (k,) weights of (n, k) columns."""
    weights = np.zeros(design.shape[1])
    ridge = 1e-6 * np.eye(len(weights))
    for _ in range(50):
        probability = sigmoid(design @ weights + offset)
        curvature = probability * (1 - probability)
        hessian = design.T @ (design * curvature[:, None]) + ridge
        step = np.linalg.solve(hessian, design.T @ (target - probability) - ridge @ weights)
        weights = weights + step * min(1.0, 5 / max(1e-12, float(np.abs(step).max())))
        if np.abs(step).max() < 1e-8:
            break
    return weights
