"""Orders by one score."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.pruning.view import Pruned
from models.ranking.ordering import best_first


def by_scores(
    n: int,
    *scores: NDArray[np.floating],
    reasons: Mapping[str, NDArray[Any]],
    notes: tuple[str, ...] = (),
) -> Pruned:
    """Keep the n with the highest (N,) score, ties by the next score, then by position.

    The gain is the first score.
    """
    order = best_first(n, *scores)
    shown = {name: values.astype(np.float64) for name, values in reasons.items()}
    return Pruned(order, scores[0].astype(np.float64)[order], shown, notes=notes)
