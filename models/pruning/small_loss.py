"""Examples with a small loss first, which are likely labeled right.

Source: L. Jiang et al., "MentorNet: Learning Data-Driven Curriculum for Very Deep Neural Networks
on Corrupted Labels", ICML 2018; as a baseline in thesis, section 5.3.1.
"""

from models.catalog.params import NoParams
from models.protocols import Progress
from models.pruning.ranked import by_scores
from models.pruning.view import Pruned, PruningView


def prune(view: PruningView, n: int, params: NoParams, progress: Progress | None = None) -> Pruned:
    """Keep the n smallest losses; the gain is the loss, negative.

    Raises:
        NotReady: no losses.
    """
    del params, progress
    losses = view.given("losses")
    return by_scores(n, -losses, reasons={"loss": losses})
