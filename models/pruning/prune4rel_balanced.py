"""Prune4ReL with as many examples of each noisy label as there are.

Source: thesis, algorithm 2; D. Park et al., "Robust Data Pruning under Label Noise via Maximizing
Re-labeling Accuracy", NeurIPS 2023.
"""

import numpy as np

from models.catalog.params.pruning import Prune4RelParams
from models.errors import listed
from models.protocols import Progress
from models.pruning.neighbourhood import prepared
from models.pruning.own_gain import by_own_gain
from models.pruning.report import reported
from models.pruning.view import Pruned, PruningView


def prune(
    view: PruningView, n: int, params: Prune4RelParams, progress: Progress | None = None
) -> Pruned:
    """Pick as `prune4rel` does, from each noisy label in turn; neighbours may have any label.

    A label of which nothing is left is skipped and the others go on in turn; a note says so.

    Raises:
        NotReady: no embeddings or no logits.
    """
    ready = prepared(view, n, params)
    greedy = by_own_gain(ready.around, ready.confidence, view.labels, n, progress)
    counts = np.bincount(view.labels, minlength=view.classes)
    taken = np.bincount(view.labels[greedy.order], minlength=view.classes)
    short = np.flatnonzero((taken == counts) & (taken < taken.max()))
    notes: tuple[str, ...] = ()
    if len(short):
        named = listed(
            (f"{view.name_of(one)} ({counts[one]})" for one in short.tolist()), len(short)
        )
        notes = (
            f"Too few examples for an equal share have the labels {named}: all of them are "
            "kept, and the other labels fill up.",
        )
    return reported(greedy, ready, notes)
