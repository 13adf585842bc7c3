"""Intervals of a share, from how often something was so in independent draws."""

import math
from dataclasses import dataclass
from typing import Final

Z95: Final = 1.959964
FEWEST: Final = 20
"""Of fewer draws no share is told: its interval is half of all there is."""
_TAIL: Final = 0.025


@dataclass(frozen=True)
class Interval:
    """A share of 0..1, and what it lies within: in 95 of 100 cases, unless another z was asked for.

    Attributes:
        share: the estimate.
        low: lower end.
        high: upper end.
    """

    share: float
    low: float
    high: float


def wilson(hits: float, count: float, z: float = Z95) -> Interval:
    """Return Wilson's score interval, which covers what z stands for on average over shares.

    Args:
        hits: 0..count; neither need be whole, as where several verdicts are of one draw.
        count: draws, at least one.
        z: standard deviations to either side, of 95 % by default.

    Source: E. B. Wilson, "Probable Inference, the Law of Succession, and Statistical Inference",
    JASA 1927.
    """
    share, z2 = hits / count, z * z / count
    centre = (share + z2 / 2) / (1 + z2)
    half = z * math.sqrt(share * (1 - share) / count + z2 / (4 * count)) / (1 + z2)
    # Exactly at the ends, where rounding would leave the share outside its interval.
    low = 0.0 if hits == 0 else centre - half
    high = 1.0 if hits == count else centre + half
    return Interval(share, low, high)


def clopper_pearson(hits: int, count: int) -> Interval:
    """Return the exact interval, which covers 95 % at least, whatever the share.

    Args:
        hits: 0..count.
        count: draws, at least one.

    Source: C. J. Clopper, E. S. Pearson, "The Use of Confidence or Fiducial Limits Illustrated in
    the Case of the Binomial", Biometrika 1934.
    """
    # A tenth of the time that the API takes to start, for what few of its pages say.
    from scipy.special import betaincinv

    low = 0.0 if hits == 0 else float(betaincinv(hits, count - hits + 1, _TAIL))
    high = 1.0 if hits == count else float(betaincinv(hits + 1, count - hits, 1 - _TAIL))
    return Interval(hits / count, low, high)
