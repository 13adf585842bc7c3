"""How accurate a model is on what nobody was asked about, from random draws."""

from collections.abc import Sequence
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
        part: (n,) int64, 0..K-1: which part of the whole each is of. Within a part all were as
            likely to be drawn.
    """

    predicted: Indices
    truth: Indices
    unsure: NDArray[np.bool_]
    part: Indices

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self.predicted)


@dataclass(frozen=True)
class Part:
    """A part of the whole, within which all were as likely to be drawn.

    Attributes:
        size: how many examples it holds, draws among them.
        gone: how many more could have been drawn that it holds no longer.
    """

    size: int
    gone: int = 0


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
    parts: Sequence[Part],
    *,
    classes: int,
    alpha: float = 0.05,
) -> AuditEstimate:
    """Estimate the accuracy over everything that the draws were drawn from.

    Args:
        draws: in their order.
        parts: K, of each at least one draw.
        classes: C.
        alpha: chance that an interval is ever wrong.

    Raises:
        ModelError: more draws than a part holds, or none.
    """
    drawn = np.bincount(draws.part, minlength=len(parts))
    if (drawn == 0).any():
        raise ModelError("Nothing was drawn from a part, so the draws say nothing of it.")
    for n, one in zip(drawn.tolist(), parts, strict=True):
        if n > one.size:
            raise ModelError(f"{n} draws from {one.size} examples cannot be; count each once.")
    known = ~draws.unsure
    right = known & (draws.predicted == draws.truth)
    ood = known & (draws.truth == OOD)
    inside = known & ~ood

    def of(so: NDArray[np.bool_], those: NDArray[np.bool_]) -> Share | None:
        return _share_among(so, those, draws.part, parts, alpha)

    def of_all(so: NDArray[np.bool_]) -> Share | None:
        if len(draws) == 0:
            return None
        found = _share(so, draws.part, parts, alpha)
        return Share(len(draws), found.share, found.low, found.high)

    return AuditEstimate(
        n=len(draws),
        unsure=int(draws.unsure.sum()),
        accuracy=of_all(right),
        inside=of(right, inside),
        ood=of(right, ood),
        # An unsure one may be either: those are left out on both sides.
        ood_share=of(ood, known) if draws.unsure.any() else of_all(ood),
        per_class=tuple(
            ClassShare(
                class_id=one,
                recall=of(right, inside & (draws.truth == one)),
                precision=of(right, draws.predicted == one),
            )
            for one in range(classes)
        ),
    )


def _share(so: NDArray[np.bool_], part: Indices, parts: Sequence[Part], alpha: float) -> Interval:
    """Share of all, of (n,) draws: each part by itself, put together by its size.

    Within a part the draws are uniform, whenever they were made; one mean over all in their order
    would take the first parts for the whole.
    """
    found = [_share_within(so[part == at], one, alpha / len(parts)) for at, one in enumerate(parts)]
    stands = np.array([one.size for one in parts]) / sum(one.size for one in parts)
    share, low, high = (
        float(stands @ np.array([getattr(one, end) for one in found]))
        for end in ("share", "low", "high")
    )
    return Interval(share, low, high)


def _share_within(so: NDArray[np.bool_], part: Part, alpha: float) -> Interval:
    """Share of a part, of (n,) draws of it: what has left it may all have been so, or none."""
    lot = part.size + part.gone
    found = share_wrong(len(so), int(so.sum()), lot, alpha)
    return Interval(
        found.share,
        max(0.0, (found.low * lot - part.gone) / part.size),
        min(1.0, found.high * lot / part.size),
    )


def _share_among(
    so: NDArray[np.bool_],
    those: NDArray[np.bool_],
    part: Indices,
    parts: Sequence[Part],
    alpha: float,
) -> Share | None:
    """Share of `those` that are `so`; None without a draw of them.

    Nobody knows how many of those each part holds, or has lost. But of all, the share y that is of
    those and so, and the share n that is of those and not, are each within their interval, and
    y / (y + n) rises with y and falls with n.
    """
    count = int(those.sum())
    if count == 0:
        return None
    if len(parts) == 1 and not parts[0].gone:
        found = share_wrong(count, int(so[those].sum()), None, alpha)
        return Share(count, found.share, found.low, found.high)
    yes, no = (_share(those & one, part, parts, alpha / 2) for one in (so, ~so))
    return Share(
        count,
        yes.share / (yes.share + no.share),
        yes.low / (yes.low + no.high),
        yes.high / (yes.high + no.low),
    )
