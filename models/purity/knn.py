"""Similarity to labeled in-distribution neighbours.

Source: Y. Sun et al., "Out-of-Distribution Detection with Deep Nearest Neighbors", ICML 2022,
section 3; with k = 1 the max-cosine purity of the thesis (section 4.4), measured to IN examples.
"""

from models.catalog.params.scores import KnnParams
from models.numerics.similarity import similarity_to
from models.protocols import Float32Array, PoolView


def score(view: PoolView, params: KnnParams) -> Float32Array:
    """Return the cosine similarity to the k-th nearest labeled IN embedding.

    Returns:
        (N,) float32 in -1..1, higher = more in-distribution. With fewer than k labeled IN
        examples the farthest of them counts; with none at all every score is 0.
    """
    return similarity_to(view.embeddings, view.labeled_embeddings[~view.is_ood], params.neighbours)
