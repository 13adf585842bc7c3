"""Lots: what a model gave one label, with about the same confidence."""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from models.errors import ModelError
from models.protocols import OOD, Indices

_BANDS: Final = 10
"""Bands of confidence of a label, at most."""
_LEAST: Final = 50
"""Fewer make no band of their own: too little to tell anything of."""


@dataclass(frozen=True)
class Lot:
    """Examples with one predicted label and confidences within a band.

    Attributes:
        label: class 0..C-1 or `OOD`.
        low: least confidence of a member, 0..1.
        high: largest.
        expected: mean of 1 - confidence: what would be wrong, were the model right about itself.
        members: (n,) int64 pool indices, ascending.
    """

    label: int
    low: float
    high: float
    expected: float
    members: Indices

    @property
    def size(self) -> int:
        """Return how many there are."""
        return len(self.members)


def labels_of(
    classes: Indices, probability: NDArray[np.float64], inside: NDArray[np.float64] | None
) -> tuple[Indices, NDArray[np.float64]]:
    """Return which label a model would give, and how sure it is.

    Args:
        classes: (N,) int64 in 0..C-1, the most probable class.
        probability: (N,) in 0..1, of that class, given that the example has one.
        inside: (N,) in 0..1, of being in-distribution; None where nobody knows: then nothing is
            taken for OOD.

    Returns:
        (N,) int64 of classes or `OOD`, and (N,) float64 confidences in 0..1, higher = surer.
    """
    if inside is None:
        return classes.astype(np.int64), probability.astype(np.float64)
    known = inside * probability
    labels = np.where(known >= 1 - inside, classes, OOD).astype(np.int64)
    return labels, np.maximum(known, 1 - inside)


def make_lots(labels: Indices, confidence: NDArray[np.float64], members: Indices) -> list[Lot]:
    """Cut examples into lots: of each label, bands of equal count, the surest first.

    Args:
        labels: (N,) int64, a class or `OOD`, as `labels_of` says.
        confidence: (N,) in 0..1.
        members: (N,) int64 pool indices: everything that is unlabeled, and what was drawn at random
            and never learned from.

    Returns:
        Ordered by label (classes first, OOD last), then from the surest band to the least sure. The
        same arrays give the same lots, whatever their order.

    Raises:
        ModelError: arrays of different lengths, or confidences outside 0..1.
    """
    if not len(labels) == len(confidence) == len(members):
        raise ModelError("Labels, confidences and members of lots must be as many as each other.")
    if len(confidence) and not (confidence.min() >= 0 and confidence.max() <= 1):
        raise ModelError("Confidences must lie in 0..1; train the model again.")
    found = []
    for label in sorted(set(labels.tolist()), key=lambda one: (one == OOD, one)):
        rows = np.flatnonzero(labels == label)
        order = rows[np.lexsort((members[rows], -confidence[rows]))]
        for part in np.array_split(order, max(1, min(_BANDS, len(order) // _LEAST))):
            sure = confidence[part]
            found.append(
                Lot(
                    label=int(label),
                    low=float(sure.min()),
                    high=float(sure.max()),
                    expected=float(1 - sure.mean()),
                    members=np.sort(members[part]).astype(np.int64),
                )
            )
    return found
