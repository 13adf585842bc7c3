"""How well a share is known that was counted on so many answers of a round."""

from typing import Any, Final

from api.rounds.schemas import Answered, RoundOut
from models.numerics.intervals import Interval, wilson

Z80: Final = 1.281552


def advised_by(hits: float, count: float) -> Interval:
    """A share with the 80 % interval that advice goes by.

    Args:
        hits: 0..count; verdicts shared among the annotators of an image need not be whole.
        count: At least one.
    """
    return wilson(hits, count, Z80)


def overlap_of(round_: RoundOut) -> int:
    """How many annotators saw each image: their verdicts on one are no images of their own."""
    settings: dict[str, Any] = round_.settings
    return int(settings.get("overlap", 1))


def inside_of(round_: RoundOut, answers: Answered) -> float:
    """About how many images got a class, of some or all of the answers of a round."""
    return answers.inside / overlap_of(round_)
