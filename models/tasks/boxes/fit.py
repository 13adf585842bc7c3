"""Between the pixels of an upright image and the square of it that a model sees.

Of an image that is not square the model sees the centre square
(`models.media.images.store.fit_image`). Places in it are shares of its side, 0 its left or upper
edge and 1 its right or lower one, so that they hold whatever size the square is scaled to.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

Corners = NDArray[np.float64]
Sizes = NDArray[np.int64]

LEAST_SEEN: Final = 0.3
"""A box of which the square shows a smaller share is nothing that could be found in it."""


def to_square(corners: Corners, sizes: Sizes) -> Corners:
    """Return boxes of images as shares of their centre squares; beyond 0..1 lies what is cut off.

    Args:
        corners: (B, 4) float64, left, top, right, bottom in pixels of the upright image.
        sizes: (B, 2) int64, width and height of the image that each box is of.
    """
    side, left_top = _square(sizes)
    shares: Corners = (corners - np.tile(left_top, 2)) / side
    return shares


def to_image(shares: Corners, sizes: Sizes) -> Corners:
    """Undo `to_square`."""
    side, left_top = _square(sizes)
    corners: Corners = shares * side + np.tile(left_top, 2)
    return corners


def seen(shares: Corners) -> tuple[Corners, NDArray[np.bool_]]:
    """Cut boxes at the edges of the square.

    Args:
        shares: (B, 4) of the square, as of `to_square`.

    Returns:
        (B, 4) in 0..1, and (B,) whether enough of the box is left.
    """
    cut = np.clip(shares, 0.0, 1.0)
    whole, left = _areas(shares), _areas(cut)
    return cut, (left > 0) & (left >= LEAST_SEEN * whole)


def _square(sizes: Sizes) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """(B, 1) side and (B, 2) left upper corner of the centre square of images."""
    size = sizes.astype(np.float64)
    side = size.min(axis=1, keepdims=True)
    return side, (size - side) / 2


def _areas(corners: Corners) -> NDArray[np.float64]:
    areas: NDArray[np.float64] = np.prod(corners[:, 2:] - corners[:, :2], axis=1)
    return areas
