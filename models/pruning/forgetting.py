"""Examples first that the warm-up forgot most often.

Source: M. Toneva et al., "An Empirical Study of Example Forgetting during Deep Neural Network
Learning", ICLR 2019, algorithm 1; as a baseline in thesis, section 5.3.1.
"""

import numpy as np

from models.errors import NotReady
from models.params import NoParams
from models.protocols import Progress
from models.pruning.ranked import by_scores
from models.pruning.view import Pruned, PruningView


def prune(view: PruningView, n: int, params: NoParams, progress: Progress | None = None) -> Pruned:
    """Keep the n examples that went most often from right to wrong between two epochs.

    The gain is that number; what never was right counts as the most forgettable, with a gain of the
    number of epochs. Ties, which are many, are drawn at random.

    Raises:
        NotReady: no record of correctness, or one of a single epoch.
    """
    del params, progress
    correct = view.given("correct").astype(np.bool_)
    if len(correct) < 2:
        raise NotReady("Forgetting takes two epochs to see; train the warm-up model for longer.")
    forgotten = (correct[:-1] & ~correct[1:]).sum(axis=0)
    learned = np.asarray(correct.any(axis=0))
    events = np.where(learned, forgotten, len(correct)).astype(np.float64)
    drawn = np.random.default_rng(view.seed).random(len(view))
    return by_scores(n, events, drawn, reasons={"forgotten": forgotten, "learned": learned})
