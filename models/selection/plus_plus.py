"""Seeding by squared distance.

Source: D. Arthur, S. Vassilvitskii, "k-means++: The Advantages of Careful Seeding", SODA 2007,
section 2.2; as active learning: J. T. Ash et al., "Deep Batch Active Learning by Diverse, Uncertain
Gradient Lower Bounds", ICLR 2020, algorithm 1.
"""

import numpy as np

from models.protocols import Float32Array, Progress
from models.selection.picks import Chosen, Picks
from models.selection.points import Points, lower_to_nearest

_PENDING = 64
"""Picks between two looks at all points: enough for a matrix product to run at full speed."""
_REFUSALS = 256


def plus_plus(
    points: Points, norms: Float32Array, n: int, seed: int, progress: Progress | None = None
) -> Picks:
    """Draw points with probability proportional to the squared distance to the nearest pick.

    The first pick is the longest point, as in BADGE. Distances are brought up to date for all
    points every few picks only; between, draws are from the distances of the last look, which are
    too large if anything, and a draw is kept with the ratio of its true distance to the old one.
    Rejection of that kind leaves the distribution exactly as it was.

    Args:
        points: N candidates.
        norms: (N,) float32, their squared norms.
        n: how many to draw.
        seed: of the draws.
        progress: counts picks; may raise `Cancelled`.

    Returns:
        min(n, N) picks. A gain is the squared distance to the nearest earlier pick; that of the
        first its squared norm. Once every point coincides with a pick, the others follow by
        position with gain 0.
    """
    chosen = Chosen.room(min(n, len(points)), progress)
    nearest = np.full(len(points), np.inf, dtype=np.float32)
    if chosen.full():
        return Picks(chosen.order, chosen.gains, np.zeros(len(points), dtype=np.float32))
    longest = int(norms.argmax())
    chosen.add(longest, float(norms[longest]))
    generator = np.random.default_rng(seed)
    seen = 0
    while True:
        picks = chosen.order[seen : chosen.count]
        lower_to_nearest(nearest, points, norms, points.take(picks), norms[picks])
        nearest[picks] = 0
        seen = chosen.count
        if chosen.full():
            break
        if not nearest.any():
            chosen.fill(np.zeros(len(points)))
            break
        _draw(points, norms, nearest, chosen, generator)
    return Picks(chosen.order, chosen.gains, nearest)


def _draw(
    points: Points,
    norms: Float32Array,
    nearest: Float32Array,
    chosen: Chosen,
    generator: np.random.Generator,
) -> None:
    """Draw up to `_PENDING` picks from distances that were exact at the start."""
    cumulative = np.cumsum(nearest, dtype=np.float64)
    seen, refusals = chosen.count, 0
    while not chosen.full() and chosen.count - seen < _PENDING and refusals < _REFUSALS:
        target = generator.random() * cumulative[-1]
        drawn = min(int(np.searchsorted(cumulative, target, side="right")), len(points) - 1)
        distance = nearest[drawn]
        new = chosen.order[seen : chosen.count]
        if len(new):
            here = np.array([drawn])
            to_new = points.take(here).squared_distances(norms[here], points.take(new), norms[new])
            distance = min(distance, to_new.min())
        if generator.random() * nearest[drawn] < distance:
            chosen.add(drawn, float(distance))
        else:
            refusals += 1
