"""Boxes of pictures, and of what a pool keeps of them. Torch-free."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from models.frame import Frame, Sizes, into_square, out_of_square, within_images
from models.tasks.localization.boxes import Boxes

LEAST_KEPT: Final = 0.5
"""Share of a box that has to be inside the square for it to stand for the thing."""


def in_square(boxes: Boxes, sizes: Sizes, frame: Frame) -> tuple[Boxes, NDArray[np.bool_]]:
    """Place boxes on the squares that a pool keeps of their pictures.

    Args:
        boxes: (N, 4) left, top, right, bottom in pixels of the upright pictures.
        sizes: (N, 2) their widths and heights.
        frame: the squares.

    Returns:
        (N, 4) in fractions of the square's side, clipped to it; and (N,) of which at least
        `LEAST_KEPT` of the area is left.
    """
    placed = into_square(boxes, frame.windows(sizes))
    inside: Boxes = np.clip(placed, 0, 1)
    kept = _area(inside) >= LEAST_KEPT * _area(placed)
    return inside, kept


def on_picture(boxes: Boxes, sizes: Sizes, frame: Frame) -> Boxes:
    """Place (N, 4) boxes in fractions of the squares on pictures of (N, 2) sizes, in pixels."""
    return within_images(out_of_square(boxes, frame.windows(sizes)), sizes)


def _area(boxes: Boxes) -> NDArray[np.float64]:
    area: NDArray[np.float64] = (boxes[:, 2:] - boxes[:, :2]).prod(axis=1)
    return area
