"""How accurate a model is on what nobody was asked about, from random draws."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from models.errors import ModelError
from models.guarantee.sequences import share_wrong
from models.numerics.intervals import Interval
from models.protocols import OOD, Indices


@dataclass(frozen=True)
class Draws:
    """Examples that were drawn at random, in the order of their draws.

    Attributes:
        predicted: (n,) int64, class or `OOD`, by a model that learned from none of them.
        truth: (n,) int64, what people said: class or `OOD`; whatever where `unsure`.
        unsure: (n,) whether they were unsure.
        probability: (n,) in 0..1, the chance each had to be drawn; equal where all had the same.
    """

    predicted: Indices
    truth: Indices
    unsure: NDArray[np.bool_]
    probability: NDArray[np.float64]

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self.predicted)


@dataclass(frozen=True)
class Share:
    """A share of n draws, and what it lies within at every look."""

    n: int
    share: float
    low: float
    high: float


@dataclass(frozen=True)
class ClassShare:
    """One class.

    Attributes:
        class_id: 0..C-1.
        recall: of examples that are of it, those the model says so of; None without a draw.
        precision: of examples the model says so of, those that are of it; None without a draw.
    """

    class_id: int
    recall: Share | None
    precision: Share | None


@dataclass(frozen=True)
class AuditEstimate:
    """What random draws tell of a model. Each interval holds by itself.

    Attributes:
        n: draws that were answered.
        unsure: of how many people were unsure; they count as wrong for `accuracy`, and for
            nothing where it matters what an example is.
        accuracy: of all, those labeled rightly.
        inside: of the in-distribution, those given their class.
        ood: of the OOD, those taken for it.
        ood_share: how many are OOD.
        per_class: of every class, in order.
    """

    n: int
    unsure: int
    accuracy: Share | None
    inside: Share | None
    ood: Share | None
    ood_share: Share | None
    per_class: tuple[ClassShare, ...]


def estimate(
    draws: Draws,
    *,
    lot: int,
    classes: int,
    alpha: float = 0.05,
) -> AuditEstimate:
    """Estimate the accuracy over everything that the draws were drawn from.

    Args:
        draws: in their order.
        lot: how many examples they were drawn from, draws among them.
        classes: C.
        alpha: chance that an interval is ever wrong.

    Raises:
        ModelError: more draws than the lot holds.
    """
    if len(draws) > lot:
        raise ModelError(f"{len(draws)} draws from {lot} examples cannot be; count each once.")
    known = ~draws.unsure
    right = known & (draws.predicted == draws.truth)
    ood = known & (draws.truth == OOD)
    inside = known & ~ood

    def of(those: NDArray[np.bool_], so: NDArray[np.bool_], size: int | None) -> Share | None:
        return _share(so[those], draws.probability[those], size, alpha)

    return AuditEstimate(
        n=len(draws),
        unsure=int(draws.unsure.sum()),
        accuracy=of(np.ones(len(draws), dtype=np.bool_), right, lot),
        inside=of(inside, right, None),
        ood=of(ood, right, None),
        # An unsure one may be either: those are left out on both sides.
        ood_share=of(known, ood, None if draws.unsure.any() else lot),
        per_class=tuple(
            ClassShare(
                class_id=one,
                recall=of(inside & (draws.truth == one), right, None),
                precision=of(draws.predicted == one, right, None),
            )
            for one in range(classes)
        ),
    )


def _share(
    so: NDArray[np.bool_], probability: NDArray[np.float64], lot: int | None, alpha: float
) -> Share | None:
    """Share of (n,) draws, weighted where some were likelier than others; None of no draws."""
    n = len(so)
    if n == 0:
        return None
    if np.ptp(probability) <= 1e-9 * probability.max():
        found = share_wrong(n, int(so.sum()), lot, alpha)
    else:
        found = _weighted(so, probability, alpha)
    return Share(n, found.share, found.low, found.high)


def _weighted(so: NDArray[np.bool_], probability: NDArray[np.float64], alpha: float) -> Interval:
    """Each part of equal chance by itself, put together by how much of the whole each stands for.

    Images that came later had less of a chance. Within a part the draws are uniform, whenever they
    were made; one mean over all in their order would take the first parts for the whole. How much
    a part stands for is estimated by its draws, each of which stands for 1 / chance examples.
    """
    steps = np.diff(np.sort(probability)) > 1e-9 * probability.max()
    part = np.searchsorted(np.sort(probability)[1:][steps], probability, side="right")
    parts = [part == one for one in np.unique(part)]
    stands = np.array([(1 / probability[mine]).sum() for mine in parts])
    stands /= stands.sum()
    found = [
        share_wrong(int(mine.sum()), int(so[mine].sum()), None, alpha / len(parts))
        for mine in parts
    ]
    share, low, high = (
        float(stands @ np.array([getattr(one, end) for one in found]))
        for end in ("share", "low", "high")
    )
    return Interval(share, low, high)
