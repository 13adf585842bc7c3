"""Whether another round is expected to pay, and why.

Accuracy over the n labels is taken to follow a power law, a - b n^-c with b >= 0. For
each c of a grid, a and b are fitted by least squares, weighted by the variance A (1 - A) / m of an
accuracy A measured on m images, scaled up where the fit is worse than that (chi-square over the
degrees of freedom): images of the evaluation split, or else random draws, of which each round has
more, so that m is that of the first that has enough. Each c counts by its likelihood. The next
round is expected to bring as many labels k for its budget as the last rounds did that cost as much
together, and so

    gain = b (n^-c - (n + k)^-c),

with the variance of b and the spread over c. All rounds are judged on the same images, so the
errors of two rounds are alike and a gain is in truth known better than this: the advice to stop
comes late rather than early, and that to go on as well.

No curve here falls faster than 1/n^2, and so no gain is larger than 1 - (n / (n + k))^2 of what may
be lacking to 1, the upper end of its 80 % interval, and none is sure that is larger than this part
of what surely is, the lower end. Where what may be lacking is less than twice what a round has to
gain, accuracy is at its ceiling, and where the first is less than that, the round brings too few
labels: then no curve is asked.

Verdicts are what a round costs. It has to gain ``least_gain`` for every hundred of them, or
``least_gain`` as a whole if it has more. Advice: go on where the whole 80 % interval of the gain
lies there; stop where none of it does, at the ceiling, with too few labels, or where nothing
in-distribution is left; unclear in between; unknown where accuracies are missing.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from api.rounds.schemas import OutlookOut, Points, Reason, RoundOut
from api.rounds.shares import Z80, advised_by, inside_of, overlap_of
from core.rounds import AUDIT, CERTIFICATE, is_spent
from core.states import RoundState
from models.numerics.intervals import FEWEST as FEWEST_ANSWERS
from models.numerics.intervals import wilson

FEWEST: Final = 4
"""A power law has three parameters."""
LEAST_GAIN: Final = 0.005
PER_VERDICTS: Final = 100
"""Gains are told for so many verdicts."""
_STEEPEST: Final = 2.0
_EXPONENTS: Final = np.linspace(0.05, _STEEPEST, 40)


@dataclass(frozen=True)
class Gain:
    """Expected rise of accuracy, and its standard deviation; both in shares of 1."""

    mean: float
    deviation: float

    def chance_of(self, least: float) -> float:
        """Probability that the gain is at least ``least``, by the normal distribution."""
        if self.deviation == 0:
            return float(self.mean >= least)
        return 0.5 * math.erfc((least - self.mean) / (self.deviation * math.sqrt(2)))


def expected_gain(
    labels: Sequence[float], accuracies: Sequence[float], examples: int, more: float
) -> Gain:
    """Fit the learning curve and look ``more`` labels ahead; the module says how.

    Args:
        labels: (K,) labels after each round, > 0, K >= 3.
        accuracies: (K,) in 0..1.
        examples: How many images the accuracies were measured on, m.
        more: Labels that the next round is expected to add, k >= 0.
    """
    n, accuracy = np.array(labels, dtype=np.float64), np.array(accuracies, dtype=np.float64)
    # An accuracy of 0 or 1 on m images is not known exactly either.
    smooth = (accuracy * examples + 1) / (examples + 2)
    variance = smooth * (1 - smooth) / examples
    fits = []
    for exponent in _EXPONENTS:
        scale = n[0] ** -exponent
        design = np.stack([np.ones_like(n), -(n**-exponent) / scale], axis=1)
        normal = np.linalg.inv(design.T @ (design / variance[:, None]) + 1e-9 * np.eye(2))
        a, b = normal @ (design.T @ (accuracy / variance))
        if b < 0:
            a, b = (accuracy / variance).sum() / (1 / variance).sum(), 0.0
        misfit = float(((accuracy - design @ np.array([a, b])) ** 2 / variance).sum())
        ahead = (n[-1] ** -exponent - (n[-1] + more) ** -exponent) / scale
        fits.append((misfit, b * ahead, normal[1, 1] * ahead**2))
    misfits, gains, spreads = np.array(fits).T
    inflation = max(1.0, float(misfits.min()) / max(1, len(n) - 3))
    weights = np.exp(-(misfits - misfits.min()) / (2 * inflation))
    weights /= weights.sum()
    mean = float(weights @ gains)
    total = float(weights @ (spreads * inflation + (gains - mean) ** 2))
    return Gain(mean, math.sqrt(total))


def outlook(
    rounds: Sequence[RoundOut],
    least_gain: float = LEAST_GAIN,
    repeated: Mapping[int, int] | None = None,
) -> OutlookOut:
    """Advice on another round.

    Args:
        rounds: Of a project, in order.
        least_gain: What a round should gain at least for every hundred verdicts, or as a whole if
            it has more, in 0..1.
        repeated: By number of round, how many of its class verdicts are of images that an earlier
            round had a class for: they add no label, as several verdicts on an image add one.
    """
    # Rounds of checks teach nothing, and have a budget of their own.
    rounds = [one for one in rounds if one.strategy not in (AUDIT, CERTIFICATE)]
    closed = [one for one in rounds if one.state is RoundState.CLOSED]
    # What checks for a certificate add to the budget, the next round has not.
    budget = min(rounds[-1].budget, rounds[-1].settings["budget"]) if rounds else 0.0
    accuracy = _accuracy(closed, repeated or {}, budget, least_gain)
    reasons = [*accuracy, *_shares(closed), *_pool(closed)]
    gain = next((one for one in reasons if one.code == "gain"), None)
    final = ("ceiling", "few_labels", "gain", "pool")
    if any(one.code in final and one.points == "stop" for one in reasons):
        advice = "stop"
    elif gain is None:
        advice = "unknown"
    else:
        advice = "go_on" if gain.points == "go_on" else "unclear"
    return OutlookOut.model_validate(
        {
            "goal": "best_model",
            "advice": advice,
            "least_gain": least_gain,
            "reasons": reasons,
        }
    )


def _accuracy(
    closed: Sequence[RoundOut], repeated: Mapping[int, int], budget: float, least: float
) -> list[Reason]:
    # A round that was closed without an answer says nothing of what labels are worth.
    worked = [one for one in closed if one.answered.total]
    new = [(one.answered.label - repeated.get(one.number, 0)) / overlap_of(one) for one in worked]
    labels = np.cumsum(new)
    # Random draws judge where there is no evaluation split; they are more with every round.
    by_draws = all(one.accuracy is None for one in worked)
    of = _drawn if by_draws else _evaluated
    measured = [
        (float(count), *judged)
        for count, one in zip(labels, worked, strict=True)
        if count > 0 and (judged := of(one)) is not None
    ]
    if not measured:
        return [_reason("no_accuracy", "neither", rounds=len(closed))]
    examples = min(one[2] for one in measured) if by_draws else measured[-1][2]
    if len(measured) < FEWEST or examples == 0:
        return [_reason("few_rounds", "neither", rounds=len(measured), needed=FEWEST)]
    left = _labels_left(closed)
    more = _of_a_round(new, [one.spent for one in worked], budget)
    if left is not None:
        more = min(more, left)
    counts, accuracies, _ = zip(*measured, strict=True)
    last = accuracies[-1]
    smooth = (last * examples + 1) / (examples + 2)
    error = math.sqrt(smooth * (1 - smooth) / examples)
    by = "draws" if by_draws else "evaluation"
    evaluation = _reason(by, "neither", accuracy=last, error=error, examples=examples)
    verdicts = _of_a_round(
        [one.answered.total for one in worked],
        [one.spent for one in worked],
        budget,
    )
    needed = least * min(1.0, verdicts / PER_VERDICTS)
    lacking = min(1.0, 1 - smooth + Z80 * error)
    part = 1 - (counts[-1] / (counts[-1] + more)) ** _STEEPEST
    if lacking < 2 * needed:
        return [_reason("ceiling", "stop", lacking=lacking, least=needed), evaluation]
    if lacking * part < needed:
        few = {"more": more, "verdicts": verdicts, "high": lacking * part, "least": needed}
        return [_reason("few_labels", "stop", **few), evaluation]
    found = expected_gain(counts, accuracies, examples, more)
    # The measured accuracy rises no further than to 1.
    found = replace(found, mean=min(found.mean, 1 - last))
    surely = 1 - smooth - Z80 * error
    gain = worth(found, most=lacking * part, surely=surely * part, least=needed)
    return [
        _reason(
            "gain",
            gain.points,
            gain=gain.mean,
            low=gain.low,
            high=gain.high,
            chance=found.chance_of(needed),
            least=needed,
            labels=counts[-1],
            more=more,
            verdicts=verdicts,
        ),
        evaluation,
    ]


def _evaluated(round_: RoundOut) -> tuple[float, int] | None:
    """Accuracy on the evaluation split, and of how many images."""
    if round_.accuracy is None:
        return None
    return round_.accuracy, int(round_.metrics.get("examples", 0))


def _drawn(round_: RoundOut) -> tuple[float, int] | None:
    """Accuracy on random draws of a class, as that of the evaluation split is, and of how many."""
    found = (round_.metrics.get("audit") or {}).get("in")
    if found is None or found["n"] < FEWEST_ANSWERS:
        return None
    return float(found["share"]), int(found["n"])


@dataclass(frozen=True)
class Worth:
    """A gain with the ends of its 80 % interval, and what it speaks for."""

    mean: float
    low: float
    high: float
    points: Points


def worth(found: Gain, *, most: float, surely: float, least: float) -> Worth:
    """What speaks for a round with such a gain.

    Args:
        found: By the curve.
        most: What accuracy may rise by at most, > 0.
        surely: What there surely is to rise by; below 0 where there may be nothing.
        least: What the round has to gain, > 0.
    """
    high = min(most, max(0.0, found.mean + Z80 * found.deviation))
    low = min(high, max(0.0, surely), max(0.0, found.mean - Z80 * found.deviation))
    mean = min(max(found.mean, low), high)
    points: Points = "go_on" if low >= least else "stop" if high < least else "neither"
    return Worth(mean, low, high, points)


def _of_a_round(new: Sequence[float], costs: Sequence[float], budget: float) -> float:
    """How many of a kind ``budget`` buys, by the last rounds that cost as much together."""
    labels, spent = 0.0, 0.0
    for count, cost in zip(reversed(new), reversed(costs), strict=True):
        labels += count
        spent += cost
        if is_spent(spent, budget):
            break
    return labels * budget / spent if spent else labels


def _shares(closed: Sequence[RoundOut]) -> list[Reason]:
    """The share of IN answers of the last round against the best, of rounds with enough of them."""
    counted = [
        (inside_of(one, one.chosen), (one.chosen.label + one.chosen.ood) / overlap_of(one))
        for one in closed
    ]
    counted = [(inside, count) for inside, count in counted if count > 0]
    known = [(inside, count) for inside, count in counted if count >= FEWEST_ANSWERS]
    if len(known) < 2 or known[-1] != counted[-1]:
        return []
    best_known = max(known, key=lambda one: one[0] / one[1])
    best, last = advised_by(*best_known), advised_by(*known[-1])
    # Twice the verdicts for one label of a class, and by no accident.
    points: Points = "stop" if last.high < best.low / 2 else "neither"
    inside, count = known[-1]
    last = wilson(inside, count)
    return [
        _reason(
            "in_share",
            points,
            best=best.share,
            last=last.share,
            low=last.low,
            high=last.high,
            inside=inside,
            answers=count,
        )
    ]


def _pool(closed: Sequence[RoundOut]) -> list[Reason]:
    found = closed[-1].ood_left if closed else None
    if found is None:
        return []
    inside = found.unlabeled - (found.low or 0.0)
    values = {"unlabeled": found.unlabeled, "inside": inside}
    return [_reason("pool", "stop" if inside < 1 else "neither", **values)]


def _labels_left(closed: Sequence[RoundOut]) -> float | None:
    """Most images that may still get a label."""
    found = closed[-1].ood_left
    if found is None:
        return None
    # One in which nothing is gets a label too, though it is none of those that are left to find.
    if any(one.answered.no_objects for one in closed):
        return found.unlabeled
    return found.unlabeled - (found.low or 0.0)


def _reason(code: str, points: Points, **values: float) -> Reason:
    return Reason(code=code, points=points, values=values)
