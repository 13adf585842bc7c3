"""Choosing the L2 penalty of the logistic head by cross-validation.

What suits depends on the features, and little on how many answers there are: the penalty is a prior
over weights, and the loss is a sum over answers.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from models.heads.head import Scaling, fit_head
from models.heads.search import HeadSearch
from models.numerics.probability import log_softmax
from models.protocols import Float32Array, Indices

USUAL_PENALTY: Final = 0.1
"""What too few answers are fitted with, and where the search begins."""

FEWEST_ANSWERS: Final = 20
"""With fewer answers there is nothing to choose by."""

_PER_DECADE: Final = 2
_STEPS: Final = 4
_FOLDS: Final = 3
_MOST_ANSWERS: Final = 1_000

_ITERATIONS: Final = 25
"""Of L-BFGS: a weak penalty takes more, and its loss is told from others long before."""


def choose_penalty(
    embeddings: Float32Array, labels: Indices, *, classes: int, scaling: Scaling, seed: int
) -> float:
    """Return the `l2` of `fit_head` with the smallest cross-entropy on answers left out.

    Three-fold cross-validation on at most 1,000 answers, drawn at random. From 0.1 the search goes
    up or down by factors of √10, from 1e-3 to 10, for as long as that is better; the loss has one
    valley in the penalty.

    Args:
        embeddings: (n, D) float32, unscaled.
        labels: (n,) int64 in 0..classes; `classes` is OOD, which is fitted and tested too.
        classes: C.
        scaling: statistics of the pool.
        seed: decides the answers and the folds.

    Returns:
        0.1 with fewer than 20 answers, or all of one kind.
    """
    found = search_penalty(embeddings, labels, classes=classes, scaling=scaling, seed=seed)
    return USUAL_PENALTY if found is None else found.l2


@dataclass(frozen=True)
class Penalty:
    """What a search has found.

    Attributes:
        l2: The penalty.
        losses: (n,) float64 cross-entropies of the answers that were drawn, in nats, each under a
            head that has not seen it; the same answers whatever the embeddings are.
    """

    l2: float
    losses: NDArray[np.float64]


def search_penalty(
    embeddings: Float32Array, labels: Indices, *, classes: int, scaling: Scaling, seed: int
) -> Penalty | None:
    """Search as `choose_penalty` does; None where there is nothing to choose by."""
    if len(labels) < FEWEST_ANSWERS or len(np.unique(labels)) == 1:
        return None
    drawn = np.random.default_rng(seed).permutation(len(labels))[:_MOST_ANSWERS]
    x, y = embeddings[drawn], labels[drawn]
    # What the rows of a fold are like is the same under each penalty.
    scaled = scaling.apply(x)
    searches = [HeadSearch(scaled[_seen(len(y), number)]) for number in range(_FOLDS)]
    found: dict[int, NDArray[np.float64]] = {}

    def loss(step: int) -> float:
        if abs(step) > _STEPS:
            return np.inf
        if step not in found:
            found[step] = _left_out_losses(x, y, classes, _penalty(step), scaling, searches)
        return float(found[step].sum())

    best = 0
    direction = 1 if loss(1) < loss(0) else -1
    while loss(best + direction) < loss(best):
        best += direction
    return Penalty(_penalty(best), found[best])


def _penalty(step: int) -> float:
    return float(USUAL_PENALTY * 10 ** (step / _PER_DECADE))


def _seen(count: int, fold: int) -> NDArray[np.bool_]:
    """Which of shuffled answers a fold's head learns from."""
    result: NDArray[np.bool_] = np.arange(count) % _FOLDS != fold
    return result


def _left_out_losses(
    x: Float32Array,
    labels: Indices,
    classes: int,
    l2: float,
    scaling: Scaling,
    searches: list[HeadSearch],
) -> NDArray[np.float64]:
    """Return (n,) cross-entropies of shuffled answers under heads that have not seen them.

    Of an OOD answer where the others have none it is 0: nothing could have told.
    """
    losses = np.zeros(len(labels))
    for number, search in enumerate(searches):
        seen = _seen(len(labels), number)
        tested = ~seen
        head = fit_head(
            x[seen], labels[seen], classes=classes, l2=l2, scaling=scaling,
            max_iterations=_ITERATIONS, search=search,
        )  # fmt: skip
        logits, ood = head.logits(x[tested]), head.ood_logits(x[tested])
        if ood is not None:
            logits = np.column_stack([logits, ood])
        known = labels[tested]
        rows = np.flatnonzero((known < classes) | (ood is not None))
        losses[np.flatnonzero(tested)[rows]] = -log_softmax(logits)[rows, known[rows]]
    return losses
