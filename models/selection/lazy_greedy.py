"""Greedy picking of what is worth most, where nothing gains by the picks of others.

Source: M. Minoux, "Accelerated Greedy Algorithms for Maximizing Submodular Set Functions", 1978.
"""

from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from models.protocols import Indices
from models.selection.leaders import Leaders
from models.selection.picks import Chosen

MOST_TOGETHER: Final = 256
"""So many candidates are evaluated together, at most."""

_ACTIVE: Final = 4096
_ACTIVE_SHARE: Final = 16
"""How many candidates compete for the next pick at a time: the larger of a number and a share."""
_FEW: Final = 8
"""Candidates that are evaluated together at first, as the best one is often still the best."""


class Gains(Protocol):
    """What N candidates would add to the picks so far; no pick lets it rise.

    Attributes:
        picks: how many there are.
        seen: (N,) int64, how many there were when a candidate was evaluated last; -1: never was.
    """

    picks: int
    seen: Indices

    def of(self, positions: Indices) -> NDArray[np.float64]:
        """Evaluate the candidates at (n,) positions, n <= `MOST_TOGETHER`."""

    def pick(self, position: int) -> None:
        """Count a candidate as picked."""


def pick_best(gains: Gains, chosen: Chosen) -> NDArray[np.float64]:
    """Pick, again and again, the candidate that adds most, ties by position.

    The picks are those of the plain loop, but a candidate is evaluated again only when its last
    gain could still win.

    Args:
        gains: tells what a candidate would add.
        chosen: gets the picks, and stays with room left where nothing more is gained.

    Returns:
        (N,) the last gain seen of each, which is too large if anything; -inf of what is picked.
    """
    bounds = np.zeros(len(gains.seen))
    for start in range(0, len(bounds), MOST_TOGETHER):
        some = np.arange(start, min(start + MOST_TOGETHER, len(bounds)))
        bounds[some] = gains.of(some)
        chosen.report()
    while not chosen.full() and bounds.max() > 0:
        _race(gains, bounds, chosen)
    return bounds


def _race(gains: Gains, bounds: NDArray[np.float64], chosen: Chosen) -> None:
    """Pick among the candidates with the largest bounds, while they certainly lead.

    Args:
        gains: tells what a candidate would add.
        bounds: (N,) no less than the gains; lowered in place, -inf for what is picked.
        chosen: gets the picks.
    """
    leaders = Leaders.of(bounds, max(_ACTIVE, len(bounds) // _ACTIVE_SHARE))
    active = leaders.positions
    bound = bounds[active]
    fresh = gains.seen[active] == gains.picks
    together = _FEW
    while not chosen.full():
        best = int(bound.argmax())
        if bound[best] <= 0 or leaders.is_beaten(float(bound[best]), int(active[best])):
            break
        if fresh[best]:
            chosen.add(int(active[best]), float(bound[best]))
            gains.pick(int(active[best]))
            bound[best] = -np.inf
            fresh[:] = False
            together = _FEW
            continue
        stale = np.where(fresh, -np.inf, bound)
        few = min(together, len(stale))
        some = np.argpartition(stale, len(stale) - few)[len(stale) - few :]
        some = np.sort(some[np.isfinite(stale[some])])
        bound[some] = np.minimum(bound[some], gains.of(active[some]))
        chosen.report()
        fresh[some] = True
        together = min(2 * together, MOST_TOGETHER)
    bounds[active] = bound
