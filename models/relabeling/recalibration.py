"""What the decisions of a review teach about the probabilities that a job has said.

With a job's probability p of an event, and the group g that a suggestion belongs to, the events
that were decided follow

    P(event) = 1 / (1 + exp(-(a + b logit p + c_g))),    b >= 0,

a logistic recalibration. Intercept a, slope b and offsets c_g maximise the likelihood of the
decisions times normal priors around the identity, a = 0, b = 1, c = 0: a handful of decisions
hardly moves what the job has said, and hundreds overrule it.

Source: J. Platt, "Probabilistic Outputs for Support Vector Machines", 1999; D. R. Cox, "Two Further
Applications of a Model for Binary Regression", Biometrika 1958, with priors.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from models.numerics.finite import require_numbers

FLOOR: Final = 1e-3
"""Probabilities nearer to 0 or 1 count as this far away: no job is that sure."""

# Inverse variances of the priors: of intercept and slope, and of an offset.
_LINE: Final = np.array([0.7, 0.3]) ** -2.0
_OFFSET: Final = 0.5**-2.0
_STEPS: Final = 50
_CLOSE: Final = 1e-9

Float64Array = NDArray[np.float64]


@dataclass(frozen=True)
class Recalibration:
    """How probabilities are corrected. The default corrects nothing.

    Attributes:
        intercept: a, in logits.
        slope: b >= 0.
        offsets: c of each group, in logits; groups that are not named have 0.
    """

    intercept: float = 0.0
    slope: float = 1.0
    offsets: Mapping[int, float] = field(default_factory=dict)

    def apply(self, probabilities: ArrayLike, groups: ArrayLike) -> Float64Array:
        """Return (N,) corrected probabilities, within a group never falling where p rises.

        Args:
            probabilities: (N,) in 0..1, as the job said.
            groups: (N,) numbers of groups.
        """
        offsets = np.array([self.offsets.get(one, 0.0) for one in np.asarray(groups).tolist()])
        logits = self.intercept + self.slope * _logits(probabilities) + offsets
        result: Float64Array = 1 / (1 + np.exp(-logits))
        return result


def recalibrate(probabilities: ArrayLike, groups: ArrayLike, happened: ArrayLike) -> Recalibration:
    """Learn from N decisions; from none, that nothing is to be corrected.

    Args:
        probabilities: (N,) in 0..1, as the job said.
        groups: (N,) numbers of groups, of any values.
        happened: (N,) whether the event was found to be so.

    Raises:
        ModelError: a probability is not finite.
    """
    require_numbers("Probabilities to recalibrate", probabilities)
    target = np.asarray(happened, dtype=np.float64)
    if not len(target):
        return Recalibration()
    names, group = np.unique(np.asarray(groups), return_inverse=True)
    logits = _logits(probabilities)
    both = np.column_stack([np.ones(len(group)), logits])
    line, offsets = _maximum(_Decisions(both, np.array([0.0, 1.0]), _LINE, group, target))
    intercept, slope = line.tolist()
    if slope < 0:
        # The objective is concave, so that the best of the slopes allowed lies at the bound.
        alone = _Decisions(both[:, :1], np.zeros(1), _LINE[:1], group, target)
        line, offsets = _maximum(alone)
        intercept, slope = float(line[0]), 0.0
    return Recalibration(intercept, slope, dict(zip(names.tolist(), offsets.tolist(), strict=True)))


@dataclass(frozen=True)
class _Decisions:
    """N decisions in G groups, and the normal prior of the line that they are explained by.

    Attributes:
        design: (N, P), what the line is made of.
        centre: (P,), its prior's mean.
        precision: (P,) > 0, its prior's inverse variances.
        group: (N,) int64 in 0..G-1, each number at least once.
        target: (N,) 0 or 1.
    """

    design: Float64Array
    centre: Float64Array
    precision: Float64Array
    group: NDArray[np.int64]
    target: Float64Array

    def logits(self, line: Float64Array, offsets: Float64Array) -> Float64Array:
        result: Float64Array = self.design @ line + offsets[self.group]
        return result

    def objective(self, line: Float64Array, offsets: Float64Array) -> float:
        """Logarithm of likelihood times prior, but for a constant."""
        logits = self.logits(line, offsets)
        prior = self.precision @ (line - self.centre) ** 2 + _OFFSET * (offsets @ offsets)
        return float(self.target @ logits - np.logaddexp(0, logits).sum() - prior / 2)

    def step(self, line: Float64Array, offsets: Float64Array) -> tuple[Float64Array, Float64Array]:
        """Newton's step: no decision has two groups, so that offsets are eliminated one by one."""
        expected = 1 / (1 + np.exp(-self.logits(line, offsets)))
        missing = self.target - expected
        weights = np.maximum(expected * (1 - expected), 1e-12)
        weighted = self.design * weights[:, None]
        slope = self.design.T @ missing - self.precision * (line - self.centre)
        of_offsets = np.bincount(self.group, missing) - _OFFSET * offsets
        own = np.bincount(self.group, weights) + _OFFSET
        shared = np.stack([np.bincount(self.group, column) for column in weighted.T])
        # The Schur complement of the offsets' block, which is diagonal.
        rest = weighted.T @ self.design + np.diag(self.precision) - (shared / own) @ shared.T
        solved = np.linalg.solve(rest, slope - (shared / own) @ of_offsets)
        by_line = solved.astype(np.float64, copy=False)
        by_offsets: Float64Array = (of_offsets - by_line @ shared) / own
        return by_line, by_offsets


def _maximum(decisions: _Decisions) -> tuple[Float64Array, Float64Array]:
    """Newton's method, halving steps that lose: (P,) of the line, and (G,) offsets."""
    line, offsets = decisions.centre, np.zeros(int(decisions.group.max()) + 1)
    best = decisions.objective(line, offsets)
    for _ in range(_STEPS):
        by_line, by_offsets = decisions.step(line, offsets)
        longest = max(float(np.abs(by_line).max()), float(np.abs(by_offsets).max()))
        while (
            value := decisions.objective(line + by_line, offsets + by_offsets)
        ) < best and longest > _CLOSE:
            by_line, by_offsets, longest = by_line / 2, by_offsets / 2, longest / 2
        if value < best or longest <= _CLOSE:
            break
        line, offsets, best = line + by_line, offsets + by_offsets, value
    return line, offsets


def _logits(probabilities: ArrayLike) -> Float64Array:
    inside = np.clip(np.asarray(probabilities, dtype=np.float64), FLOOR, 1 - FLOOR)
    result: Float64Array = np.log(inside) - np.log1p(-inside)
    return result
