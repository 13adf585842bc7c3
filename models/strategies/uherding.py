"""Uncertainty herding: cover the uncertain part of the pool.

Source: W. Bae, G. L. Oliveira, D. J. Sutherland, "Uncertainty Herding: One Active Learning Method
for All Label Budgets", ICLR 2025, definition 5, algorithm 1 and section 3.3.
"""

import numpy as np
from numpy.typing import NDArray

from models.catalog.params.selection import UHerdingParams
from models.heads.head import LogisticHead, Scaling, fit_head
from models.numerics.finite import require_finite
from models.numerics.probability import softmax
from models.numerics.similarity import similarity_to, unit_rows
from models.protocols import Float32Array, Indices, PoolView, Ranking
from models.ranking.candidates import Candidates
from models.selection.coverage import Demand, greedy_cover, sampled
from models.selection.inputs import embedded

_BINS = 15
_TEMPERATURES = np.logspace(-1, 1, 49)
_HELD_OUT = 0.2
_L2 = 0.1
_BLOCK_ROWS = 1024
_SAME = 1e-6
"""Cosines closer to 1 than rounding can tell are those of one direction."""


def rank(candidates: Candidates, n: int, params: UHerdingParams) -> Ranking:
    """Maximise, pick by pick, sum_i u_i max over picks and verdicts of k(x_i, x_j).

    u is one minus the margin of calibrated probabilities (`calibrated_logits`), k the Gaussian
    kernel of embeddings of length 1. Meta-scores are gains of the objective.

    Raises:
        NotReady: no embeddings were kept.
        ModelError: logits or embeddings that are not finite.
    """
    view = candidates.view
    points, norms = embedded(candidates)
    require_finite("The output of the model", view.logits.sum(axis=1), candidates.scores.indices)
    radius = params.radius or smallest_distance(view.labeled_embeddings)
    covered = np.zeros(len(points), dtype=np.float32)
    if len(view.labels):
        nearest = similarity_to(view.embeddings, view.labeled_embeddings, neighbours=1)
        below = np.where(nearest > 1 - _SAME, 0, nearest - 1)
        covered = np.exp(below * np.float32(2 / radius**2))
    sample = sampled(np.ones(len(points), dtype=np.bool_), params.representatives, view.seed)
    notes: tuple[str, ...] = ()
    if len(sample) < len(points):
        notes = (f"Strategy uherding covered a sample of {len(sample)} of {len(points)} examples.",)
    demand = Demand(
        weights=uncertainty(calibrated_logits(view) if params.calibrate else view.logits),
        ceiling=np.ones(len(points), dtype=np.float32),
        covered=covered.astype(np.float32),
        radius=radius,
        sample=sample,
    )
    return greedy_cover(points, np.sqrt(norms), demand, n, candidates.progress).ranking(notes)


def uncertainty(logits: Float32Array) -> Float32Array:
    """Return one minus the difference of the two largest probabilities of (N, C) logits.

    Returns:
        (N,) float32 in 0..1, higher = less certain; 1 of a single class.
    """
    if logits.shape[1] < 2:
        return np.ones(len(logits), dtype=np.float32)
    probability = softmax(logits)
    two = np.partition(probability, -2, axis=1)[:, -2:]
    return (1 - (two[:, 1] - two[:, 0])).astype(np.float32)


def smallest_distance(labeled: Float32Array) -> float:
    """Return the smallest distance above 0 between (L, D) rows scaled to length 1; 1 without."""
    rows = unit_rows(labeled)
    largest = -np.inf
    for start in range(0, len(rows), _BLOCK_ROWS):
        cosine = rows[start : start + _BLOCK_ROWS] @ rows.T
        apart = cosine[cosine < 1 - _SAME]
        largest = max(largest, float(apart.max(initial=-np.inf)))
    return float(np.sqrt(2 - 2 * largest)) if np.isfinite(largest) else 1.0


def calibrated_logits(view: PoolView) -> Float32Array:
    """Return logits of the candidates that are about as sure as they are right, (N, C) float32.

    They are those of `calibrated_layer`, since a temperature is of the scale of one layer and says
    nothing of another; where there are too few labels for one, those of the model.
    """
    found = calibrated_layer(view)
    if found is None:
        return view.logits
    layer, temperature = found
    logits = np.empty_like(view.logits)
    for start in range(0, len(logits), _BLOCK_ROWS):
        block = slice(start, start + _BLOCK_ROWS)
        logits[block] = layer.logits(view.embeddings[block]) / np.float32(temperature)
    return logits


def calibrated_layer(view: PoolView) -> tuple[LogisticHead, float] | None:
    """Return a last layer, and the temperature of its smallest calibration error.

    The layer is fitted to four fifths of the labeled in-distribution embeddings, class by class,
    and tried on the rest, as the model itself has seen them all. Where it is right about all of
    these nothing tells how sure it may be, and the temperature is 1. So it is with the embeddings
    of a network that has learned all labels. None where there are too few labels.
    """
    known, classes = np.flatnonzero(~view.is_ood), view.labels.classes
    shuffled = np.random.default_rng(view.seed).permutation(known)
    by_class = shuffled[np.argsort(classes[shuffled], kind="stable")]
    held_out = np.zeros(len(known), dtype=np.bool_)
    held_out[:: round(1 / _HELD_OUT)] = True
    trained, tried = by_class[~held_out], by_class[held_out]
    if len(np.unique(classes[trained])) < 2:
        return None
    embeddings = view.labeled_embeddings
    head = fit_head(
        embeddings[trained], classes[trained], classes=view.classes, l2=_L2,
        scaling=Scaling.fit(embeddings[trained]),
    )  # fmt: skip
    logits, labels = head.logits(embeddings[tried]), classes[tried]
    if (logits.argmax(axis=1) == labels).all():
        return head, 1.0
    errors = [calibration_error(softmax(logits / np.float32(t)), labels) for t in _TEMPERATURES]
    return head, float(_TEMPERATURES[int(np.argmin(errors))])


def calibration_error(probability: NDArray[np.float64], labels: Indices) -> float:
    """Return the expected calibration error over equally wide bins of confidence.

    Source: C. Guo et al., "On Calibration of Modern Neural Networks", ICML 2017, equation 3.

    Args:
        probability: (n, C), rows sum to 1.
        labels: (n,) int64 in 0..C-1.
    """
    confidence = probability.max(axis=1)
    correct = probability.argmax(axis=1) == labels
    place = np.minimum((confidence * _BINS).astype(np.int64), _BINS - 1)
    difference = np.bincount(place, weights=confidence - correct, minlength=_BINS)
    return float(np.abs(difference).sum() / len(labels))
