"""Ways to choose rows of instruction data that need no ranking: floors and single scores."""

import numpy as np
from numpy.typing import NDArray

from models.errors import ModelError
from models.protocols import Float32Array, Indices, Progress
from models.selection.k_center import k_center
from models.selection.points import Points


def max_cover(
    embeddings: Float32Array, size: int, seed: int, progress: Progress | None = None
) -> Indices:
    """Pick, again and again, the row that is farthest from all picks (k-center greedy).

    Source: thesis, section 6.2 ("MaxCover"); O. Sener, S. Savarese, "Active Learning for
    Convolutional Neural Networks: A Core-Set Approach", ICLR 2018.

    Args:
        embeddings: (N, D) float32.
        size: how many rows, at most N.
        seed: draws the first.
        progress: counts picks; may raise `Cancelled`.

    Returns:
        (size,) rows in the order of picking.

    Raises:
        ModelError: there are fewer rows.
    """
    _require_size(size, len(embeddings))
    if size == 0:
        return np.empty(0, dtype=np.int64)
    first = int(np.random.default_rng(seed).integers(len(embeddings)))
    rest = np.delete(np.arange(len(embeddings)), first)
    points = Points(embeddings).take(rest)
    picks = k_center(
        points, points.squared_norms(), Points(embeddings[first : first + 1]), size - 1, progress
    )
    return np.concatenate([[first], rest[picks.order]])


def min_cover(embeddings: Float32Array, size: int, seed: int) -> Indices:
    """Take a row that is drawn and its nearest neighbours, nearest first.

    The opposite of a cover, to compare with: thesis, section 6.2 ("MinCover"). For arguments,
    result and errors see `max_cover`.
    """
    _require_size(size, len(embeddings))
    if size == 0:
        return np.empty(0, dtype=np.int64)
    first = int(np.random.default_rng(seed).integers(len(embeddings)))
    points, center = Points(embeddings), Points(embeddings[first : first + 1])
    norms = points.squared_norms()
    far = np.empty(len(embeddings), dtype=np.float32)
    for here, block in points.blocks():
        far[here] = block.squared_distances(norms[here], center, norms[first : first + 1])[:, 0]
    far[first] = -1
    return np.argsort(far, kind="stable")[:size]


def k_means_random(clusters: NDArray[np.int64], seed: int) -> Indices:
    """Draw one row of every cluster.

    Args:
        clusters: (N,) the cluster of each row.
        seed: draws.

    Returns:
        one row of each cluster, by cluster.
    """
    mixed = np.random.default_rng(seed).permutation(len(clusters))
    _, first = np.unique(clusters[mixed], return_index=True)
    return mixed[first]


def longest(lengths: NDArray[np.int64], size: int) -> Indices:
    """Take the rows with the longest responses, longest first, ties by position.

    Source: T. Xia et al., "Rethinking Data Selection at Scale", 2024: few methods beat it.

    Args:
        lengths: (N,) characters or tokens of each response.
        size: how many rows, at most N.

    Raises:
        ModelError: there are fewer rows.
    """
    _require_size(size, len(lengths))
    return np.argsort(-lengths, kind="stable")[:size]


def random(n: int, size: int, seed: int) -> Indices:
    """Draw `size` of n rows without replacement.

    Raises:
        ModelError: there are fewer rows.
    """
    _require_size(size, n)
    return np.random.default_rng(seed).permutation(n)[:size]


def by_scores(
    scores: NDArray[np.floating],
    *,
    at_least: float | None = None,
    size: int | None = None,
    seed: int,
) -> Indices:
    """Take the rows with the best scores, best first; equal ones in an order that is drawn.

    Source: L. Chen et al., "AlpaGasus: Training a Better Alpaca with Fewer Data", ICLR 2024, which
    keeps what a judge gives 4.5 of 5.

    Args:
        scores: (N,) higher = better; NaN where there is no score, which is never kept.
        at_least: the lowest score that is kept; None: any.
        size: at most so many rows; None: all that reach `at_least`.
        seed: decides between equal scores.
    """
    mixed = np.random.default_rng(seed).permutation(len(scores))
    order = mixed[np.argsort(-scores[mixed], kind="stable")]
    wanted = np.isfinite(scores[order])
    if at_least is not None:
        wanted &= scores[order] >= at_least
    kept: Indices = order[wanted][:size]
    return kept


def _require_size(size: int, n: int) -> None:
    if not 0 <= size <= n:
        raise ModelError(f"{size:,} of {n:,} rows cannot be chosen; say 0 to {n:,}.")
