"""Boxes of pictures, and of the centre squares of them that a pool keeps. Torch-free."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from models.tasks.localization.boxes import Boxes

Sizes = NDArray[np.int64]

LEAST_KEPT: Final = 0.5
"""Share of a box that has to be inside the square for it to stand for the thing."""


def into_square(boxes: Boxes, sizes: Sizes) -> tuple[Boxes, NDArray[np.bool_]]:
    """Place boxes on the centre squares of their pictures.

    Args:
        boxes: (N, 4) left, top, right, bottom in pixels of the upright pictures.
        sizes: (N, 2) their widths and heights.

    Returns:
        (N, 4) in fractions of the square's side, clipped to it; and (N,) of which at least
        `LEAST_KEPT` of the area is left.
    """
    side = sizes.min(axis=1, keepdims=True)
    placed = (boxes - np.tile((sizes - side) / 2, (1, 2))) / side
    inside = np.clip(placed, 0, 1)
    kept = _area(inside) >= LEAST_KEPT * _area(placed)
    return inside, kept


def out_of_square(boxes: Boxes, sizes: Sizes) -> Boxes:
    """Place (N, 4) boxes in fractions of the squares on pictures of (N, 2) sizes, in pixels."""
    side = sizes.min(axis=1, keepdims=True)
    found: Boxes = boxes * side + np.tile((sizes - side) / 2, (1, 2))
    return found


def _area(boxes: Boxes) -> NDArray[np.float64]:
    area: NDArray[np.float64] = (boxes[:, 2:] - boxes[:, :2]).prod(axis=1)
    return area
