"""Pruning scores from the course of a training that were tried and are not in the catalog.

Scores are (N,) float64, higher = keep first. Logits are (E, N, C) float32, what a warm-up said of N
examples after each of E epochs, and labels (N,) int64, some of them wrong.
"""

import numpy as np
from numpy.typing import NDArray

from models.numerics.probability import log_softmax, softmax
from models.protocols import Float32Array, Indices
from models.pruning.view import PruningView

Float64Array = NDArray[np.float64]


def el2n(logits: Float32Array, labels: Indices) -> Float64Array:
    """Norm of the error vector p - y after the last of a few epochs: hard examples first.

    Source: M. Paul et al., "Deep Learning on a Data Diet", NeurIPS 2021, definition 2.3.
    """
    error = softmax(logits[-1]).astype(np.float64)
    error[np.arange(len(labels)), labels] -= 1
    norms: Float64Array = np.sqrt((error**2).sum(axis=1))
    return norms


def aum(view: PruningView) -> Float64Array:
    """Area under the margin: what is likely labeled right first.

    Source: G. Pleiss et al., "Identifying Mislabeled Data using the Area Under the Margin Ranking",
    NeurIPS 2020, equation 1.
    """
    area: Float64Array = view.given("margins").astype(np.float64).mean(axis=0)
    return area


def alignment(logits: Float32Array, labels: Indices, reference: Float64Array) -> Float64Array:
    """Correlate the course of each loss with that of examples known to be right.

    Source: H. Qin et al., "Beyond Loss Values: Robust Dynamic Pruning via Loss Trajectory
    Alignment", CVPR 2026, the dynamic alignment score; there it ranks anew after each epoch, here
    it ranks once.

    Args:
        logits: (E, N, C).
        labels: (N,).
        reference: (E,) mean loss of examples whose labels are right.
    """
    own = np.take_along_axis(log_softmax(logits), labels[None, :, None], axis=2)[:, :, 0]
    courses = -own.astype(np.float64)
    courses -= courses.mean(axis=0)
    aim = reference - reference.mean()
    sizes = np.linalg.norm(courses, axis=0) * np.linalg.norm(aim)
    result: Float64Array = (aim @ courses) / np.maximum(sizes, 1e-12)
    return result
