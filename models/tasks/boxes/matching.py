"""Which detections are right: the greedy matching by which detectors are judged everywhere."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from models.frame import Frame, into_square
from models.protocols import Float32Array
from models.tasks.boxes.fit import seen
from models.tasks.boxes.targets import BoxTargets

SAME_IOU: Final = 0.5
NOTHING: Final = -1
SCORE: Final = 4
CLASS: Final = 5

_LEAST_PROBABILITY: Final = 1e-3


def iou(one: NDArray[np.floating], other: NDArray[np.floating]) -> NDArray[np.float64]:
    """Return the intersection over union of (A, 4) and (B, 4) corners: (A, B) in 0..1."""
    both = _shared(one, other)
    either = _areas(one)[:, None] + _areas(other)
    shares: NDArray[np.float64] = both / np.maximum(either - both, 1e-12)
    return shares


def _shared(one: NDArray[np.floating], other: NDArray[np.floating]) -> NDArray[np.float64]:
    """(A, B) areas of the intersections."""
    a, b = one[:, None].astype(np.float64), other[None].astype(np.float64)
    sides = np.minimum(a[..., 2:], b[..., 2:]) - np.maximum(a[..., :2], b[..., :2])
    areas: NDArray[np.float64] = np.prod(np.maximum(sides, 0), axis=-1)
    return areas


def _areas(corners: NDArray[np.floating]) -> NDArray[np.float64]:
    sides = corners[:, 2:].astype(np.float64) - corners[:, :2]
    areas: NDArray[np.float64] = np.prod(sides, axis=-1)
    return areas


def hits(detections: Float32Array, targets: BoxTargets, frame: Frame) -> NDArray[np.int8]:
    """Say which detections are of a box that is there.

    From the surest on, each takes the box of its class that it overlaps most, at an IoU of 0.5 at
    least, unless a surer one has it. What annotators keep or adjust is right by that, and what
    they reject is wrong. One that takes none and lies by half in a crowd of its class is on that,
    as COCO has it.

    Args:
        detections: (n, K, 6) float32 as in `Outputs.detections`.
        targets: n.
        frame: the square that detections are shares of.

    Returns:
        (n, K) int8: 1 = right, 0 = wrong, `NOTHING` where no detection is, and on crowds.
    """
    found = np.full(detections.shape[:2], NOTHING, dtype=np.int8)
    for row in range(len(detections)):
        found[row] = _matched(detections[row], *visible(targets, row, frame))[0]
    return found


def losses(detections: Float32Array, targets: BoxTargets, frame: Frame) -> NDArray[np.float64]:
    """Return how wrong the detections of each image are: (n,) float64 >= 0.

    A box that was found at probability p costs -log p, one that was missed -log 0.001, and a
    detection of nothing -log(1 - p), in sum over the image divided by its boxes; p is the square of
    the score (`models.tasks.boxes.entropy.right`).

    Args:
        detections: (n, K, 6) float32 as in `Outputs.detections`.
        targets: n.
        frame: the square that detections are shares of.
    """
    result = np.zeros(len(detections))
    for row in range(len(detections)):
        corners, classes, crowd = visible(targets, row, frame)
        outcome, scores = _matched(detections[row], corners, classes, crowd)
        probability = scores.astype(np.float64) ** 2
        right = np.clip(probability[outcome == 1], _LEAST_PROBABILITY, 1)
        wrong = np.clip(probability[outcome == 0], 0, 1 - _LEAST_PROBABILITY)
        boxes = int((~crowd).sum())
        missed = (boxes - len(right)) * -np.log(_LEAST_PROBABILITY)
        total = missed - np.log(right).sum() - np.log1p(-wrong).sum()
        result[row] = max(0.0, total / max(1, boxes))
    return result


def visible(
    targets: BoxTargets, row: int, frame: Frame
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.bool_]]:
    """Return what the square `frame` shows of an example.

    Returns:
        (b, 4) corners as shares of the square, (b,) classes, and (b,) which are crowds; of these
        whatever is left of them.
    """
    one = targets.take(np.array([row]))
    windows = np.repeat(frame.windows(one.sizes), len(one.corners), axis=0)
    shares, kept = seen(into_square(one.corners, windows))
    kept |= one.crowd
    return shares[kept], one.classes[kept], one.crowd[kept]


def _matched(
    detections: Float32Array,
    corners: NDArray[np.float64],
    classes: NDArray[np.int64],
    crowd: NDArray[np.bool_],
) -> tuple[NDArray[np.int8], Float32Array]:
    """(K,) outcome of each detection of one image, and (K,) scores."""
    scores: Float32Array = detections[:, SCORE]
    outcome = np.where(scores > 0, 0, NOTHING).astype(np.int8)
    if len(corners) == 0:
        return outcome, scores
    found = detections[:, :4]
    alike = detections[:, CLASS].astype(np.int64)[:, None] == classes
    overlap = np.where(alike, iou(found, corners), 0.0)
    within = _shared(found, corners) / np.maximum(_areas(found), 1e-12)[:, None]
    in_crowd = np.where(alike & crowd, within, 0.0).max(axis=1)
    taken = crowd.copy()
    for place in np.argsort(-scores, kind="stable"):
        if scores[place] <= 0:
            break
        free = np.where(taken, 0.0, overlap[place])
        best = int(free.argmax())
        if free[best] >= SAME_IOU:
            taken[best], outcome[place] = True, 1
        elif in_crowd[place] >= SAME_IOU:
            outcome[place] = NOTHING
    return outcome, scores
