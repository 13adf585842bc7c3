"""How well a score tells out-of-distribution examples apart."""

from dataclasses import dataclass

import numpy as np
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
