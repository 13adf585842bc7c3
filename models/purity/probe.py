"""A classifier of in-distribution against OOD, trained on every verdict so far.

Ours. The annotators' OOD verdicts are the best evidence there is about purity, and the published
method leaves them unused. Kernel ridge regression on unit-length embeddings, since IN and OOD are
each a union of classes that no hyperplane separates; leave-one-out predictions come in closed
form (R. Rifkin, R. Lippert, "Notes on Regularized Least Squares", MIT 2007, section 4) and
calibrate it (J. Platt, "Probabilistic Outputs for Support Vector Machines", 1999).
"""

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from models.errors import NotReady
from models.params.scores import ProbeParams
from models.probability import fit_sigmoid, sigmoid
from models.protocols import OOD, Float32Array, PoolView
from models.purity.knn import unit_rows

_BLOCK_VALUES = 8_000_000
_JITTER = 1e-6


def score(view: PoolView, params: ProbeParams) -> Float32Array:
    """Return the calibrated probability of being in-distribution.

    Calibrated on verdicts, which are no random sample of the pool: read it as a score.

    Returns:
        (N,) float32 in 0..1, higher = more in-distribution.

    Raises:
        NotReady: fewer than `params.least_ood` OOD verdicts, or no IN verdict.
    """
    known = view.labels >= 0
    ood = int((view.labels == OOD).sum())
    if ood < params.least_ood:
        raise NotReady(
            f"Purity probe learns from {params.least_ood} OOD answers or more and has {ood}; it "
            "starts with the next ones."
        )
    if not known.any():
        raise NotReady(
            "Purity probe learns from answers of both kinds and has no class answer; label some "
            "examples with a class."
        )
    # Centring first: embeddings after a ReLU all point into one corner.
    center = view.labeled_embeddings.mean(axis=0)
    verdicts = unit_rows(view.labeled_embeddings - center)
    probe = _fit(verdicts, known, params, view.seed)
    result = np.empty(len(view.embeddings), dtype=np.float32)
    rows = max(1, _BLOCK_VALUES // len(probe.landmarks))
    for start in range(0, len(result), rows):
        block = unit_rows(view.embeddings[start : start + rows] - center)
        result[start : start + rows] = probe.probability(block)
    return result


@dataclass(frozen=True)
class _Probe:
    """A fitted probe: m landmarks, their coefficients, and the calibration."""

    landmarks: Float32Array
    coefficients: Float32Array
    width: float
    slope: float
    intercept: float

    def probability(self, rows: Float32Array) -> Float32Array:
        margin = _kernel(rows, self.landmarks, self.width) @ self.coefficients
        return sigmoid(self.slope * margin.astype(np.float64) + self.intercept).astype(np.float32)


def _fit(
    verdicts: Float32Array, known: NDArray[np.bool_], params: ProbeParams, seed: int
) -> _Probe:
    """Fit on (L, D) unit rows. Beyond `params.landmarks` verdicts, Nystrom: cost linear in L."""
    count = len(verdicts)
    chosen = np.arange(count)
    if count > params.landmarks:
        chosen = np.sort(np.random.default_rng(seed).permutation(count)[: params.landmarks])
    landmarks = verdicts[chosen]
    target = np.where(known, 1.0, -1.0)
    offset = target.mean()
    features = torch.from_numpy(_kernel(verdicts, landmarks, params.width)).double()  # (L, m)
    between = features[torch.from_numpy(chosen)]
    system = features.T @ features + params.l2 * between
    system.diagonal().add_(_JITTER * float(system.diagonal().mean()))
    factor = torch.linalg.cholesky(system)
    residual_target = torch.from_numpy(target - offset)
    coefficients = torch.cholesky_solve((features.T @ residual_target)[:, None], factor)[:, 0]

    # Leave-one-out without refitting: the residual, divided by one minus the leverage.
    leverage = torch.linalg.solve_triangular(factor, features.T, upper=False).square().sum(dim=0)
    residual = residual_target - features @ coefficients
    left_out = residual_target - residual / (1 - leverage).clamp(min=1e-3)
    slope, intercept = fit_sigmoid(left_out.numpy(), known)
    return _Probe(landmarks, coefficients.float().numpy(), params.width, slope, intercept)


def _kernel(rows: Float32Array, landmarks: Float32Array, width: float) -> Float32Array:
    """Gaussian kernel of unit rows: exp(-|a - b|^2 / width), (n, m) in 0..1."""
    squared = 2 - 2 * (rows @ landmarks.T)
    result: Float32Array = np.exp(squared * np.float32(-1 / width))
    return result
