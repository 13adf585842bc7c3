"""What of a box the square shows that a model sees."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from models.frame import Corners

LEAST_SEEN: Final = 0.3
"""A box of which the square shows a smaller share is nothing that could be found in it."""


def seen(shares: Corners) -> tuple[Corners, NDArray[np.bool_]]:
    """Cut boxes at the edges of the square.

    Args:
        shares: (B, 4) of the square, as of `models.frame.into_square`.

    Returns:
        (B, 4) in 0..1, and (B,) whether enough of the box is left.
    """
    cut = np.clip(shares, 0.0, 1.0)
    whole, left = _areas(shares), _areas(cut)
    return cut, (left > 0) & (left >= LEAST_SEEN * whole)


def _areas(corners: Corners) -> NDArray[np.float64]:
    areas: NDArray[np.float64] = np.prod(corners[:, 2:] - corners[:, :2], axis=1)
    return areas
