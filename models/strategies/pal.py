"""Which detections may be wrong, as learned from what became of those that were proposed.

After "Portable Active Learning for Object Detection", CVPR 2026, arXiv 2605.10349: logistic models
of right against wrong, an intercept for each class, on the confidence and on how many others a
detection overlaps; the entropy of what they say, rarer classes counting for more; more, if asked,
for an image whose boxes are of several classes; and less for one that is like one that was picked
before it. Fitted on the detections that the last queue was
chosen by, which its answers have kept, adjusted or rejected, and which that detector had not
learned from. Likeness is that of PPAL: `models.tasks.boxes.box_features`.
"""

from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from models.catalog.params.detection import PalParams
from models.errors import NotReady
from models.numerics.finite import require_finite
from models.protocols import Float32Array, Indices, PoolView, Progress, Ranking
from models.ranking.candidates import Candidates, LastAnswers
from models.ranking.ordering import best_first
from models.tasks.boxes.box_features import Likeness, box_features
from models.tasks.boxes.entropy import aggregated, right, there

_CLASS, _SCORE, _LEAST = 5, 4, 1e-4
_CROWDED: Final = 0.3
_BLOCK: Final = 256
_MATCHED: Final = 5
"""So many detections of an image are compared."""
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
    worth = _worth(view, params.rarity)
    value = aggregated(probabilities, holds, params, worth[classes])
    value *= _of_image(np.where(holds, probabilities, 0.0), classes, worth, params)
    require_finite("The entropy of right boxes", value, candidates.scores.indices)
    n = min(n, len(value))
    order = best_first(_COMPETING * n, value)
    if params.diversity > 0:
        found = np.where(holds, probabilities, 0.0)[order]
        likeness = _likeness(view, order, found)
        order, value = _apart(order, value, n, likeness, params.diversity, candidates.progress)
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
    model.fit(np.concatenate(list(_evidence(then, judged, classes))), is_right)

    def judge(detections: Float32Array, holds: NDArray[np.bool_]) -> NDArray[np.float64]:
        rows = _evidence(detections, holds, classes)
        return np.concatenate([model.predict_proba(block)[:, 1] for block in rows])

    return judge


def _evidence(
    detections: Float32Array, holds: NDArray[np.bool_], classes: int
) -> Iterator[NDArray[np.float64]]:
    """What tells right detections from wrong ones, block by block: (M, 2 + C) of those that hold.

    The logit of the probability; how many others overlap it, whatever their class; and which class
    it is of.
    """
    some = np.flatnonzero(holds.any(axis=1))
    for start in range(0, len(some), _BLOCK):
        images = some[start : start + _BLOCK]
        block, held = detections[images], holds[images]
        # Most places of most images are empty, and all are compared with each other.
        used = (held | there(block)).any(axis=0)
        block, held = block[:, used], held[:, used]
        probability = np.clip(right(block)[held], _LEAST, 1 - _LEAST)
        logit = np.log(probability) - np.log1p(-probability)
        others = np.log1p(_overlapping(block)[held])
        of_class = block[held][:, _CLASS, None] == np.arange(classes)
        yield np.concatenate([np.stack([logit, others], axis=1), of_class], axis=1)


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
    others: NDArray[np.float64] = near.sum(axis=2).astype(np.float64)
    return others


def _worth(view: PoolView, rarity: float) -> NDArray[np.float64]:
    """(C,) of a box of each class: (mean share / its share among the labels)^rarity."""
    counts = (
        np.bincount(view.labels.classes[~view.is_ood], minlength=view.classes)[: view.classes] + 1.0
    )
    worth: NDArray[np.float64] = (counts.mean() / counts) ** rarity
    return worth


def _of_image(
    probabilities: NDArray[np.float64],
    classes: Indices,
    worth: NDArray[np.float64],
    params: PalParams,
) -> NDArray[np.float64]:
    """What whole images show: (N,) factors >= 1.

    Args:
        probabilities: (N, K) of being right, 0 where nothing is.
        classes: (N, K) of each detection.
        worth: (C,) of a box of each class.
        params: how much `mixture` and `variety` say.
    """
    expected = np.zeros((len(classes), len(worth)))
    missing = np.ones_like(expected)
    rows = np.arange(len(classes))
    for place in range(classes.shape[1]):
        expected[rows, classes[:, place]] += probabilities[:, place]
        missing[rows, classes[:, place]] *= 1 - probabilities[:, place]
    share = worth / worth.sum()
    parts = expected / np.maximum(expected.sum(axis=1, keepdims=True), _LEAST)
    # As many nats as there can be at most are 1.
    most = np.log(max(2, len(worth))) * worth.mean()
    mixture = -(worth * parts * np.log(np.maximum(parts, _LEAST))).sum(axis=1) / most
    variety = (share * (1 - missing)).sum(axis=1)
    factors: NDArray[np.float64] = (1 + params.mixture * mixture) * (1 + params.variety * variety)
    return factors


def _apart(
    competing: Indices,
    value: NDArray[np.float64],
    n: int,
    likeness: Likeness,
    diversity: float,
    progress: Progress | None,
) -> tuple[Indices, NDArray[np.float64]]:
    """Pick n one by one: value times 1 - diversity * the largest likeness to what was picked.

    Args:
        competing: (P,) positions, P >= n.
        value: (N,) by position.
        n: how many to pick.
        likeness: of those at the places of `competing`.
        diversity: 0..1.
        progress: counts picks; may raise `Cancelled`.

    Returns:
        (n,) positions; (N,) the products of the moment of the pick, and of what was not picked
        those at the end.
    """
    worth, free = value[competing], np.ones(len(competing), dtype=np.bool_)
    picks, product = np.empty(n, dtype=np.int64), value.copy()
    discount = np.ones(len(competing))
    for number in range(n):
        if progress is not None:
            progress(number, n)
        best = int(np.where(free, worth * discount, -1.0).argmax())
        picks[number], free[best] = competing[best], False
        product[competing[best]] = worth[best] * discount[best]
        discount = np.minimum(discount, 1 - diversity * likeness.to(best))
    left = np.setdiff1d(np.arange(len(value)), picks)
    if n > 0:
        product[competing[free]] = (worth * discount)[free]
        # Of what did not compete nobody has asked how like it is to a pick.
        product[left] = np.minimum(product[left], product[picks[-1]])
    return picks, product


def _likeness(view: PoolView, order: Indices, weights: NDArray[np.float64]) -> Likeness:
    """How alike (P,) candidates are by the detections that most probably are right."""
    assert view.detections is not None
    assert view.indices is not None
    surest = np.argsort(-weights, axis=1, kind="stable")[:, :_MATCHED]
    weights = np.take_along_axis(weights, surest, axis=1)
    detections = np.take_along_axis(view.detections[order], surest[:, :, None], axis=1)
    features = None
    if view.maps is not None:
        features = box_features(view.maps, view.indices[order], detections)
    return Likeness(detections, weights, features)
