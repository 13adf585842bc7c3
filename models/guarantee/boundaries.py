"""When few enough of the draws were wrong: a boundary whose chance to mislead is known exactly.

A lot of N holds M wrong ones. One draws without replacement and passes the lot as soon as, with i
wrong so far, `needed[i]` have been drawn: sequential acceptance sampling, curtailed at every draw.
The first passage of such a boundary has a distribution that can be written down for every M, so its
level is neither approximated nor bounded by Ville's inequality, whose slack costs a tenth of the
draws.

Source: acceptance sampling of annotations, J.-C. Klie et al., arXiv 2405.11919; the shape is that
of a mixture of likelihood ratios (H. Robbins, "Statistical methods related to the law of the
iterated logarithm", 1970).
"""

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular
from scipy.special import gammaln

from models.protocols import Indices

_SHARES: Final = np.array([0.02, 0.15, 0.3, 0.45, 0.6, 0.75])
"""Shares of what is tolerated that a lot worth passing may have: the mixture's points."""
# Little for the very best: what it costs to be quick there, the parts lack that are large enough to
# be worth the draws.
_WEIGHTS: Final = np.array([0.03, 0.07, 0.15, 0.3, 0.27, 0.18])
_STEPS: Final = 8
_BRACKETS: Final = 10
_SMALL: Final = 30
"""A lot is small that holds fewer wrong ones at its target: each draw then changes what is left."""
_HIGHEST: Final = 8
_TABLED: Final = 1 << 20
_TINY: Final = 1e-9


@dataclass(frozen=True)
class Boundary:
    """When a lot passes, and what that says.

    Whenever n draws hold w wrong ones and needed[w] <= n <= horizon, at most
    floor(target (N - n - apart)) + w of the lot are wrong: so at most the share `target` of what is
    left, be it that `apart` others were looked at besides. The chance that this is ever said and
    not so is at most `level`.

    Attributes:
        lot: N, how many it holds.
        target: 0..1.
        apart: how many are looked at besides these draws without counting here.
        needed: (c,) int64 ascending: draws after which w wrong ones are few enough, w = 0..c-1;
            with more it never passes.
        horizon: draws up to which that is said; what comes later changes nothing.
        level: 0..1.
    """

    lot: int
    target: float
    apart: int
    needed: Indices
    horizon: int
    level: float

    def most_wrong(self, wrong: NDArray[np.bool_]) -> int | None:
        """Return how many of the lot are wrong at most, those drawn among them.

        Args:
            wrong: (n,) in the order of the draws.

        Returns:
            The least that any look said; None where the lot has not passed.
        """
        if len(self.needed) == 0 or len(wrong) < self.needed[0]:
            return None
        count = np.concatenate([[0], np.cumsum(wrong[: self.horizon])])
        drawn = np.arange(len(count))
        last = len(self.needed) - 1
        passed = (count <= last) & (drawn >= self.needed[np.minimum(count, last)])
        if not passed.any():
            return None
        left = np.maximum(self.lot - drawn[passed] - self.apart, 0)
        said = np.floor(self.target * left + _TINY) + count[passed]
        return int(said.min())

    def still_needed(
        self, drawn: int, wrong: int, shares: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return about how many more draws it takes if a share of them is wrong.

        Args:
            drawn: n so far.
            wrong: how many of them were wrong.
            shares: (k,) in 0..1, of those to come.

        Returns:
            (k,), infinite where it would never pass.
        """
        needed = self.needed[wrong:]
        if len(needed) == 0:
            return np.full(len(shares), math.inf)
        # With so many wrong ones it passes, unless the next comes before.
        further = np.arange(1, len(needed) + 1)
        until = drawn + further / np.maximum(shares, _TINY)[:, None]
        passes = needed <= until
        more = np.maximum(needed[passes.argmax(axis=1)] - float(drawn), 0.0)
        return np.where(passes.any(axis=1), more, math.inf)


@lru_cache(maxsize=4096)
def make_boundary(
    lot: int, target: float, level: float, most_draws: int, apart: int = 0
) -> Boundary:
    """Return the boundary of a lot for a promise.

    Args:
        lot: N >= 1.
        target: 0..1, share of what is left after the draws that may be wrong.
        level: 0..1, chance that it may mislead.
        most_draws: with more nothing passes; of N at most three quarters count. Fewer make the
            others a little better.
        apart: how many are looked at besides without counting here, 0 <= apart < lot.

    Returns:
        Without any point where nothing can be shown by so few draws.
    """
    most_draws = min(most_draws, 3 * lot // 4)
    least = math.log(1 / level)
    low, high = least - 1.5, least + 4.5
    large = lot - apart
    top = math.floor(target * large + _TINY) + 1
    for _ in range(_STEPS):
        middle = (low + high) / 2
        needed = _shape(target, middle, most_draws)
        if first_passage(lot, min(top, lot), needed).sum() <= level:
            high = middle
        else:
            low = middle
    # Somewhat higher, so that it holds at every later look, too; no higher than it has to be.
    low, step = high, 0.02
    best: Boundary | None = None
    while step >= 0.01 and high < least + _HIGHEST:
        needed = _shape(target, high, most_draws)
        horizon = _horizon(lot, target, needed)
        chance = _chance_to_mislead(lot, large, target, needed, horizon)
        if chance <= level:
            best = Boundary(lot, target, apart, needed, horizon, chance)
            step = (high - low) / 2
            high -= step
        elif best is None:
            low = high
            step = max(math.log(chance / level) / 4, 1.5 * step)
            high += step
        else:
            low = high
            step /= 2
            high += step
    nothing = np.empty(0, dtype=np.int64)
    return best if best is not None else Boundary(lot, target, apart, nothing, 0, 0.0)


def _horizon(lot: int, target: float, needed: Indices) -> int:
    """Draws up to which a passed lot is spoken of: beyond its last point, unless it is small.

    Draws for larger parts of a pool go on in a part that has passed.
    """
    last = int(needed[-1]) if len(needed) else 0
    return last if target * lot < _SMALL else min(5 * last // 4, lot)


def _chance_to_mislead(lot: int, large: int, target: float, needed: Indices, horizon: int) -> float:
    """Limit of the largest chance, over all M, to be ever told of fewer than M.

    With M wrong ones one is misled where n >= needed[w] and floor(target (N' - n)) + w < M, with N'
    = `large` what the promise is about before any draw. The
    more of them there are, the larger is that region, and the rarer does anybody get there: so the
    chance for all M within a bracket is at most that of its least M and its largest region.
    """
    if len(needed) == 0:
        return 0.0
    counts = np.arange(len(needed))
    most = int((np.floor(target * np.maximum(large - needed, 0) + _TINY) + counts).max()) + 1
    least = math.floor(target * max(large - horizon, 0) + _TINY) + 1
    ends = np.unique(np.linspace(least, most + 1, _BRACKETS + 1).astype(np.int64))
    worst = 0.0
    for low, high in zip(ends[:-1], ends[1:] - 1, strict=True):
        # The least n with floor(target (N' - n)) + w < high.
        deep = np.floor(large - (high - counts) / target).astype(np.int64) + 1
        region = np.maximum(needed, deep)
        reachable = region <= horizon
        worst = max(worst, float(first_passage(lot, int(low), region[reachable]).sum()))
    return worst


def _shape(target: float, height: float, most_draws: int) -> Indices:
    """Draws at which the mixture of likelihood ratios reaches exp(height), for each count."""
    shares = target * _SHARES
    wrong = np.log(_SHARES)
    right = np.log1p(-shares) - math.log1p(-target)

    def height_of(n: NDArray[np.float64], i: NDArray[np.float64]) -> NDArray[np.float64]:
        terms = np.log(_WEIGHTS) + i[:, None] * wrong + (n - i)[:, None] * right
        top = terms.max(axis=1)
        result: NDArray[np.float64] = top + np.log(np.exp(terms - top[:, None]).sum(axis=1))
        return result

    counts = np.arange(math.ceil(target * most_draws) + 1, dtype=np.float64)
    low, high = counts.copy(), np.full(len(counts), float(most_draws))
    possible = height_of(high, counts) >= height
    while ((high - low) > 1).any():
        middle = np.floor((low + high) / 2)
        enough = height_of(middle, counts) >= height
        high = np.where(enough, middle, high)
        low = np.where(enough, low, middle)
    return high[possible].astype(np.int64)


def first_passage(lot: int, wrong: int, needed: Indices) -> NDArray[np.float64]:
    """Return the chance to pass a boundary first at each of its points.

    x_i = P(i wrong of needed_i) - sum over j < i of x_j P(from j to i): who is at a point has come
    by a first one. Hypergeometric throughout.

    Args:
        lot: N.
        wrong: M, how many are wrong, 0..N.
        needed: (c,) ascending, at most N.

    Returns:
        (c,) with sum <= 1.
    """
    count = len(needed)
    if count == 0:
        return np.zeros(0)
    points = np.arange(count)
    here = _chances(np.full(count, lot), np.full(count, wrong), needed, points)
    later, earlier = _pairs(count)
    steps = np.eye(count)
    steps[later, earlier] = _chances(
        lot - needed[earlier],
        wrong - points[earlier],
        needed[later] - needed[earlier],
        later - earlier,
    )
    found = solve_triangular(steps, here, lower=True, unit_diagonal=True, check_finite=False)
    result: NDArray[np.float64] = np.maximum(found, 0)
    return result


@lru_cache(maxsize=256)
def _pairs(count: int) -> tuple[Indices, Indices]:
    """All pairs of points of which the first is the later."""
    later, earlier = np.tril_indices(count, -1)
    return later, earlier


def _chances(lot: Indices, wrong: Indices, drawn: Indices, found: Indices) -> NDArray[np.float64]:
    """Hypergeometric chance of exactly `found` wrong ones among `drawn`, element by element."""
    right, other = lot - wrong, drawn - found
    possible = (wrong >= found) & (right >= other) & (other >= 0)
    if not possible.all():
        zero = np.zeros_like(found)
        parts = (np.where(possible, one, zero) for one in (lot, wrong, right, drawn, found, other))
        lot, wrong, right, drawn, found, other = parts
    terms = _log_choose(wrong, found) + _log_choose(right, other) - _log_choose(lot, drawn)
    return np.where(possible, np.exp(terms), 0.0)


def _log_choose(n: Indices, k: Indices) -> NDArray[np.float64]:
    most = int(n.max(initial=0))
    result: NDArray[np.float64]
    if most > _TABLED:
        result = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
        return result
    logs = _log_factorials(max(1024, 1 << most.bit_length()))
    result = logs[n] - logs[k] - logs[n - k]
    return result


@lru_cache(maxsize=8)
def _log_factorials(count: int) -> NDArray[np.float64]:
    """Logs of 0!, 1!, ... of so many numbers."""
    found: NDArray[np.float64] = gammaln(np.arange(count) + 1.0)
    return found
