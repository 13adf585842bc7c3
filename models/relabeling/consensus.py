"""What several annotators say together, and how far each can be trusted.

Source: H. W. Goh, U. Tkachenko, J. Mueller, "CROWDLAB: Supervised learning to infer consensus
labels and quality scores for data with multiple annotators", 2022, through cleanlab.
"""

import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from models.errors import ModelError
from models.protocols import Float32Array, Indices

Float64Array = NDArray[np.float64]


@dataclass(frozen=True)
class Consensus:
    """N examples and A annotators.

    Attributes:
        labels: (N,) int64 in 0..C-1, the best label of each example.
        quality: (N,) float64 in 0..1, how likely that label is right.
        annotators: (A,) float64 in 0..1, how likely a label by each is right; NaN for one who has
            labeled nothing.
    """

    labels: Indices
    quality: Float64Array
    annotators: Float64Array


def consensus_quality(votes: Float64Array, probabilities: Float32Array) -> Consensus:
    """Weigh the votes against each other and against a model that has not seen them.

    Args:
        votes: (N, A) classes 0..C-1, NaN where an annotator has not labeled an example; at least
            one vote a row.
        probabilities: (N, C) out of sample, rows sum to 1.

    Raises:
        ModelError: an example without a vote, a vote that is no class, fewer than two annotators or
            classes, or shapes that do not match.
    """
    _require(votes, probabilities)
    from cleanlab.multiannotator import get_label_quality_multiannotator

    voters = np.flatnonzero((~np.isnan(votes)).any(axis=0))
    quality = np.full(votes.shape[1], np.nan)
    with warnings.catch_warnings():
        # That no two annotators share an example, or that a class has no vote, is no fault here.
        warnings.simplefilter("ignore", UserWarning)
        found = get_label_quality_multiannotator(votes[:, voters], probabilities, verbose=False)
    stats = found["annotator_stats"]["annotator_quality"]
    quality[voters[stats.index.to_numpy(dtype=np.int64)]] = stats.to_numpy()
    table = found["label_quality"]
    return Consensus(
        table["consensus_label"].to_numpy(dtype=np.int64),
        table["consensus_quality_score"].to_numpy(dtype=np.float64),
        quality,
    )


def _require(votes: Float64Array, probabilities: Float32Array) -> None:
    if votes.ndim != 2 or probabilities.ndim != 2 or len(votes) != len(probabilities):
        raise ModelError(
            f"Votes of shape {votes.shape} do not belong to probabilities of shape "
            f"{probabilities.shape}; one row each."
        )
    voted = ~np.isnan(votes)
    if voted.any(axis=0).sum() < 2 or probabilities.shape[1] < 2:
        raise ModelError("A consensus takes two annotators who have labeled, and two classes.")
    without = np.flatnonzero(~voted.any(axis=1))
    if len(without):
        raise ModelError(
            f"{len(without)} examples have no vote (the first at position {without[0]}); leave "
            "them out."
        )
    given = votes[voted]
    if (given != np.floor(given)).any() or given.min() < 0 or given.max() >= probabilities.shape[1]:
        raise ModelError(
            f"Votes have to be classes 0..{probabilities.shape[1] - 1}; leave out all others."
        )
