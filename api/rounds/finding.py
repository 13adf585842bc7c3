"""Whether another round finds enough of what is looked for, of a project that is to find all.

What is left of the classes in the pool is estimated from what round 0 drew and from the calibrated
purity (``RoundOut.ood_left``), with a 95 % interval; how soon it is found, by the last answers.
Advice: stop where surely ``FOUND`` of all are found, or where surely less than ``LEAST_YIELD`` of
the answers find one (80 % interval); go on where surely neither is so; unclear in between; unknown
with fewer than ``FEWEST`` answers, or without an estimate.
"""

from collections.abc import Sequence
from typing import Final, Literal

from api.rounds.schemas import OutlookOut, Points, Reason, RoundOut
from api.rounds.shares import advised_by, inside_of, overlap_of
from core.rounds import AUDIT, CERTIFICATE
from core.states import RoundState
from models.numerics.intervals import FEWEST, Interval, wilson

FOUND: Final = 0.95
LEAST_YIELD: Final = 0.02


def outlook(
    rounds: Sequence[RoundOut],
    found: int,
    least_gain: float,
    *,
    unlabeled: int,
    since: float | None = None,
) -> OutlookOut:
    """Advice on another round.

    Args:
        rounds: Of a project, in order.
        found: Images of the pool that have a class by now.
        least_gain: Handed back; it is about accuracy.
        unlabeled: Images of the pool without a verdict, whether anybody is asked about them or not.
        since: Of those found, how many were unlabeled when what is left was estimated; as many as
            rounds that are not closed have found if left out.
    """
    closed = [one for one in rounds if one.state is RoundState.CLOSED]
    if since is None:
        going_on = [one for one in rounds if one.state is not RoundState.CLOSED]
        since = sum(inside_of(one, one.answered) for one in going_on)
    # What was drawn, or is to be certified, no strategy has looked for.
    looked = [one for one in closed if one.strategy not in (AUDIT, CERTIFICATE)]
    reasons = [*_left(closed, found, unlabeled, since), *_yield(looked)]
    points = {one.code: one.points for one in reasons}
    advice: Literal["stop", "go_on", "unclear", "unknown"]
    if "stop" in points.values():
        advice = "stop"
    elif not {"left", "yield"} <= set(points):
        advice = "unknown"
    else:
        advice = "go_on" if set(points.values()) == {"go_on"} else "unclear"
    return OutlookOut(goal="find_all", advice=advice, least_gain=least_gain, reasons=reasons)


def left_points(found: float, low: float, high: float) -> Points:
    """What an estimate of ``low`` to ``high`` images left speaks for, with ``found`` so far."""
    if high < 1 or found >= FOUND * (found + high):
        return "stop"
    return "go_on" if low >= 1 and found < FOUND * (found + low) else "neither"


def yield_points(share: Interval) -> Points:
    """What it speaks for that so many of the last answers have found an image."""
    if share.high < LEAST_YIELD:
        return "stop"
    return "go_on" if share.low >= LEAST_YIELD else "neither"


def _left(closed: Sequence[RoundOut], found: int, unlabeled: int, since: float) -> list[Reason]:
    estimate = next((one.ood_left for one in reversed(closed) if one.ood_left is not None), None)
    if estimate is not None and estimate.unlabeled == 0:
        return [_reason("left", "stop", found=found, left=0, low=0, high=0)]
    if estimate is None or estimate.count is None:
        return [_reason("not_estimated", "neither", found=found)]
    assert estimate.low is not None
    assert estimate.high is not None
    # Estimated when the last round closed: what was found since is left no more.
    low, left, high = (
        min(unlabeled, max(0.0, estimate.unlabeled - ood - since))
        for ood in (estimate.high, estimate.count, estimate.low)
    )
    points = left_points(found, low, high)
    return [_reason("left", points, found=found, left=left, low=low, high=high)]


def _yield(closed: Sequence[RoundOut]) -> list[Reason]:
    """Of the last rounds that have enough answers together, how many answers found one.

    Before the first has closed nothing is said: those that are being learned from are not few.
    """
    if not closed:
        return []
    inside, answers = 0.0, 0.0
    for one in reversed(closed):
        counts = one.chosen
        inside += inside_of(one, counts)
        answers += (counts.label + counts.ood + counts.unsure) / overlap_of(one)
        if answers >= FEWEST:
            break
    if answers < FEWEST:
        return [_reason("few_answers", "neither", answers=answers, needed=FEWEST)]
    points, share = yield_points(advised_by(inside, answers)), wilson(inside, answers)
    values = {"inside": inside, "answers": answers, "share": share.share}
    return [_reason("yield", points, low=share.low, high=share.high, **values)]


def _reason(code: str, points: Points, **values: float) -> Reason:
    return Reason(code=code, points=points, values=values)
