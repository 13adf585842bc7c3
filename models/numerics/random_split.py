"""A fixed pseudo-random share of the pool, for a validation set that selection does not bias."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from models.protocols import Indices

_SCALE: Final = 2.0**-53
_GOLDEN: Final = np.uint64(0x9E3779B97F4A7C15)
_MIX: Final = (
    (np.uint64(30), np.uint64(0xBF58476D1CE4E5B9)),
    (np.uint64(27), np.uint64(0x94D049BB133111EB)),
)


def lots(indices: Indices, seed: int) -> NDArray[np.float64]:
    """Draw a number for each example that depends on its pool index and the seed alone.

    Nothing has to be remembered, and images that are imported later are drawn in the same way.
    Projects under way rely on it: another generator would hold out images that they have learned
    from. NumPy's would also have to draw for all indices below the largest.
    The mixing function is SplitMix64 (G. Steele et al., "Fast Splittable Pseudorandom Number
    Generators", OOPSLA 2014).

    Args:
        indices: (N,) pool indices.
        seed: >= 0.

    Returns:
        (N,) float64 in 0..1, uniform. The share s of the pool is where the number is below s.
    """
    with np.errstate(over="ignore"):
        state = _mixed((indices.astype(np.uint64) + np.uint64(1)) * _GOLDEN)
        state = _mixed(state + (np.uint64(seed) + np.uint64(1)) * _GOLDEN)
    return (state >> np.uint64(11)).astype(np.float64) * _SCALE


def interleave(first: Indices, second: Indices, share: float, n: int) -> Indices:
    """Merge two queues so that of every prefix about the share `share` is from the second.

    Args:
        first: (a,) positions, in order.
        second: (b,) other positions, in order.
        share: 0..1.
        n: how many to return; fewer when there are fewer. A queue that ends is not missed.
    """
    # The i-th of the second queue comes when its share of the prefix would fall below `share`.
    due = np.concatenate(
        [
            (np.arange(len(first)) + 0.5) / max(1 - share, 1e-12),
            (np.arange(len(second)) + 0.5) / max(share, 1e-12),
        ]
    )
    merged = np.concatenate([first, second])[np.argsort(due, kind="stable")]
    return merged[:n].astype(np.int64)


def _mixed(state: NDArray[np.uint64]) -> NDArray[np.uint64]:
    for shift, factor in _MIX:
        state = (state ^ (state >> shift)) * factor
    return state ^ (state >> np.uint64(31))
