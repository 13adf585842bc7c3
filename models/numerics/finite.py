"""Scores that are numbers."""

import numpy as np
from numpy.typing import NDArray

from models.errors import SHOWN_NAMES, NotFinite


def require_finite(name: str, values: NDArray[np.floating], indices: NDArray[np.int64]) -> None:
    """Refuse NaN and infinity in (N,) scores; `indices` (N,) name the examples.

    Raises:
        NotFinite: naming up to ten of the examples.
    """
    bad = indices[~np.isfinite(values)]
    if len(bad):
        shown = bad[:SHOWN_NAMES].tolist()
        raise NotFinite(name, bad=len(bad), total=len(values), shown=shown)
