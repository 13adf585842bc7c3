"""Groups of suggestions that one look may decide: the same pair of labels, and alike to look at."""

from typing import Final

import numpy as np

from models.numerics.similarity import unit_rows
from models.protocols import Float32Array, Indices, Progress

MOST: Final = 12
"""So many fit on a screen, and can be looked over before they are decided at once."""
NO_GROUP: Final = -1

_LOOK_AHEAD: Final = 2_000
"""Companions are among so many that are worth most after the first: the work grows with N, and
nobody gets to see early what is worth little."""


def alike_groups(
    embeddings: Float32Array,
    given: Indices,
    suggested: Indices,
    worth: Float32Array,
    progress: Progress | None = None,
) -> Indices:
    """Divide N suggestions into groups with the same given and the same suggested label.

    The suggestion that is worth most takes along those of its pair that are nearest to it, up to
    `MOST` in all, by the cosine of what differs from the mean of all; then the next one that is
    left. Nothing is taken along that lies on the other side of the mean, or `_LOOK_AHEAD` places
    further on in its pair.

    Args:
        embeddings: (N, D) float32.
        given: (N,) int64.
        suggested: (N,) int64.
        worth: (N,) float32, higher = sooner.
        progress: counts suggestions; may raise `Cancelled`.

    Returns:
        (N,) int64, numbers of groups from 0 on; `NO_GROUP` for what is alone.
    """
    result = np.full(len(given), NO_GROUP, dtype=np.int64)
    if len(given) < 2:
        return result
    mean = embeddings.mean(axis=0)
    order = np.lexsort((-worth, suggested, given))
    starts = 1 + np.flatnonzero((np.diff(given[order]) != 0) | (np.diff(suggested[order]) != 0))
    number = 0
    for start, rows in zip([0, *starts.tolist()], np.split(order, starts), strict=True):
        directions = unit_rows(embeddings[rows] - mean)
        taken = np.zeros(len(rows), dtype=np.bool_)
        for first in range(len(rows)):
            if taken[first]:
                continue
            if progress is not None:
                progress(start + first, len(given))
            ahead = slice(first, first + _LOOK_AHEAD)
            near = directions[ahead] @ directions[first]
            near[taken[ahead]] = -np.inf
            near[0] = np.inf
            together = np.argsort(-near, kind="stable")[:MOST]
            together = first + together[near[together] > 0]
            taken[together] = True
            if len(together) > 1:
                result[rows[together]] = number
                number += 1
    return result
