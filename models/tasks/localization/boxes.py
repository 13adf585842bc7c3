"""One box an image: how well boxes agree, and what anybody could guess. Torch-free.

Boxes are (N, 4) float: left, top, right, bottom in continuous coordinates, 0 the left edge of the
first pixel and the image's width the right edge of its last. In which unit, pixels or fractions of
the side, does not matter as long as it is one.

Source: thesis, section 3.4, tasks II and III; J. Choe et al., "Evaluating Weakly Supervised Object
Localization Methods Right", CVPR 2020 (MaxBoxAcc).
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

Boxes = NDArray[np.float64]

THRESHOLDS: Final = tuple(round(0.01 * number, 2) for number in range(100))
"""Shares of a map's largest value over which MaxBoxAcc takes the best."""


def iou(one: Boxes, other: Boxes) -> NDArray[np.float64]:
    """Return the (N,) intersection over union of (N, 4) pairs of boxes, 0..1; higher is better.

    A box without an area, or turned inside out, shares nothing with any other.
    """
    left_top = np.maximum(one[:, :2], other[:, :2])
    right_bottom = np.minimum(one[:, 2:], other[:, 2:])
    shared = np.clip(right_bottom - left_top, 0, None).prod(axis=1)
    union = _area(one) + _area(other) - shared
    found: NDArray[np.float64] = np.divide(shared, union, out=np.zeros(len(one)), where=union > 0)
    return found


def mean_box(boxes: Boxes) -> Boxes:
    """Return the (4,) mean of (N, 4) boxes: what to guess without looking at the image."""
    found: Boxes = boxes.mean(axis=0)
    return found


def localized(found: Boxes, truth: Boxes, overlap: float) -> float:
    """Return the share of (N, 4) boxes whose IoU with the truth is at least `overlap`.

    Of boxes that were found knowing the class it is GT-known Loc (thesis, equation 3.6).
    """
    return float((iou(found, truth) >= overlap).mean())


def _area(boxes: Boxes) -> NDArray[np.float64]:
    found: NDArray[np.float64] = np.clip(boxes[:, 2:] - boxes[:, :2], 0, None).prod(axis=1)
    return found
