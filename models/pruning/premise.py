"""The premise of Prune4ReL, looked at: what sure kept examples surround is relabeled rightly.

Source: thesis, section 5.2.1, where relabeling accuracy is drawn over 15 bins of the neighbourhood
confidence.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.stats import spearmanr

from models.numerics.intervals import Interval, wilson
from models.protocols import Float32Array, Indices
from models.pruning.view import Float64Array
from models.relabeling.opinions import Axes, sop_head

BINS: Final = 15

_HIGHEST: Final = 0.98
"""Share of the examples up to which bins are of one width: the last holds whoever is beyond."""
_FEWEST: Final = 10
"""Of fewer examples the share of a bin says next to nothing, and takes no part in correlations."""
_FEWEST_BINS: Final = 4


@dataclass(frozen=True)
class Bin:
    """Examples whose neighbourhood confidence is alike.

    Attributes:
        low: the least confidence, and
        high: the highest that would be of this bin.
        count: how many examples there are.
        known: of how many the true class is known.
        labels_right: share of these whose given label is right; None without any.
        relabeled_right: share of these that are relabeled to the true class; None without any, or
            where nothing tells.
    """

    low: float
    high: float
    count: int
    known: int
    labels_right: Interval | None
    relabeled_right: Interval | None


@dataclass(frozen=True)
class Premise:
    """Neighbourhood confidence against what is right.

    Attributes:
        bins: by rising confidence.
        labels: Spearman's rank correlation, over the bins, of confidence and the share of labels
            that are right, -1..1; None where too few bins tell.
        relabeled: the same of the share that is relabeled rightly.
    """

    bins: tuple[Bin, ...]
    labels: float | None
    relabeled: float | None


def relabeled_by_head(
    features: Float32Array, labels: Indices, kept: Indices, classes: int
) -> Indices:
    """Say what every example is by a head that withstands wrong labels and has learned a subset.

    Args:
        features: (N, D) float32, made without the labels.
        labels: (N,) int64 in 0..classes-1.
        kept: (n,) int64 positions that are learned from.
        classes: C.

    Returns:
        (N,) int64 in 0..classes-1.
    """
    x = Axes.fit(features).apply(features)
    said: Indices = sop_head(x[kept], labels[kept], x, classes).argmax(axis=1).astype(np.int64)
    return said


def premise_of(
    neighbourhood: Float64Array,
    known: NDArray[np.bool_],
    labels_right: NDArray[np.bool_],
    relabeled_right: NDArray[np.bool_] | None,
) -> Premise:
    """Divide N examples into up to 15 bins of one width by their neighbourhood confidence.

    Args:
        neighbourhood: (N,) float64 >= 0, the confidence of the kept examples around each.
        known: (N,) bool, whether the true class is known.
        labels_right: (N,) bool, whether the given label is the true class, where that is known.
        relabeled_right: (N,) bool, whether the example is relabeled to it, likewise; None where
            nothing tells.
    """
    low, top = float(neighbourhood.min()), float(neighbourhood.max())
    high = float(np.quantile(neighbourhood, _HIGHEST))
    if high <= low:
        high = top
    edges = np.linspace(low, high, BINS + 1) if high > low else np.array([low, high])
    count = len(edges) - 1
    place = np.clip(np.searchsorted(edges, neighbourhood, side="right") - 1, 0, count - 1)
    edges[-1] = top
    bins = []
    for number in range(count):
        inside = place == number
        told = inside & known
        bins.append(
            Bin(
                float(edges[number]),
                float(edges[number + 1]),
                int(inside.sum()),
                int(told.sum()),
                _share(labels_right[told]),
                None if relabeled_right is None else _share(relabeled_right[told]),
            )
        )
    telling = [one for one in bins if one.known >= _FEWEST]
    return Premise(
        tuple(bins),
        _correlation([one.labels_right for one in telling]),
        _correlation([one.relabeled_right for one in telling]),
    )


def _share(right: NDArray[np.bool_]) -> Interval | None:
    return wilson(int(right.sum()), len(right)) if len(right) else None


def _correlation(shares: list[Interval | None]) -> float | None:
    """Rank correlation of shares with their order; None of too few, or where all are alike."""
    values = [one.share for one in shares if one is not None]
    if len(values) < _FEWEST_BINS or len(set(values)) == 1:
        return None
    return float(spearmanr(np.arange(len(values)), values).statistic)
