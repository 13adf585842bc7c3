"""What the variants of Prune4ReL say about their result."""

import numpy as np

from models.pruning.greedy import Greedy
from models.pruning.neighbourhood import Prepared
from models.pruning.view import Pruned

_COLLAPSED = 0.5
"""Share of examples that lie in one direction."""


def reported(greedy: Greedy, ready: Prepared, notes: tuple[str, ...] = ()) -> Pruned:
    """Return a selection with its numbers.

    Reasons: "confidence" c, in 0..1, and "neighbourhood" e, the confidence of the kept examples
    around each one: a kept example is sure and was new, a dropped one is unsure or its
    surroundings are covered. Extras: "tau"; "objective", the sum of tanh(e) over all examples;
    "neighbours", how many a kept example has in the mean; "capped", how many kept examples have
    more than count.
    """
    neighbours, cap = greedy.neighbours, ready.around.cap
    capped = 0 if cap is None else int((neighbours > cap).sum())
    found = [*ready.notes, *notes]
    warnings: tuple[str, ...] = ()
    if not neighbours.any():
        warnings = (
            f"No kept example has a neighbour at tau {ready.tau:.4f}, so the order is that of "
            "confidence; lower tau.",
        )
    elif neighbours.mean() > len(ready.confidence) / 2:
        if ready.around.alike > _COLLAPSED:
            found.append(
                f"Kept examples have {neighbours.mean():.0f} neighbours in the mean, and no tau "
                "parts them, as their embeddings are nearly the same. Train the warm-up for more "
                "epochs or with another network, or choose a method that does not look at "
                "embeddings, such as small_loss."
            )
        else:
            found.append(
                f"Kept examples have {neighbours.mean():.0f} neighbours in the mean at tau "
                f"{ready.tau:.4f}, more than half of all examples; raise tau."
            )
    if capped:
        found.append(
            f"{capped} of {len(neighbours)} kept examples have more than {cap} neighbours; of "
            "those only the most similar count."
        )
    return Pruned(
        order=greedy.order,
        gain=greedy.gains,
        reasons={"confidence": ready.confidence, "neighbourhood": greedy.estimate},
        objective=greedy.objective,
        notes=tuple(found),
        warnings=warnings,
        extras={
            "tau": ready.tau,
            "objective": float(greedy.objective[-1]),
            "neighbours": float(np.mean(neighbours)),
            "capped": float(capped),
        },
    )
