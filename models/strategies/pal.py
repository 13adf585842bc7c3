"""Which detections may be wrong, as learned from what became of those that were proposed.

After "Portable Active Learning for Object Detection", CVPR 2026, arXiv 2605.10349: logistic models
of right against wrong, an intercept for each class, on the confidence and on how many others a
detection overlaps; the entropy of what they say, rarer classes counting for more; and less for an
image that is like one that was picked before it. Fitted on the detections that the last queue was
chosen by, which its answers have kept, adjusted or rejected, and which that detector had not
learned from. Ours: likeness is that of the classes times that of the features of the whole image.
"""

from collections.abc import Callable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from models.detection.entropy import aggregated, right, there
from models.errors import NotReady
from models.finite import require_finite
from models.params.detection import PalParams
from models.protocols import Float32Array, Indices, PoolView, Ranking
from models.ranking.candidates import Candidates, LastAnswers
from models.ranking.ordering import best_first
from models.similarity import unit_rows

_CLASS, _SCORE, _LEAST = 5, 4, 1e-4
_CROWDED: Final = 0.3
_BLOCK: Final = 256
_COMPETING: Final = 8
"""How many times the queue so many images compete for it."""

Judge = Callable[[Float32Array, NDArray[np.bool_]], NDArray[np.float64]]

UNFITTED_NOTE: Final = (
    "Too few proposed boxes have been kept or rejected to learn which are right: their scores are "
    "taken as they are."
)


def rank(candidates: Candidates, n: int, params: PalParams) -> Ranking:
    """Rank by the entropy of right against wrong, summed up as `aggregate` says, one by one.

    Raises:
        NotReady: the model has no detections.
        ModelError: a score is not finite.
    """
    view = candidates.view
    detections = view.detections
    if detections is None:
        raise NotReady("Strategy pal needs a detector, as fcos is.")
    holds = there(detections, params.least_score)
    judge = _fitted(candidates.last, params, view.classes)
    probabilities = right(detections)
    if judge is not None and holds.any():
        probabilities[holds] = judge(detections, holds)
    classes = np.clip(detections[:, :, _CLASS], 0, view.classes - 1).astype(np.int64)
    value = aggregated(probabilities, holds, params, _worth(view, params.rarity)[classes])
    require_finite("The entropy of right boxes", value, candidates.scores.indices)
    n = min(n, len(value))
    order = best_first(_COMPETING * n, value)
    if params.diversity > 0:
        found = np.where(holds, probabilities, 0.0)[order]
        likeness = _likeness(classes[order], found, view.embeddings[order], view.classes)
        order = _apart(order, value, n, likeness, params.diversity)
    return Ranking(order[:n], value.astype(np.float32), (UNFITTED_NOTE,) if judge is None else ())


def _fitted(last: LastAnswers, params: PalParams, classes: int) -> Judge | None:
    """Fit right against wrong; None with fewer of either kind."""
    if last.hits is None or last.scores is None or last.scores.detections is None:
        return None
    then = last.scores.detections
    judged = (last.hits >= 0) & there(then, params.least_score)
    is_right = last.hits[judged] == 1
    if min(is_right.sum(), (~is_right).sum()) < params.fewest:
        return None
    model: Any = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    model.fit(evidence(then, classes)[judged], is_right)

    def judge(detections: Float32Array, holds: NDArray[np.bool_]) -> NDArray[np.float64]:
        probabilities: NDArray[np.float64] = model.predict_proba(
            evidence(detections, classes)[holds]
        )[:, 1]
        return probabilities

    return judge


def evidence(detections: Float32Array, classes: int) -> NDArray[np.float64]:
    """Return what tells right detections from wrong ones, (N, K, 2 + C) float64.

    The logit of the probability; how many others overlap it, whatever their class; and which class
    it is of.
    """
    probability = np.clip(right(detections), _LEAST, 1 - _LEAST)
    others = np.empty_like(probability)
    for start in range(0, len(detections), _BLOCK):
        block = slice(start, start + _BLOCK)
        others[block] = _overlapping(detections[block])
    logit = np.log(probability) - np.log1p(-probability)
    of_class = detections[:, :, _CLASS, None] == np.arange(classes)
    return np.concatenate([np.stack([logit, np.log1p(others)], axis=2), of_class], axis=2)


def _overlapping(detections: Float32Array) -> NDArray[np.float64]:
    """(B, K) number of other detections that overlap each by 0.3."""
    corners, score = detections[:, :, :4].astype(np.float64), detections[:, :, _SCORE]
    low = np.maximum(corners[:, :, None, :2], corners[:, None, :, :2])
    high = np.minimum(corners[:, :, None, 2:], corners[:, None, :, 2:])
    both = np.prod(np.maximum(high - low, 0), axis=3)
    area = np.prod(corners[:, :, 2:] - corners[:, :, :2], axis=2)
    share = both / np.maximum(area[:, :, None] + area[:, None] - both, 1e-12)
    near = (share >= _CROWDED) & (score > 0)[:, None, :]
    near &= ~np.eye(score.shape[1], dtype=np.bool_)
    return near.sum(axis=2).astype(np.float64)


def _worth(view: PoolView, rarity: float) -> NDArray[np.float64]:
    """(C,) of a box of each class: (mean share / its share among the labels)^rarity."""
    counts = np.bincount(view.labels[~view.is_ood], minlength=view.classes)[: view.classes] + 1.0
    worth: NDArray[np.float64] = (counts.mean() / counts) ** rarity
    return worth


def _apart(
    competing: Indices,
    value: NDArray[np.float64],
    n: int,
    likeness: Callable[[int], NDArray[np.float64]],
    diversity: float,
) -> Indices:
    """Pick n one by one: value times 1 - diversity * the largest likeness to what was picked.

    Args:
        competing: (P,) positions, P >= n.
        value: (N,) by position.
        n: how many to pick.
        likeness: of the one at a place of `competing` to all of them, (P,) in 0..1.
        diversity: 0..1.
    """
    nearest = np.zeros(len(competing))
    worth = value[competing].copy()
    picks = np.empty(n, dtype=np.int64)
    for number in range(n):
        best = int((worth * (1 - diversity * nearest)).argmax())
        picks[number], worth[best] = competing[best], -np.inf
        nearest = np.maximum(nearest, likeness(best))
    return picks


def _likeness(
    classes: Indices, probabilities: NDArray[np.float64], embeddings: Float32Array, count: int
) -> Callable[[int], NDArray[np.float64]]:
    """How like an image is to (P,) images: in what is found of each class, times in features.

    Args:
        classes: (P, K) of detections.
        probabilities: (P, K) of being right.
        embeddings: (P, D); D may be 0.
        count: C.
    """
    boxes = np.zeros((len(classes), count), dtype=np.float32)
    np.add.at(boxes, (np.arange(len(classes))[:, None], classes), probabilities)
    profiles, features = unit_rows(boxes), np.zeros((0, 0), dtype=np.float32)
    if embeddings.shape[1]:
        # Centring first: embeddings after a ReLU all point into one corner.
        features = unit_rows(embeddings - embeddings.mean(axis=0))

    def of(one: int) -> NDArray[np.float64]:
        alike: NDArray[np.float64] = (profiles @ profiles[one]).astype(np.float64)
        return alike * np.maximum(0.0, features @ features[one]) if len(features) else alike

    return of
