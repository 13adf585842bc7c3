"""How well a score tells out-of-distribution examples apart."""

import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import average_precision_score, roc_auc_score

from models.protocols import Float32Array


@dataclass(frozen=True)
class OodDetection:
    """How well a score tells OOD from in-distribution examples; all in 0..1.

    Attributes:
        auroc: probability that an IN example scores higher than an OOD example.
        aupr_out: average precision with OOD as what is looked for.
        fpr95: share of OOD examples that pass at the threshold that 95 % of IN examples pass;
            lower is better.
    """

    auroc: float
    aupr_out: float
    fpr95: float


def ood_detection(inside: Float32Array, ood: Float32Array) -> OodDetection:
    """Judge a score, higher = more in-distribution, by (n,) IN and (m,) OOD values; n, m >= 1.

    Source: thesis, section 3.4 (effect on OOD detection).
    """
    scores = np.concatenate([inside, ood]).astype(np.float64)
    is_ood = np.arange(len(scores)) >= len(inside)
    # At least 95 % of IN pass: the threshold is one of their scores.
    threshold = np.sort(inside.astype(np.float64))[int(np.floor(0.05 * len(inside)))]
    return OodDetection(
        auroc=float(roc_auc_score(~is_ood, scores)),
        aupr_out=float(average_precision_score(is_ood, -scores)),
        fpr95=float((scores[is_ood] >= threshold).mean()),
    )


@dataclass(frozen=True)
class Telling:
    """How well a score tells examples of any class from those of none; higher is better.

    Attributes:
        auroc: 0..1, the probability that one of a class scores higher than one of none.
        error: standard error of it, >= 0.
        average_precision: 0..1, with those of a class as what is looked for.
        inside: how many of a class it was measured on.
        ood: how many of none.
    """

    auroc: float
    error: float
    average_precision: float
    inside: int
    ood: int

    def to_json(self) -> dict[str, Any]:
        """Return the attributes by name."""
        return asdict(self)


def telling(score: NDArray[np.floating], inside: NDArray[np.bool_]) -> Telling | None:
    """Judge a score by what the examples are.

    The error is that of J. A. Hanley, B. J. McNeil, "The Meaning and Use of the Area under a
    Receiver Operating Characteristic (ROC) Curve", Radiology 1982, with one more right and one more
    wrong pair of each, so that it is not 0 where few are told apart without a fault.

    Args:
        score: (N,) higher = more probably of a class.
        inside: (N,) whether each is of a class.

    Returns:
        None without examples of both kinds.
    """
    positive, negative = int(inside.sum()), int((~inside).sum())
    if positive == 0 or negative == 0:
        return None
    exact = score.astype(np.float64)
    auroc = float(roc_auc_score(inside, exact))
    smooth = (auroc * min(positive, negative) + 0.5) / (min(positive, negative) + 1)
    first, second = smooth / (2 - smooth), 2 * smooth**2 / (1 + smooth)
    variance = (
        smooth * (1 - smooth)
        + (positive - 1) * (first - smooth**2)
        + (negative - 1) * (second - smooth**2)
    ) / (positive * negative)
    return Telling(
        auroc=auroc,
        error=math.sqrt(max(0.0, variance)),
        average_precision=float(average_precision_score(inside, exact)),
        inside=positive,
        ood=negative,
    )
