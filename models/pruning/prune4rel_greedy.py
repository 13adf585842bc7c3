"""The greedy maximisation of Prune4ReL's objective, which its theorem is about.

Source: thesis, equation for the objective in section 5.2.2 and the theorem on its greedy solution.
"""

import math
from dataclasses import replace

import numpy as np

from models.catalog.params.pruning import Prune4RelParams
from models.errors import ModelError
from models.protocols import Progress
from models.pruning.greedy import by_marginal_gain
from models.pruning.neighbourhood import Prepared, prepared
from models.pruning.report import reported
from models.pruning.view import Pruned, PruningView

_GREEDY_SHARE = 1 - 1 / 2.718281828459045
_LEAST_ROOM = 4_000_000
"""Neighbours that are kept of small sets: 48 MB."""
_DENSE = 1 / 8
"""From this share of all examples as neighbours on, most gains fall with each pick."""
_MOST_WORK = 3e9
"""Neighbours that are evaluated, at worst: some minutes."""
_CAPPED_WORK = 3e8


def prune(
    view: PruningView, n: int, params: Prune4RelParams, progress: Progress | None = None
) -> Pruned:
    """Pick, again and again, the example that adds most to the sum of tanh(e) over all examples.

    Algorithm 1 counts what x gains for itself only, so the guarantee of 1 - 1/e is not about it;
    here a gain counts what x does for all its neighbours. `extras` also has `upper_bound`, which no
    subset of n exceeds, and `guaranteed`, the share of the optimum that is certainly reached.

    Examples with equal embeddings cost no more than one of them. Where most others are neighbours
    all the same and that would take too long, only the most similar count, which a note says.

    Raises:
        NotReady: no embeddings or no logits.
        ModelError: the same, at a `tau` that was given.
    """
    # The neighbours that are kept take no more memory than the embeddings, or little.
    room = max(_LEAST_ROOM, view.given("embeddings").size // 3)
    ready = _affordable(prepared(view, n, params), n, room, params)
    greedy = by_marginal_gain(ready.around, ready.confidence, n, room, progress)
    pruned = reported(greedy, ready)
    value = float(greedy.objective[-1])
    share = max(_GREEDY_SHARE, value / greedy.bound) if greedy.bound > 0 else 1.0
    return replace(
        pruned, extras={**pruned.extras, "upper_bound": greedy.bound, "guaranteed": min(1.0, share)}
    )


def _affordable(ready: Prepared, n: int, room: int, params: Prune4RelParams) -> Prepared:
    """Cap the neighbours where each pick would have most examples evaluated again."""
    around, count = ready.around, len(ready.confidence)
    if around.cap is not None or around.expected <= _DENSE * count:
        return ready
    distinct = len(np.unique(around.groups())) / count
    if n * distinct * around.expected**2 <= _MOST_WORK:
        return ready
    if params.tau is not None:
        higher = "raise tau, " if around.alike < _DENSE else "as no higher tau parts them, "
        raise ModelError(
            f"An example has {around.expected:.0f} of {count} as neighbours at tau {ready.tau:g} "
            f"in the mean, with which the true greedy choice of {n} takes too long: {higher}give "
            "most_neighbours, or choose the method prune4rel_balanced."
        )
    cap = max(1, min(room // count, int(math.sqrt(_CAPPED_WORK / n))))
    note = (
        f"Of {around.expected:.0f} neighbours that an example has in the mean only the {cap} most "
        "similar count, as all would take too long; give most_neighbours for another number."
    )
    return replace(ready, around=around.capped(cap), notes=(*ready.notes, note))
