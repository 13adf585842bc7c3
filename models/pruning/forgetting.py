"""Examples first that the warm-up forgot most often.

Source: M. Toneva et al., "An Empirical Study of Example Forgetting during Deep Neural Network
Learning", ICLR 2019, algorithm 1; as a baseline in thesis, section 5.3.1, in whose published runs
an example that was never learned counts nothing and each label gives the same share.
"""

import numpy as np

from models.catalog.params.pruning import ForgettingParams
from models.errors import NotReady
from models.protocols import Progress
from models.pruning.ranked import by_scores
from models.pruning.view import Pruned, PruningView
from models.ranking.ordering import best_first


def prune(
    view: PruningView, n: int, params: ForgettingParams, progress: Progress | None = None
) -> Pruned:
    """Keep the n examples that went most often from right to wrong between two epochs.

    The gain is that number; of what never was right it is 0, or the number of epochs
    (`never_learned`). Ties, which are many, are drawn at random. With `per_class` each noisy label
    gives the share of its examples that all give, to within one.

    Raises:
        NotReady: no record of correctness, or one of a single epoch.
    """
    del progress
    correct = view.given("correct").astype(np.bool_)
    if len(correct) < 2:
        raise NotReady("Forgetting takes two epochs to see; train the warm-up model for longer.")
    forgotten = (correct[:-1] & ~correct[1:]).sum(axis=0)
    learned = np.asarray(correct.any(axis=0))
    never = len(correct) if params.never_learned == "most" else 0
    events = np.where(learned, forgotten, never).astype(np.float64)
    drawn = np.random.default_rng(view.seed).random(len(view))
    reasons = {"forgotten": forgotten, "learned": learned}
    if not params.per_class:
        return by_scores(n, events, drawn, reasons=reasons)
    # Of each label the k-th of m stands at (k - 1/2) / m, so that every beginning has all shares.
    place = np.empty(len(view))
    for label in np.unique(view.labels):
        members = np.flatnonzero(view.labels == label)
        order = best_first(len(members), events[members], drawn[members])
        place[members[order]] = (np.arange(len(members)) + 0.5) / len(members)
    pruned = by_scores(n, -place, events, drawn, reasons=reasons)
    return Pruned(pruned.order, events[pruned.order], pruned.reasons)
