"""How well a share is known that was counted on so many."""

import math
from dataclasses import dataclass
from typing import Final

Z80: Final = 1.281552
Z95: Final = 1.959964
FEWEST: Final = 20
"""Of fewer answers no share is told: its interval is half of all there is."""


@dataclass(frozen=True)
class Share:
    """A share in 0..1, and the ends of its interval."""

    value: float
    low: float
    high: float


def share_of(hits: float, count: int, z: float = Z80) -> Share:
    """A share with Wilson's interval.

    Args:
        hits: 0..count; an accuracy times its images need not be whole.
        count: At least one.
        z: Standard deviations to either side, of 80 % by default.
    """
    value, square = hits / count, z * z / count
    centre = (value + square / 2) / (1 + square)
    half = z * math.sqrt(value * (1 - value) / count + square / (4 * count)) / (1 + square)
    return Share(value, min(value, centre - half), max(value, centre + half))
