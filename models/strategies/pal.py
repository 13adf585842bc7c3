"""Which detections may be wrong, as learned from what became of those that were proposed.

After "Portable Active Learning for Object Detection", CVPR 2026, arXiv 2605.10349: a logistic model
of right against wrong on the outputs of a detector alone, and the entropy of what it says. Fitted
on the detections that the last queue was chosen by, which its answers have kept, adjusted or
rejected, and which that detector had not learned from. The signals of whole images and the
diversity of the publication are not in it.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from models.detection.entropy import aggregated, there
from models.errors import NotReady
from models.params.detection import PalParams
from models.protocols import Float32Array, Ranking
from models.ranking.candidates import Candidates, LastAnswers
from models.ranking.ordering import by_score

_SCORE, _LEAST = 4, 1e-4
_CROWDED: Final = 0.3
_BLOCK: Final = 256

UNFITTED_NOTE: Final = (
    "Too few proposed boxes have been kept or rejected to learn which are right: their scores are "
    "taken as they are."
)


def rank(candidates: Candidates, n: int, params: PalParams) -> Ranking:
    """Rank by the entropy of right against wrong, summed up as `aggregate` says.

    Raises:
        NotReady: the model has no detections.
        ModelError: a score is not finite.
    """
    detections = candidates.view.detections
    if detections is None:
        raise NotReady("Strategy pal needs a detector, as fcos is.")
    holds = there(detections)
    fitted = _fitted(candidates.last, params.fewest)
    probabilities = detections[:, :, _SCORE].astype(np.float64)
    notes: tuple[str, ...] = ()
    if fitted is None:
        notes = (UNFITTED_NOTE,)
    elif holds.any():
        probabilities[holds] = fitted.predict_proba(evidence(detections)[holds])[:, 1]
    value = aggregated(probabilities, holds, params).astype(np.float32)
    ranking = by_score(value, "The entropy of right boxes", candidates.scores, n)
    return Ranking(ranking.order, ranking.meta_scores, notes)


def _fitted(last: LastAnswers, fewest: int) -> LogisticRegression | None:
    """Fit right against wrong; None with fewer of either kind."""
    if last.hits is None or last.scores is None or last.scores.detections is None:
        return None
    judged = last.hits >= 0
    right = last.hits[judged] == 1
    if min(right.sum(), (~right).sum()) < fewest:
        return None
    return LogisticRegression(C=1.0, max_iter=1000).fit(
        evidence(last.scores.detections)[judged], right
    )


def evidence(detections: Float32Array) -> NDArray[np.float64]:
    """Return what tells right detections from wrong ones, (N, K, 4) float64.

    The logit of the score; how many others overlap it, whatever their class, and how much of their
    score there is; and the logarithm of its share of the square.
    """
    score = np.clip(detections[:, :, _SCORE].astype(np.float64), _LEAST, 1 - _LEAST)
    sides = np.maximum(detections[:, :, 2:4] - detections[:, :, :2], _LEAST)
    area = np.log(np.prod(sides.astype(np.float64), axis=2))
    others, weight = np.empty_like(score), np.empty_like(score)
    for start in range(0, len(detections), _BLOCK):
        block = slice(start, start + _BLOCK)
        others[block], weight[block] = _overlapping(detections[block])
    logit = np.log(score) - np.log1p(-score)
    return np.stack([logit, np.log1p(others), np.log1p(weight), area], axis=2)


def _overlapping(detections: Float32Array) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """(B, K) number of other detections that overlap each by 0.3, and the sum of their scores."""
    corners, score = detections[:, :, :4].astype(np.float64), detections[:, :, _SCORE]
    low = np.maximum(corners[:, :, None, :2], corners[:, None, :, :2])
    high = np.minimum(corners[:, :, None, 2:], corners[:, None, :, 2:])
    both = np.prod(np.maximum(high - low, 0), axis=3)
    area = np.prod(corners[:, :, 2:] - corners[:, :, :2], axis=2)
    share = both / np.maximum(area[:, :, None] + area[:, None] - both, 1e-12)
    near = (share >= _CROWDED) & (score > 0)[:, None, :]
    near &= ~np.eye(score.shape[1], dtype=np.bool_)
    return near.sum(axis=2).astype(np.float64), (near * score[:, None, :]).sum(axis=2)
