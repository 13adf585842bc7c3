"""What a certificate will still take, and bring: it is played through as it may come.

In every play each example is wrong with the chance that the model itself gives it, but that all of
them are wrong more or less often than it says by one factor of the odds, drawn for the play: models
are seldom as right as they are sure. Where people have looked already, factors under which their
verdicts are unlikely come seldom. Then draws are asked and answered as in earnest.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit, xlog1py, xlogy

from models.guarantee.certification import Certification

_FACTORS: Final = np.linspace(-4, 3, 29)
"""Of the odds that a label is wrong, beside what the model says; logarithms to the base of 2."""
_USUAL, _SPREAD = -0.5, 1.25
"""Of these before anybody has looked, mean and standard deviation: a model that has learned from
few is as a rule right more often than it is sure, and one of difficult classes less often."""
_LEAST_CHANCE: Final = 1e-4
"""No model is so sure that nothing speaks against it."""


@dataclass(frozen=True)
class Outlook:
    """How the plays went.

    Attributes:
        answers: draws that people will be asked about beyond those they are asked already, on
            average.
        low: the same of a play with few, which one of ten falls short of.
        high: of one with many, which one of ten exceeds.
        labeled: how many examples the model would label in the end, on average.
        in_vain: share of plays in which nothing passed, 0..1.
        passing: (lots,) of each lot the share of plays in which it passed, 0..1.
    """

    answers: int
    low: int
    high: int
    labeled: int
    in_vain: float
    passing: NDArray[np.float64]


def outlook(state: Certification, *, at_once: int, plays: int, seed: int) -> Outlook:
    """Play a certificate through to its end.

    Args:
        state: as it is now; it is left as it is.
        at_once: draws that people are asked about at a time, at most.
        plays: how many times, >= 1.
        seed: of what comes in the plays: the same state gives the same outlook.
    """
    rng = np.random.default_rng(seed)
    chances = _chances(state)
    weights = _weights(state, chances)
    answers = np.empty(plays)
    labeled = np.empty(plays)
    passing = np.zeros(len(state.lots))
    sizes = np.array([lot.size for lot in state.lots])
    for number, factor in enumerate(rng.choice(len(_FACTORS), plays, p=weights)):
        play = state.copied()
        chance = chances[factor]
        for draw in play.waiting():
            play.observe(draw.index, bool(rng.random() < chance[draw.lot]))
        answers[number] = 0
        while draws := play.next_draws(at_once):
            wrong = rng.random(len(draws)) < chance[[draw.lot for draw in draws]]
            for draw, is_wrong in zip(draws, wrong.tolist(), strict=True):
                play.observe(draw.index, is_wrong)
            answers[number] += len(draws)
        decided = play.decide().lots
        passed = np.array([one.state == "passed" for one in decided])
        drawn = np.array([one.drawn for one in decided])
        labeled[number] = (sizes - drawn)[passed].sum()
        passing += passed
    low, high = np.quantile(answers, [0.1, 0.9], method="nearest")
    return Outlook(
        answers=round(answers.mean()),
        low=int(low),
        high=int(high),
        labeled=round(labeled.mean()),
        in_vain=float((labeled == 0).mean()),
        passing=passing / plays,
    )


def _chances(state: Certification) -> NDArray[np.float64]:
    """(factors, lots): how likely people contradict a label of a lot."""
    expected = np.clip([lot.expected for lot in state.lots], _LEAST_CHANCE, 1 - _LEAST_CHANCE)
    chances: NDArray[np.float64] = expit(logit(expected) + np.log(2) * _FACTORS[:, None])
    return chances


def _weights(state: Certification, chances: NDArray[np.float64]) -> NDArray[np.float64]:
    """(factors,): how likely each is after what people have said."""
    known = state.decide().lots
    drawn = np.array([lot.drawn for lot in known])
    wrong = np.array([lot.wrong for lot in known])
    told = (xlogy(wrong, chances) + xlog1py(drawn - wrong, -chances)).sum(axis=1)
    told -= ((_FACTORS - _USUAL) / _SPREAD) ** 2 / 2
    weights: NDArray[np.float64] = np.exp(told - told.max())
    weights /= weights.sum()
    return weights
