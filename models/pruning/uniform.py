"""A random subset: the reference that every method has to beat."""

import numpy as np

from models.catalog.params import NoParams
from models.protocols import Progress
from models.pruning.ranked import by_scores
from models.pruning.view import Pruned, PruningView


def prune(view: PruningView, n: int, params: NoParams, progress: Progress | None = None) -> Pruned:
    """Draw n examples without replacement; the gain is the number drawn, 0..1."""
    del params, progress
    drawn = np.random.default_rng(view.seed).random(len(view))
    return by_scores(n, drawn, reasons={"drawn": drawn})
