"""Difficult examples that the warm-up is still changing its mind about: DUAL.

Source: Y. Cho et al., "Lightweight Dataset Pruning without Full Training via Example Difficulty and
Prediction Uncertainty", ICML 2025.
"""

from typing import Final

import numpy as np
from scipy.stats import beta as beta_distribution

from models.catalog.params.pruning import DualParams
from models.errors import NotReady
from models.protocols import Progress
from models.pruning.ranked import by_scores
from models.pruning.view import Float64Array, Pruned, PruningView

_SHARPNESS: Final = 15
_ANCHORS: Final = 10
_LEAST: Final = 1e-12


def prune(
    view: PruningView, n: int, params: DualParams, progress: Progress | None = None
) -> Pruned:
    """Keep n by the mean over windows of epochs of  standard deviation · (1 - mean)  of p(label).

    With `sampled` they are drawn, with that score times a beta density of the mean p(label) as
    weight; the density turns to easier examples the fewer are kept, so that a smaller subset is no
    prefix of a larger one. Without it the highest scores are kept.

    The gain is the score.

    Raises:
        NotReady: no record of the labels' probabilities, or one of a single epoch.
    """
    del progress
    probabilities = view.given("label_probabilities").astype(np.float64)
    if len(probabilities) < 2:
        raise NotReady("Uncertainty takes two epochs to see; train the warm-up model for longer.")
    mean = probabilities.mean(axis=0)
    scores = _scores(probabilities, min(params.window, len(probabilities)))
    reasons = {"score": scores, "mean_probability": mean}
    if not params.sampled:
        return by_scores(n, scores, reasons=reasons)
    weights = np.maximum(scores * _density(scores, mean, n / len(view), params.curvature), _LEAST)
    # Of exponential times with these rates the n earliest are n draws without replacement.
    drawn = np.random.default_rng(view.seed).exponential(size=len(view)) / weights
    pruned = by_scores(n, -drawn, reasons=reasons)
    return Pruned(pruned.order, scores[pruned.order], pruned.reasons)


def _scores(probabilities: Float64Array, window: int) -> Float64Array:
    windows = np.lib.stride_tricks.sliding_window_view(probabilities, window, axis=0)
    found: Float64Array = (windows.std(axis=2, ddof=1) * (1 - windows.mean(axis=2))).mean(axis=0)
    return found


def _density(
    scores: Float64Array, mean: Float64Array, ratio: float, curvature: float
) -> Float64Array:
    """Return the (N,) beta density of mean probabilities, whose two parameters add up to 16.

    With hardly anything pruned its top is where the highest scores are; it moves to 1.
    """
    hardest = np.argsort(scores, kind="stable")[-_ANCHORS:]
    second = _SHARPNESS * (1 - mean[hardest].mean()) * (1 - (1 - ratio) ** curvature)
    found: Float64Array = beta_distribution.pdf(
        np.clip(mean, _LEAST, 1 - _LEAST), _SHARPNESS + 1 - second, max(second, _LEAST)
    )
    return found
