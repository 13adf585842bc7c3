"""Examples near the prototypes of features that were learned without labels: SSP.

Source: B. Sorscher et al., "Beyond Neural Scaling Laws: Beating Power Law Scaling via Data
Pruning", NeurIPS 2022, section 6; as a baseline in thesis, section 5.3.1.
"""

import warnings

import numpy as np
from sklearn.cluster import KMeans, MiniBatchKMeans

from models.params.pruning import SspParams
from models.protocols import Float32Array, Progress
from models.pruning.ranked import by_scores
from models.pruning.view import Pruned, PruningView
from models.purity.knn import similarity_to, unit_rows

_MANY = 50_000
"""With more examples than that, k-means looks at batches of them."""


def prune(view: PruningView, n: int, params: SspParams, progress: Progress | None = None) -> Pruned:
    """Keep the n examples most similar to the nearest center of k-means, or least if so chosen.

    The gain is that cosine, or its negative.

    Raises:
        NotReady: no features learned without labels.
    """
    del progress
    features = unit_rows(view.given("self_supervised"))
    centers = _centers(features, params.prototypes or view.classes, view.seed)
    near = similarity_to(features, centers, 1)
    return by_scores(n, near if params.prefer == "near" else -near, reasons={"similarity": near})


def _centers(features: Float32Array, count: int, seed: int) -> Float32Array:
    means = KMeans if len(features) <= _MANY else MiniBatchKMeans
    fitted = means(min(count, len(features)), n_init=3, random_state=seed % 2**31)
    with warnings.catch_warnings():
        # Of fewer distinct examples than clusters.
        warnings.simplefilter("ignore")
        fitted.fit(features)
    centers: Float32Array = np.asarray(fitted.cluster_centers_, dtype=np.float32)
    return centers
