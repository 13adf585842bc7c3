"""Prune4ReL: keep the examples that many others can be relabeled by.

Source: thesis, algorithm 1; D. Park et al., "Robust Data Pruning under Label Noise via Maximizing
Re-labeling Accuracy", NeurIPS 2023.
"""

import numpy as np

from models.catalog.params.pruning import Prune4RelParams
from models.protocols import Progress
from models.pruning.neighbourhood import prepared
from models.pruning.own_gain import by_own_gain
from models.pruning.report import reported
from models.pruning.view import Pruned, PruningView


def prune(
    view: PruningView, n: int, params: Prune4RelParams, progress: Progress | None = None
) -> Pruned:
    """Pick, again and again, the example that gains most for itself.

    The gain of x is tanh(e(x) + c(x)) - tanh(e(x)), where c is the confidence and e sums up
    similarity times confidence of the picks around x. See `models.pruning.report.reported` for what
    the result says, and `models.pruning.utility` for why gains are right where tanh is 1.

    Raises:
        NotReady: no embeddings or no logits.
    """
    ready = prepared(view, n, params)
    together = np.zeros(len(view), dtype=np.int64)
    greedy = by_own_gain(ready.around, ready.confidence, together, n, progress)
    return reported(greedy, ready)
