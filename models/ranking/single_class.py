"""What there is to tell where a project has a single class: whether an example is of it."""

from dataclasses import replace
from typing import Final

import numpy as np

from models.errors import NotReady
from models.protocols import Float32Array, PoolView
from models.ranking.candidates import Candidates

CERTAIN: Final = 1e-6
"""How near a probability comes to 0 or 1 before its logarithm is taken."""


def class_and_none(view: PoolView, purity: Float32Array) -> PoolView:
    """Return the view with the logits of class and none of it, which are all there is to tell.

    A single logit leaves nothing open: its class would always be certain.

    Args:
        view: of N examples and one class.
        purity: (N,) float32 in 0..1, the probability of the class.
    """
    inside = np.clip(purity.astype(np.float64), CERTAIN, 1 - CERTAIN)
    logits = np.log(np.column_stack([inside, 1 - inside])).astype(np.float32)
    return replace(view, logits=logits)


def uncertain_view(candidates: Candidates, strategy: str) -> PoolView:
    """Return the view of the candidates with logits that tell how unclear each example is.

    Args:
        candidates: of any number of classes.
        strategy: who asks, for the message.

    Raises:
        NotReady: there is one class, and no probability of it.
    """
    view = candidates.view
    if view.classes > 1:
        return view
    if not candidates.scores.purity_is_probability:
        raise NotReady(
            f"Strategy {strategy} needs a second class, or a purity that is a probability, as "
            "probe is once there are OOD answers."
        )
    return class_and_none(view, candidates.scores.purity)


def require_classes(view: PoolView, name: str) -> None:
    """Refuse to let a purity compare the classes of a view where there is one.

    Raises:
        NotReady: there is one.
    """
    if view.classes < 2:
        raise NotReady(
            f"Purity {name} compares classes with each other and there is one; choose another "
            "purity."
        )
