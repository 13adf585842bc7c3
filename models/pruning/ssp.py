"""Examples near the prototypes of features that were learned without labels: SSP.

Source: B. Sorscher et al., "Beyond Neural Scaling Laws: Beating Power Law Scaling via Data
Pruning", NeurIPS 2022, section 6; as a baseline in thesis, section 5.3.1.
"""

import warnings
from typing import Any

import numpy as np
from sklearn.cluster import KMeans, MiniBatchKMeans

from models.catalog.params.pruning import SspParams
from models.numerics.similarity import similarity_to, unit_rows
from models.protocols import Float32Array, Progress
from models.pruning.ranked import by_scores
from models.pruning.view import Pruned, PruningView

_MANY = 50_000
"""With more examples than that, k-means looks at batches of them."""
_STARTS = 3
_SLICE, _MOST_ITERATIONS = 10, 300
"""Iterations of k-means, between two reports and in all."""


def prune(view: PruningView, n: int, params: SspParams, progress: Progress | None = None) -> Pruned:
    """Keep the n examples most similar to the nearest center of k-means, or least if so chosen.

    The gain is that cosine, or its negative.

    Raises:
        NotReady: no features learned without labels.
    """
    features = unit_rows(view.given("self_supervised"))
    centers = _centers(features, params.prototypes or view.classes, view.seed, progress)
    near = similarity_to(features, centers, 1)
    return by_scores(n, near if params.prefer == "near" else -near, reasons={"similarity": near})


def _centers(
    features: Float32Array, count: int, seed: int, progress: Progress | None
) -> Float32Array:
    generator = np.random.RandomState(seed % 2**31)
    count = min(count, len(features))
    with warnings.catch_warnings():
        # Of fewer distinct examples than clusters, and of iterations that end to report.
        warnings.simplefilter("ignore")
        if len(features) > _MANY:
            fitted = _Batches(count, n_init=_STARTS, random_state=generator)
            fitted.progress = progress
            fitted.fit(features)
        else:
            fitted = _best_of_starts(features, count, generator, progress)
    centers: Float32Array = np.asarray(fitted.cluster_centers_, dtype=np.float32)
    return centers


def _best_of_starts(
    features: Float32Array,
    count: int,
    generator: np.random.RandomState,
    progress: Progress | None,
) -> KMeans:
    """Run k-means from several starts, a few iterations at a time."""
    best = None
    for start in range(_STARTS):
        found = KMeans(count, n_init=1, max_iter=_SLICE, random_state=generator).fit(features)
        for iterations in range(_SLICE, _MOST_ITERATIONS, _SLICE):
            if progress is not None:
                progress(start * _MOST_ITERATIONS + iterations, _STARTS * _MOST_ITERATIONS)
            if found.n_iter_ < _SLICE:
                break
            means = found.cluster_centers_
            found = KMeans(count, init=means, n_init=1, max_iter=_SLICE).fit(features)
        if best is None or found.inertia_ < best.inertia_:
            best = found
    return best


class _Batches(MiniBatchKMeans):  # type: ignore[misc]
    """K-means that reports after each batch."""

    progress: Progress | None = None

    def _mini_batch_convergence(self, i: int, n_steps: int, *facts: Any) -> bool:
        if self.progress is not None:
            self.progress(min(i, n_steps), n_steps)
        ended: bool = super()._mini_batch_convergence(i, n_steps, *facts)
        return ended
