"""Chains of ever larger parts of a pool, each to be passed before the next is tried.

Fixed-sequence testing: each part is tested at the whole level, and the first that does not pass
ends the chain. To promise something false a chain would have to pass the first part for which it is
false, which happens with chance `level` at most; so the many parts cost nothing. Parts are nested
and looked at in one random order, so that the draws of a smaller one are draws of the larger.
"""

import math
from dataclasses import dataclass
from typing import Final

import numpy as np

from models.guarantee.boundaries import Boundary, make_boundary
from models.guarantee.lots import Lot
from models.protocols import Indices

_FIRST, _STEP = 0.06, 0.04
"""Share of a chain that the first part holds, and that every further one adds, at least."""
_BOLD, _MOST = 0.3, 0.5
"""What the model expects of the part that is tried first, of the target, and its largest share."""
_SPARED: Final = 0.2
"""Of the level, for a start with less."""
_WAITED: Final = 6
"""A part with few wrong ones takes draws that hold about so many at the target."""
_SPARE: Final = 12
"""... but no more than one of so many in a part: what is left would have to be too good."""
_TIMES: Final = 8
"""The first part holds so many times the draws that it takes if none is wrong."""
_LOOKED_AT: Final = 6
"""Of so many examples of a part at most one is drawn ..."""
_HELD: Final = (25, 50)
"""... but as many as hold so many wrong ones at the target, and no more than hold so many."""


@dataclass(frozen=True)
class Part:
    """Lots of a chain, those of the parts before among them.

    Attributes:
        lots: which, by position.
        size: examples in them.
        expected: share of them that the model itself expects to be wrong.
        target: share that is refuted, mistakes of people allowed for.
        level: chance that it may mislead.
        apart: answers to draws of smaller parts, at most, that come too late in the order of this.
    """

    lots: frozenset[int]
    size: int
    expected: float
    target: float
    level: float
    apart: int

    @property
    def boundary(self) -> Boundary:
        """Return when it passes; made when it is asked for, as most of a chain never is."""
        least, most = _HELD
        draws = max(least / self.target, min(self.size / _LOOKED_AT, most / self.target))
        return make_boundary(self.size, self.target, self.level, int(draws), self.apart)


@dataclass(frozen=True)
class Chain:
    """Parts of a pool that a promise is made of, the smallest and surest first.

    Attributes:
        parts: each holds the one before it.
        spare: smaller parts, tried in the same way where the first of `parts` does not pass.
        promised: share of what is labeled that may be wrong.
        is_ood: whether its lots are what the model takes for OOD, and no others.
    """

    parts: tuple[Part, ...]
    spare: tuple[Part, ...]
    promised: float
    is_ood: bool


def make_parts(
    lots: list[Lot], chosen: list[int], target: float, level: float
) -> tuple[tuple[Part, ...], tuple[Part, ...]]:
    """Return the parts to be tried, and smaller ones for where the first of them does not pass.

    The first holds what the model expects to be well below the target: one that is smaller takes
    as many draws, which are then too many for the larger ones. Whoever is wrong about itself has a
    smaller part of the level left for a start further down.

    Args:
        lots: all of them.
        chosen: positions of the chain's, one at least.
        target: what is to be refuted of it.
        level: chance that the chain may be misled, in one way or the other.
    """
    order = sorted(chosen, key=lambda one: (lots[one].expected, one))
    sizes = np.cumsum([lots[one].size for one in order])
    expected = np.cumsum([lots[one].expected * lots[one].size for one in order]) / sizes
    whole = int(sizes[-1])
    few = make_boundary(whole, target, level, int(_HELD[0] / target)).needed
    least = max(_FIRST * whole, min(_TIMES * int(few[0]), whole) if len(few) else whole)
    bold = min(max(int(sizes[expected <= _BOLD * target].max(initial=0)), least), _MOST * whole)
    starts = [least, bold] if least < bold / 2 else [bold]
    ends = [int(np.searchsorted(sizes, start)) for start in starts]
    ladder = _ladder(sizes, ends[0])

    def parts(positions: list[int], share: float) -> tuple[Part, ...]:
        begins = int(sizes[positions[0]])
        return tuple(
            Part(
                frozenset(order[: at + 1]),
                int(sizes[at]),
                float(expected[at]),
                target,
                level * share,
                _before(begins, int(sizes[at]), target),
            )
            for at in positions
        )

    if len(ends) == 1 or ends[0] == ends[1]:
        return parts(ladder, 1.0), ()
    spare = [at for at in ladder if at < ends[1]]
    return parts(_ladder(sizes, ends[1]), 1 - _SPARED), parts(spare, _SPARED)


def _before(first: int, size: int, target: float) -> int:
    """How many draws of the parts before one come too late in its order, as a rule.

    Each part takes about as many draws of its own; of those of a smaller one, the share by which it
    is smaller lies further on.
    """
    draws = _WAITED / target * (math.log(size / first) + 1 - first / size)
    return int(min(draws, size / _SPARE))


def _ladder(sizes: Indices, first: int) -> list[int]:
    """Positions of the lots that parts end with, from `first` up, a step of the whole apart."""
    found = [first]
    for at in range(first + 1, len(sizes)):
        if sizes[at] - sizes[found[-1]] >= _STEP * sizes[-1] or at == len(sizes) - 1:
            found.append(at)
    return found
