"""Candidates as points."""

import numpy as np

from models.errors import NotReady
from models.numerics.finite import require_finite
from models.protocols import Float32Array
from models.ranking.candidates import Candidates
from models.selection.points import Points


def embedded(candidates: Candidates) -> tuple[Points, Float32Array]:
    """Return the embeddings of the candidates and their squared norms.

    Raises:
        NotReady: no embeddings were kept.
        ModelError: some are NaN or infinite.
    """
    return with_norms(candidates, Points(embeddings_of(candidates)), "The embedding")


def embeddings_of(candidates: Candidates) -> Float32Array:
    """Return the (N, D) embeddings of the candidates, D > 0; see `embedded` for the errors."""
    embeddings = candidates.view.embeddings
    if embeddings.shape[1] == 0:
        raise NotReady("No embeddings of the pool were kept; score the pool again.")
    return embeddings


def with_norms(candidates: Candidates, points: Points, name: str) -> tuple[Points, Float32Array]:
    """Return points of the candidates and their squared norms; see `embedded` for the errors."""
    with np.errstate(over="ignore", invalid="ignore"):
        norms = points.squared_norms()
    require_finite(name, norms, candidates.scores.indices)
    return points, norms
