"""Embeddings as points of a plane."""

import numpy as np
from sklearn.manifold import TSNE

from models.protocols import Float32Array

_PERPLEXITY = 30.0
_FEWEST = 5


def planar_map(embeddings: Float32Array, *, seed: int) -> Float32Array:
    """Map (N, D) embeddings to (N, 2) by t-SNE, scaled into -1..1 about zero.

    Source: L. van der Maaten, G. Hinton, "Visualizing Data using t-SNE", JMLR 2008. Only who is
    near whom means something. Fewer than five points lie at zero.
    """
    count = len(embeddings)
    if count < _FEWEST or np.ptp(embeddings, axis=0).max(initial=0) == 0:
        return np.zeros((count, 2), dtype=np.float32)
    perplexity = min(_PERPLEXITY, (count - 1) / 3)
    points = TSNE(perplexity=perplexity, init="pca", random_state=seed).fit_transform(embeddings)
    points = points - points.mean(axis=0)
    scaled: Float32Array = (points / max(np.abs(points).max(), 1e-12)).astype(np.float32)
    return scaled
