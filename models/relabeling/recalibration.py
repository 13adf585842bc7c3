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

FLOOR: Final = 1e-3
"""Probabilities nearer to 0 or 1 count as this far away: no job is that sure."""

_DEVIATIONS: Final = {"intercept": 0.7, "slope": 0.3, "offset": 0.5}
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
    """
    target = np.asarray(happened, dtype=np.float64)
    if not len(target):
        return Recalibration()
    names, group = np.unique(np.asarray(groups), return_inverse=True)
    design = np.column_stack(
        [np.ones(len(group)), _logits(probabilities), np.eye(len(names))[group]]
    )
    centre = np.zeros(design.shape[1])
    centre[1] = 1.0
    deviations = np.full(design.shape[1], _DEVIATIONS["offset"])
    deviations[:2] = _DEVIATIONS["intercept"], _DEVIATIONS["slope"]
    found = _maximum(design, target, centre, deviations**-2.0)
    if found[1] < 0:
        # The objective is concave, so that the best of the slopes allowed lies at the bound.
        rest = np.delete(np.arange(len(centre)), 1)
        found[1] = 0.0
        found[rest] = _maximum(design[:, rest], target, centre[rest], deviations[rest] ** -2.0)
    offsets = dict(zip(names.tolist(), found[2:].tolist(), strict=True))
    return Recalibration(float(found[0]), float(found[1]), offsets)


def _maximum(
    design: Float64Array, target: Float64Array, centre: Float64Array, precision: Float64Array
) -> Float64Array:
    """Newton's method on the logistic likelihood with a normal prior, halving steps that lose."""

    def objective(at: Float64Array) -> float:
        logits = design @ at
        likelihood = target @ logits - np.logaddexp(0, logits).sum()
        return float(likelihood - (precision * (at - centre) ** 2).sum() / 2)

    found, best = centre.copy(), objective(centre)
    for _ in range(_STEPS):
        expected = 1 / (1 + np.exp(-(design @ found)))
        slope = design.T @ (target - expected) - precision * (found - centre)
        weights = np.maximum(expected * (1 - expected), 1e-12)
        curvature = (design * weights[:, None]).T @ design + np.diag(precision)
        step = np.linalg.solve(curvature, slope)
        while (value := objective(found + step)) < best and np.abs(step).max() > _CLOSE:
            step = step / 2
        if value < best or np.abs(step).max() <= _CLOSE:
            break
        found, best = found + step, value
    return found


def _logits(probabilities: ArrayLike) -> Float64Array:
    inside = np.clip(np.asarray(probabilities, dtype=np.float64), FLOOR, 1 - FLOOR)
    result: Float64Array = np.log(inside) - np.log1p(-inside)
    return result
