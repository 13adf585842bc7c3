"""How well a share is known that was counted on so many."""

import math
from dataclasses import dataclass
from typing import Any, Final

from api.rounds.schemas import RoundOut

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


def share_of(hits: float, count: float, z: float = Z80) -> Share:
    """A share with Wilson's interval.

    Args:
        hits: 0..count; verdicts shared among the annotators of an image need not be whole.
        count: At least one.
        z: Standard deviations to either side, of 80 % by default.
    """
    value, square = hits / count, z * z / count
    centre = (value + square / 2) / (1 + square)
    half = z * math.sqrt(value * (1 - value) / count + square / (4 * count)) / (1 + square)
    return Share(value, min(value, centre - half), max(value, centre + half))


def overlap_of(round_: RoundOut) -> int:
    """How many annotators saw each image: their verdicts on one are no images of their own."""
    settings: dict[str, Any] = round_.settings
    return int(settings.get("overlap", 1))


def inside_of(round_: RoundOut) -> float:
    """About how many images of a round got a class."""
    return round_.answered.class_ / overlap_of(round_)
