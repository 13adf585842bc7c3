"""How sure a share is, by how many it is of, and shares as they are promised."""

import math
from collections.abc import Mapping
from typing import Any, Final

FEWEST: Final = 20
"""Of fewer no share is told, as on the pages: it might be nearly anything."""
_Z95: Final = 1.959964
_BINARY: Final = 1e-6
# What sums of fractions may add to a share or take from it.
_NOTHING: Final = 1e-9


def wilson(share: float, count: float) -> tuple[float, float]:
    """Return the ends of Wilson's 95 % interval.

    Args:
        share: 0..1, of that many.
        count: Independent draws, at least one.
    """
    z2 = _Z95 * _Z95 / count
    centre = (share + z2 / 2) / (1 + z2)
    half = _Z95 * math.sqrt(share * (1 - share) / count + z2 / (4 * count)) / (1 + z2)
    return max(0.0, min(share, centre - half)), min(1.0, max(share, centre + half))


def measured(share: float | None, count: float | None) -> str | None:
    """A share as a percentage with its interval, such as 91.8% (80–97).

    Args:
        share: 0..1, or None.
        count: Of how many it is; None where nobody counted, which tells it as it is.

    Returns:
        None without a share, and that there is too little to say where it is of few.
    """
    if share is None:
        return None
    if count is None:
        return percent(share, 1)
    if count < FEWEST:
        return "too few yet"
    low, high = wilson(share, count)
    least, most = _ends(low, high)
    return f"{percent(share, max(1, _digits(low, high)))} ({least:g}–{most:g})"


def at_most(share: float) -> str:
    """What a share is not above, in percent: rounded up, as what is promised has to hold.

    Args:
        share: 0..1.
    """
    return f"{_up(1000 * share) / 10:.1f}%"


def at_least(share: float) -> str:
    """What a share is not below, in percent: rounded down.

    Args:
        share: 0..1.
    """
    return f"{_down(1000 * share) / 10:.1f}%"


def sure(confidence: float) -> str:
    """How sure a promise is, in percent: rounded down, so that only certainty is 100%.

    Args:
        confidence: 0..1.
    """
    return f"{_down(10_000 * confidence) / 100:g}%"


def band(low: float, high: float) -> str:
    """From where to where shares are, in percent, as finely as tells a narrow band from the next.

    Args:
        low: 0..1.
        high: From ``low`` to 1.
    """
    return "–".join(f"{end:g}%" for end in _ends(low, high))


def _ends(low: float, high: float) -> tuple[float, float]:
    """The ends in percent, rounded outwards."""
    fine = 10 ** _digits(low, high)
    return _down(100 * fine * low) / fine, _up(100 * fine * high) / fine


def _digits(low: float, high: float) -> int:
    return 0 if high - low >= 0.02 else 1 if high - low >= 0.002 else 2


def percent(share: float, digits: int) -> str:
    """A share in percent, with more digits where it would read as none or all and is neither.

    Args:
        share: 0..1.
        digits: At least so many.
    """
    told = f"{share:.{digits}%}"
    is_between = _NOTHING < share < 1 - _NOTHING
    return percent(share, digits + 1) if is_between and float(told[:-1]) in (0, 100) else told


def _down(value: float) -> int:
    # Not by what binary fractions take from it: 0.07 of 100 are 7.
    return math.floor(value + _BINARY)


def _up(value: float) -> int:
    return math.ceil(value - _BINARY)


def inside_share(round_: Mapping[str, Any]) -> str | None:
    """How many of a round's images are of the classes, of those with a label and the OOD ones.

    Where boxes are drawn, an image with none has a label, and is of none of them. Verdicts of
    several annotators on an example are no examples of their own.
    """
    # Servers of before counted what was checked and sent as well.
    answered = round_.get("chosen", round_["answered"])
    # And called it after the class.
    labels = answered["label"] if "label" in answered else answered["class"]
    overlap = round_["settings"].get("overlap", 1)
    return measured(round_["in_share"], (labels + answered["ood"]) / overlap)


def accuracy(round_: Mapping[str, Any]) -> str | None:
    """The accuracy of a round's model, by the examples that it was measured on."""
    return measured(round_["accuracy"], round_["metrics"].get("examples", 0))
