"""The greedy maximisation of Prune4ReL's objective, which its theorem is about.

Source: thesis, equation for the objective in section 5.2.2 and the theorem on its greedy solution.
"""

from dataclasses import replace

from models.params.pruning import Prune4RelParams
from models.protocols import Progress
from models.pruning.greedy import by_marginal_gain
from models.pruning.neighbourhood import prepared
from models.pruning.report import reported
from models.pruning.view import Pruned, PruningView

_GREEDY_SHARE = 1 - 1 / 2.718281828459045


def prune(
    view: PruningView, n: int, params: Prune4RelParams, progress: Progress | None = None
) -> Pruned:
    """Pick, again and again, the example that adds most to the sum of tanh(e) over all examples.

    Algorithm 1 counts what x gains for itself only, so the guarantee of 1 - 1/e is not about it;
    here a gain counts what x does for all its neighbours. `extras` also has `upper_bound`, which no
    subset of n exceeds, and `guaranteed`, the share of the optimum that is certainly reached.

    Raises:
        NotReady: no embeddings or no logits.
    """
    ready = prepared(view, n, params)
    # The neighbours that are kept take no more memory than the embeddings.
    room = view.given("embeddings").size // 2
    greedy = by_marginal_gain(ready.around, ready.confidence, n, room, progress)
    pruned = reported(greedy, ready)
    value = float(greedy.objective[-1])
    share = max(_GREEDY_SHARE, value / greedy.bound) if greedy.bound > 0 else 1.0
    return replace(
        pruned, extras={**pruned.extras, "upper_bound": greedy.bound, "guaranteed": min(1.0, share)}
    )
