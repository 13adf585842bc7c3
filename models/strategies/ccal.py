"""Contrastive coding.

Source: P. Du et al., "Contrastive Coding for Active Learning under Class Distribution Mismatch",
ICCV 2021, section 3; constants and the turn of the classes as in the authors' code
(RUC-DWBI-ML/CCAL).
"""

import numpy as np
from numpy.typing import NDArray

from models.catalog.params.selection import CcalParams
from models.errors import NotReady
from models.numerics.finite import require_finite
from models.numerics.similarity import similarity_to, unit_rows
from models.protocols import Float32Array, Indices, Ranking
from models.ranking.candidates import Candidates
from models.ranking.ordering import by_place

_BLOCK_VALUES = 8_000_000


def rank(candidates: Candidates, n: int, params: CcalParams) -> Ranking:
    """Let each class in turn pick the largest sum of semantic and distinctive score.

    Raises:
        NotReady: no contrastive features, or no labeled in-distribution example.
        ModelError: features that are not finite.
    """
    view = candidates.view
    if view.contrastive is None or view.labeled_contrastive is None:
        raise NotReady(
            "Strategy ccal needs contrastive features and this pool has none yet; start the job "
            "learn_features."
        )
    features = view.contrastive
    require_finite("The contrastive feature", features.sum(axis=1), candidates.scores.indices)
    known = ~view.is_ood
    if not known.any():
        raise NotReady(
            "Strategy ccal compares with labeled in-distribution examples and there are none; "
            "label some examples with a class."
        )
    labeled, classes = view.labeled_contrastive[known], view.labels.classes[known]
    semantic = semantic_score(features, labeled, params)
    preferences = []
    for label in np.unique(classes):
        score = semantic + distinctive_score(features, labeled[classes == label])
        preferences.append(np.argsort(-score, kind="stable")[:n])
    return by_place(_in_turn(preferences, min(n, len(features))), len(features))


def semantic_score(
    features: Float32Array, labeled: Float32Array, params: CcalParams
) -> NDArray[np.float64]:
    """Return tanh(k / 2 * (s - t)), s the largest cosine to (m, E) labeled features.

    Returns:
        (N,) in -1..1, higher = more like the known classes; s is scaled to 0..1 over the pool.
    """
    similarity = _unit_range(similarity_to(features, labeled, neighbours=1))
    return np.tanh(params.steepness / 2 * (similarity - params.threshold))


def distinctive_score(features: Float32Array, labeled: Float32Array) -> NDArray[np.float64]:
    """Return how far each example is from what one class has already.

    1 - (2 a - b + c), scaled to 0..1 over the pool: a and b are the cosines to the two nearest
    labeled examples of the class, and c is the cosine between these two. With one labeled example
    it is both.

    Args:
        features: (N, E) float32.
        labeled: (m, E) float32 features of the class, m >= 1.

    Returns:
        (N,) in 0..1, higher = more distinctive.
    """
    anchors = unit_rows(labeled)
    value = np.empty(len(features), dtype=np.float32)
    rows = max(1, _BLOCK_VALUES // len(anchors))
    for start in range(0, len(features), rows):
        cosine = unit_rows(features[start : start + rows]) @ anchors.T  # (B, m)
        here = np.arange(len(cosine))
        first = cosine.argmax(axis=1)
        largest = cosine[here, first]
        second = first
        if len(anchors) > 1:
            cosine[here, first] = -np.inf
            second = cosine.argmax(axis=1)
            cosine[here, first] = largest
        between = np.einsum("ij,ij->i", anchors[first], anchors[second])
        value[start : start + rows] = 2 * largest - cosine[here, second] + between
    return 1 - _unit_range(value)


def _unit_range(values: Float32Array) -> NDArray[np.float64]:
    exact = values.astype(np.float64)
    if not len(exact) or exact.min() == exact.max():
        return np.zeros(len(exact))
    scaled: NDArray[np.float64] = (exact - exact.min()) / (exact.max() - exact.min())
    return scaled


def _in_turn(preferences: list[Indices], n: int) -> Indices:
    """Let each list in turn name its first position not named yet, until there are n."""
    named: dict[int, None] = {}
    waiting = [iter(positions.tolist()) for positions in preferences]
    while len(named) < n:
        for positions in waiting:
            position = next((one for one in positions if one not in named), None)
            if position is not None and len(named) < n:
                named[position] = None
    return np.fromiter(named, dtype=np.int64, count=n)
