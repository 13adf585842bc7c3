"""Groups of suggestions that one look may decide: the same pair of labels, and alike to look at."""

from typing import Final

import numpy as np

from models.protocols import Float32Array, Indices
from models.purity.knn import unit_rows

MOST: Final = 12
"""So many fit on a screen, and can be looked over before they are decided at once."""
NO_GROUP: Final = -1


def alike_groups(
    embeddings: Float32Array, given: Indices, suggested: Indices, worth: Float32Array
) -> Indices:
    """Divide N suggestions into groups with the same given and the same suggested label.

    The suggestion that is worth most takes along those of its pair that are nearest to it, up to
    `MOST` in all, by the cosine of what differs from the mean of all; then the next one that is
    left. Nothing is taken along that lies on the other side of the mean.

    Args:
        embeddings: (N, D) float32.
        given: (N,) int64.
        suggested: (N,) int64.
        worth: (N,) float32, higher = sooner.

    Returns:
        (N,) int64, numbers of groups from 0 on; `NO_GROUP` for what is alone.
    """
    result = np.full(len(given), NO_GROUP, dtype=np.int64)
    if len(given) < 2:
        return result
    directions = unit_rows(embeddings - embeddings.mean(axis=0))
    _, pair = np.unique(np.stack([given, suggested]), axis=1, return_inverse=True)
    number = 0
    for one in range(int(pair.max()) + 1):
        rest = np.flatnonzero(pair == one)
        rest = rest[np.argsort(-worth[rest], kind="stable")]
        while len(rest) > 1:
            near = directions[rest] @ directions[rest[0]]
            near[0] = np.inf
            taken = np.argsort(-near, kind="stable")[:MOST]
            taken = taken[near[taken] > 0]
            if len(taken) > 1:
                result[rest[taken]] = number
                number += 1
            rest = np.delete(rest, taken)
    return result
