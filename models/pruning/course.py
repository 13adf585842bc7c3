"""What a training says of noisy labels epoch by epoch."""

import numpy as np

from models.numerics.probability import softmax
from models.protocols import Float32Array, Indices


def label_probabilities(logits: Float32Array, labels: Indices) -> Float32Array:
    """Return the (N,) probabilities in 0..1 of (N,) labels by (N, C) logits."""
    own = np.take_along_axis(softmax(logits), labels[:, None], axis=1)[:, 0]
    return own.astype(np.float32)


def label_margins(logits: Float32Array, labels: Indices) -> Float32Array:
    """Return by how much (N,) labels' logits are above the largest other; below 0: another leads.

    Source: G. Pleiss et al., "Identifying Mislabeled Data using the Area Under the Margin Ranking",
    NeurIPS 2020, equation 1; the area is the mean over epochs.

    Args:
        logits: (N, C) float32, C >= 2.
        labels: (N,) int64 in 0..C-1.
    """
    places = labels[:, None]
    others = logits.copy()
    np.put_along_axis(others, places, -np.inf, axis=1)
    own = np.take_along_axis(logits, places, axis=1)[:, 0]
    margins: Float32Array = (own - others.max(axis=1)).astype(np.float32)
    return margins
