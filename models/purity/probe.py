"""A classifier of in-distribution against OOD, trained on every verdict so far.

Ours. The annotators' OOD verdicts are the best evidence there is about purity, and the published
method leaves them unused. Kernel ridge regression on unit-length embeddings, since IN and OOD are
each a union of classes that no hyperplane separates, with an output for IN and one for each class:
what resembles no class may be OOD though it resembles nothing that was. How much each of that says
is learned from leave-one-out predictions, which also calibrate the whole (J. Platt, "Probabilistic
Outputs for Support Vector Machines", 1999).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from models.catalog.params.scores import ProbeParams
from models.errors import NotReady
from models.numerics.probability import fit_sigmoid, sigmoid
from models.numerics.similarity import unit_rows
from models.protocols import Float32Array, OpenSetLabels, PoolView
from models.purity.kernel_ridge import Ridge, regress

Float64Array = NDArray[np.float64]

_BLOCK_VALUES = 8_000_000
_FEW = 100
"""With fewer verdicts, what the classes say of IN is mostly chance: IN's own output is all there
is."""


def score(view: PoolView, params: ProbeParams) -> Float32Array:
    """Return the calibrated probability of being in-distribution.

    Calibrated on verdicts, which are no random sample of the pool: read it as a score.

    Returns:
        (N,) float32 in 0..1, higher = more in-distribution.

    Raises:
        NotReady: fewer than `params.least_ood` OOD verdicts, or no IN verdict.
    """
    known = ~view.is_ood
    ood = int(view.is_ood.sum())
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
    probe = _fit(verdicts, view.labels, view.classes, params, view.seed)
    result = np.empty(len(view.embeddings), dtype=np.float32)
    rows = max(1, _BLOCK_VALUES // max(len(probe.ridge.landmarks), 1 + view.classes))
    for start in range(0, len(result), rows):
        block = unit_rows(view.embeddings[start : start + rows] - center)
        result[start : start + rows] = probe.probability(block)
    return result


@dataclass(frozen=True)
class _Probe:
    """A fitted probe: the regression, what each evidence weighs, and the calibration."""

    ridge: Ridge
    weights: Float64Array
    slope: float
    intercept: float

    def probability(self, rows: Float32Array) -> Float32Array:
        evidence = _evidence(self.ridge.margins(rows)) @ self.weights
        return sigmoid(self.slope * evidence + self.intercept).astype(np.float32)


def _fit(
    verdicts: Float32Array,
    labels: OpenSetLabels,
    classes: int,
    params: ProbeParams,
    seed: int,
) -> _Probe:
    """Fit on (L, D) unit rows and what they are."""
    known = labels.inside
    apart = known[:, None] & (labels.classes[:, None] == np.arange(classes))
    target = np.where(np.column_stack([known, apart]), 1.0, -1.0)
    ridge, left_out = regress(
        verdicts, target, l2=params.l2, width=params.width, landmarks=params.landmarks, seed=seed
    )
    evidence = _evidence(left_out)
    weights = _weights(evidence, known)
    return _Probe(ridge, weights, *fit_sigmoid(evidence @ weights, known))


def _weights(evidence: Float64Array, known: NDArray[np.bool_]) -> Float64Array:
    """Return what (L, 3) evidence weighs, (3,): none of it speaks against IN by being large."""
    alone = np.array([1.0, 0.0, 0.0])
    if len(known) < _FEW:
        return alone
    weights: Float64Array = LogisticRegression().fit(evidence, known).coef_[0]
    # Left-out margins that tell nothing run against the verdicts, as their mean is of all verdicts.
    weights[:2] = np.maximum(weights[:2], 0)
    return weights if weights[:2].any() else alone


def _evidence(margins: Float64Array) -> Float64Array:
    """Return from (n, 1 + C) margins that of IN, the largest of a class and the one after it."""
    apart = margins[:, 1:]
    second = max(-2, -apart.shape[1])
    best = np.partition(apart, second, axis=1)
    return np.column_stack([margins[:, 0], best[:, -1], best[:, second]])
