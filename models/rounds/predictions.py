"""What a model takes images for, in words that an annotator understands: class and probability."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from models.numerics.probability import softmax
from models.protocols import Float32Array, Indices
from models.ranking.calibration import probability_inside
from models.ranking.candidates import LastAnswers
from models.ranking.pool_scores import PoolScores


@dataclass(frozen=True)
class Predictions:
    """The predictions for n examples.

    Attributes:
        classes: (n,) int64 in 0..C-1, the most probable class, given that the example has one.
        probability: (n,) float64 in 0..1, of that class.
        inside: (n,) float64 in 0..1, of being in-distribution; None where `inside_of` is.
    """

    classes: Indices
    probability: NDArray[np.float64]
    inside: NDArray[np.float64] | None


def inside_of(scores: PoolScores, last: LastAnswers) -> Float32Array | None:
    """Return the probability of being in-distribution of N examples, (N,) float32 in 0..1.

    Args:
        scores: of everything unlabeled, since purity is read against all of it.
        last: the answers to the last query set; a purity that is no probability is calibrated on
            them, if both kinds are among them.

    Returns:
        None where the purity is no probability and nothing tells how to read it as one.
    """
    if scores.purity_is_probability:
        return scores.purity
    if last.scores is None or len(np.unique(~last.is_ood)) < 2:
        return None
    return probability_inside(scores.purity, last)(scores.purity).astype(np.float32)


def inside_as_in(known: PoolScores | None, scores: PoolScores) -> Float32Array | None:
    """Return the probability of being in-distribution of n examples apart from a round's.

    A purity that is no probability is read as the round has read it: of equal purity they are as
    probable as those that are known, and of less or more than all of these as the last of them.

    Args:
        known: of the round, with its `inside`; None where it has left none.
        scores: of the n examples, by the model of the round.

    Returns:
        (n,) float32 in 0..1; None where the round could not tell either, or by another purity.
    """
    if scores.purity_is_probability:
        return scores.purity
    if known is None or known.inside is None or known.purity_by != scores.purity_by:
        return None
    order = np.argsort(known.purity)
    read = np.interp(scores.purity, known.purity[order], known.inside[order])
    return read.astype(np.float32)


def predict(scores: PoolScores, wanted: Indices) -> Predictions:
    """Read the scores of a round as predictions.

    Args:
        scores: of everything unlabeled, `inside` among them where it is known.
        wanted: (n,) pool indices among `scores.indices`.
    """
    found = scores.take(np.searchsorted(scores.indices, wanted))
    probabilities = softmax(found.logits)
    inside = None if found.inside is None else found.inside.astype(np.float64)
    return Predictions(probabilities.argmax(axis=1), probabilities.max(axis=1), inside)
