"""Examples first whose two most likely classes are closest.

Source: C. Coleman et al., "Selection via Proxy: Efficient Data Selection for Deep Learning", ICLR
2020; as a baseline in thesis, section 5.3.1.
"""

from models.catalog.params import NoParams
from models.protocols import Progress
from models.pruning.ranked import by_scores
from models.pruning.similarity import confidence
from models.pruning.view import Pruned, PruningView


def prune(view: PruningView, n: int, params: NoParams, progress: Progress | None = None) -> Pruned:
    """Keep the n smallest differences of the two highest probabilities; the gain is -difference.

    Raises:
        NotReady: no logits of the examples as they are.
    """
    del params, progress
    difference = confidence(view.given("plain_logits"), "diff_prob")
    return by_scores(n, -difference, reasons={"margin": difference})
