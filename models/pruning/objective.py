"""What any subset is worth to Prune4ReL, whichever method chose it."""

from models.catalog.params.pruning import Prune4RelParams
from models.protocols import Indices
from models.pruning.greedy import Float64Array, Landscape
from models.pruning.neighbourhood import prepared
from models.pruning.view import PruningView

_BLOCK = 1024


def objective_curve(view: PruningView, order: Indices, params: Prune4RelParams) -> Float64Array:
    """Return the sum of tanh(e) over all N examples after each of n that are kept.

    e is the confidence of those kept around an example; thesis, section 5.2.2, equation of the
    objective. Curves are comparable at the same `tau`.

    Args:
        view: N examples with embeddings and logits.
        order: (n,) int64 distinct positions, n > 0.
        params: of Prune4ReL.

    Returns:
        (n,) float64 in 0..N, higher = better, never falling.

    Raises:
        NotReady: no embeddings or no logits.
    """
    ready = prepared(view, len(order), params)
    landscape = Landscape(ready.around, ready.confidence, len(order))
    size = ready.around.block(_BLOCK)
    for start in range(0, len(order), size):
        some = order[start : start + size]
        for position, row in zip(some.tolist(), ready.around.rows(some), strict=True):
            landscape.pick(position, 0.0, row)
    return landscape.result().objective
