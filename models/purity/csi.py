"""Similarity of contrastive features to labeled in-distribution examples.

Source: J. Tack et al., "CSI: Novelty Detection via Contrastive Learning on Distributionally Shifted
Instances", NeurIPS 2020, section 2.3, over the labeled examples instead of all training data.
"""

import numpy as np

from models.catalog.params.scores import CsiParams
from models.errors import NotReady
from models.numerics.similarity import similarity_to
from models.protocols import Float32Array, PoolView


def score(view: PoolView, params: CsiParams) -> Float32Array:
    """Return the largest cosine similarity to a labeled in-distribution example.

    Returns:
        (N,) float32 in -1..1, higher = more in-distribution; with `params.times_norm` multiplied
        by the length of the features, as in the paper.

    Raises:
        NotReady: no contrastive features, or no labeled in-distribution example.
    """
    features, labeled = contrastive_features(view, "csi")
    known = ~view.is_ood
    if not known.any():
        raise NotReady(
            "Purity csi compares with labeled in-distribution examples and there are none; label "
            "some examples with a class."
        )
    nearest = similarity_to(features, labeled[known], neighbours=1)
    if params.times_norm:
        nearest *= np.linalg.norm(features, axis=1).astype(np.float32)
    return nearest


def contrastive_features(view: PoolView, name: str) -> tuple[Float32Array, Float32Array]:
    """Return the (N, E) and (L, E) features of candidates and verdicts.

    Raises:
        NotReady: nobody has learned them yet.
    """
    if view.contrastive is None or view.labeled_contrastive is None:
        raise NotReady(
            f"Purity {name} needs contrastive features and this pool has none yet; start the job "
            "learn_features."
        )
    return view.contrastive, view.labeled_contrastive
