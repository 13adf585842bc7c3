"""Facility location with ceilings, maximised greedily.

Greedy maximisation of a monotone submodular function reaches at least 1 - 1/e of the optimum
(G. Nemhauser et al., Mathematical Programming 14, 1978).
"""

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from models.protocols import Float32Array, Indices, Progress
from models.selection.lazy_greedy import MOST_TOGETHER, pick_best
from models.selection.picks import Chosen, Picks
from models.selection.points import Points

_KEPT_VALUES = 128_000_000
"""With no more similarities than that, 512 MB, all are kept instead of computed again."""
_SAME = 1e-6
"""Similarities closer than this differ by rounding only."""


@dataclass(frozen=True)
class Demand:
    """What N examples want covered.

    The value of a set A is the sum over examples i of
    weights_i * max(0, min(max over A of s_ij, ceiling_i) - covered_i).

    Attributes:
        weights: (N,) float32 >= 0.
        ceiling: (N,) float32: more similarity than that is worth nothing; may be infinite.
        covered: (N,) float32: similarity that is there already.
        radius: s is the Gaussian kernel exp(-|x - y|^2 / radius^2) of unit rows; None: the cosine.
        sample: (M,) int64 ascending, the examples whose wishes are summed up, as a sample of all
            with ceiling > covered, or all of those.
    """

    weights: Float32Array
    ceiling: Float32Array
    covered: Float32Array
    radius: float | None
    sample: Indices


def sampled(wanting: NDArray[np.bool_], most: int, seed: int) -> Indices:
    """Return up to `most` of the positions where (N,) `wanting` holds, at random, ascending."""
    positions = np.flatnonzero(wanting)
    if len(positions) > most:
        generator = np.random.default_rng(seed)
        positions = np.sort(generator.permutation(positions)[:most])
    return positions.astype(np.int64)


def greedy_cover(
    points: Points,
    lengths: Float32Array,
    demand: Demand,
    n: int,
    progress: Progress | None = None,
) -> Picks:
    """Pick, again and again, the candidate that adds most value.

    The picks are those of the plain loop. With a sample, a gain is that of the sample without the
    candidate itself, scaled up to all, plus the candidate's own, which is exact.

    Args:
        points: N candidates, without factors.
        lengths: (N,) float32, their norms.
        demand: of the same N examples.
        n: how many to pick.
        progress: counts picks; may raise `Cancelled`.

    Returns:
        min(n, N) picks. Once nothing is gained, the others follow with gain 0, by what they wanted
        covered at first. Of what was not picked, `rest` is the last gain seen, which is too large
        if anything.
    """
    chosen = Chosen.room(min(n, len(points)), progress)
    if chosen.full():
        return Picks(chosen.order, chosen.gains, np.zeros(len(points)))
    gains = _Gains(points, lengths, demand, len(chosen.order))
    bounds = pick_best(gains, chosen)
    if not chosen.full():
        chosen.fill(demand.weights * (demand.ceiling - demand.covered))
    return Picks(chosen.order, chosen.gains, np.maximum(bounds, 0))


class _Gains:
    """What candidates would add to the picks so far.

    Attributes:
        picks: how many there are.
        seen: (N,) int64, how many there were when a candidate was evaluated last; -1: never was.
    """

    def __init__(
        self, points: Points, lengths: Float32Array, demand: Demand, most_picks: int
    ) -> None:
        self.picks = 0
        self.seen = np.full(len(points), -1, dtype=np.int64)
        self._points, self._demand = points, demand
        self._inverse = 1 / np.maximum(lengths, np.float32(1e-12))
        sample = demand.sample
        self._targets = self._unit(sample)  # (M, D)
        self._weights = torch.from_numpy(demand.weights[sample])
        self._ceiling = torch.from_numpy(demand.ceiling[sample])
        self._covered = torch.from_numpy(demand.covered[sample])
        wanting = int((demand.ceiling > demand.covered).sum())
        self._scale = wanting / max(1, len(sample))
        self._picked = torch.empty(most_picks, self._targets.shape[1])
        self._own_covered = demand.covered.copy()
        # One buffer for all: fresh memory for each block would cost as much as the arithmetic.
        self._block = torch.empty(MOST_TOGETHER, len(sample))
        few = len(points) * len(sample) <= _KEPT_VALUES
        self._kept = torch.empty(len(points), len(sample)) if few else None

    def of(self, positions: Indices) -> NDArray[np.float64]:
        """Return what candidates at (n,) positions, n <= `MOST_TOGETHER`, would add now."""
        value = self._reach(positions).sub_(self._covered)
        torch.nn.functional.threshold(value, _SAME, 0, inplace=True)
        gain: NDArray[np.float64] = (value @ self._weights).double().numpy()
        if self._scale != 1:
            own = self._own(positions)
            sampled_too = np.isin(positions, self._demand.sample, assume_unique=True)
            gain = self._scale * (gain - own * sampled_too).clip(min=0) + own
        self.seen[positions] = self.picks
        return gain

    def pick(self, position: int) -> None:
        """Cover what a candidate covers."""
        here = np.array([position])
        torch.maximum(self._covered, self._reach(here)[0], out=self._covered)
        self._picked[self.picks] = self._unit(here)[0]
        self.picks += 1

    def _own(self, positions: Indices) -> NDArray[np.float64]:
        """Return what each candidate would add by covering itself."""
        since = max(0, int(self.seen[positions].min(initial=self.picks)))
        covered = self._own_covered[positions]
        if since < self.picks:
            near = self._similarity(self._unit(positions), self._picked[since : self.picks])
            covered = np.maximum(covered, near.max(dim=1).values.numpy())
            self._own_covered[positions] = covered
        gap = np.minimum(1, self._demand.ceiling[positions]) - covered
        gap[gap < _SAME] = 0
        return self._demand.weights[positions].astype(np.float64) * gap

    def _reach(self, positions: Indices) -> Tensor:
        """Return min(s_ij, ceiling_i) of n candidates j and the sample i: (n, M), in the buffer."""
        block = self._block[: len(positions)]
        where = torch.from_numpy(positions)
        if self._kept is not None and self.seen[positions].min(initial=0) >= 0:
            return torch.index_select(self._kept, 0, where, out=block)
        self._similarity(self._unit(positions), self._targets, out=block)
        torch.minimum(block, self._ceiling, out=block)
        if self._kept is not None:
            self._kept[where] = block
        return block

    def _similarity(self, rows: Tensor, others: Tensor, out: Tensor | None = None) -> Tensor:
        value = torch.mm(rows, others.T, out=out)
        if self._demand.radius is None:
            return value
        torch.hardshrink(value.sub_(1), _SAME, out=value)
        return value.mul_(2 / self._demand.radius**2).exp_()

    def _unit(self, positions: Indices) -> Tensor:
        """Return candidates at (n,) positions, scaled to length 1: (n, D)."""
        rows = np.asarray(self._points.embeddings[positions]) * self._inverse[positions, None]
        return torch.from_numpy(rows)
