"""Scores that are numbers."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from models.errors import SHOWN_NAMES, ModelError, NotFinite


def require_finite(name: str, values: NDArray[np.floating], indices: NDArray[np.int64]) -> None:
    """Refuse NaN and infinity in (N,) scores; `indices` (N,) name the examples.

    Raises:
        NotFinite: naming up to ten of the examples.
    """
    bad = indices[~np.isfinite(values)]
    if len(bad):
        shown = bad[:SHOWN_NAMES].tolist()
        raise NotFinite(name, bad=len(bad), total=len(values), shown=shown)


def require_numbers(part: str, found: ArrayLike) -> None:
    """Refuse what something cannot be learned from.

    Args:
        part: what that is, as a sentence begins with it, in the plural.
        found: what it holds, or what was computed of it, of any shape: NaN and infinity stay.

    Raises:
        ModelError: some of it is NaN or infinite.
    """
    if not np.isfinite(found).all():
        raise ModelError(f"{part} hold numbers that are not finite; make them again.")
