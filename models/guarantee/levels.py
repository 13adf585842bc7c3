"""Chains of ever larger parts of a pool, each to be passed before the next is tried.

Fixed-sequence testing: each part is tested at the whole level, and the first that does not pass
ends the chain. To promise something false a chain would have to pass the first part for which it is
false, which happens with chance `level` at most; so the many parts cost nothing. Parts are nested
and looked at in one random order, so that the draws of a smaller one are draws of the larger.
"""

from dataclasses import dataclass
from typing import Final

from models.guarantee.boundaries import Boundary, make_boundary
from models.guarantee.lots import Lot
from models.protocols import OOD

_FIRST, _STEP = 0.15, 0.03
"""Share of a chain that the first part holds, and that every further one adds, at least."""
_LOOKED_AT: Final = 5
"""Of so many examples of a part at most one is drawn."""
_ENOUGH: Final = 12
"""... or as many as hold that many wrong ones at the target, if that is more."""


@dataclass(frozen=True)
class Test:
    """A promise of a part: of its lots at most a share is wrong.

    Attributes:
        lots: which, by position.
        size: examples in them.
        target: what is refuted, mistakes of people allowed for.
        level: chance that it may mislead.
    """

    lots: frozenset[int]
    size: int
    target: float
    level: float

    @property
    def boundary(self) -> Boundary:
        """Return when it passes; made when it is asked for, as most of a chain never is."""
        most = max(self.size // _LOOKED_AT, int(_ENOUGH / self.target))
        return make_boundary(self.size, self.target, self.level, most)


@dataclass(frozen=True)
class Level:
    """A part of a chain, and what has to be shown of it before anything of it is labeled.

    Attributes:
        lots: which, by position; those of the parts before among them.
        size: examples in them.
        tests: all have to pass; each is at the chain's whole level, for the part passes by a
            mistake only if the test of a promise that is false does.
    """

    lots: frozenset[int]
    size: int
    tests: tuple[Test, ...]


@dataclass(frozen=True)
class Target:
    """What is tested.

    Attributes:
        all: of whatever is labeled, 0..1.
        missed: share of the in-distribution among what is labeled OOD, 0..1.
    """

    all: float
    missed: float


def make_chain(lots: list[Lot], chosen: list[int], target: Target, level: float) -> list[Level]:
    """Return the parts of a chain, the smallest first.

    Args:
        lots: all of them.
        chosen: positions of the chain's, one at least.
        target: what is tested.
        level: chance that the chain may be misled.
    """
    order = sorted(chosen, key=lambda one: (lots[one].expected, one))
    whole = sum(lots[one].size for one in chosen)
    levels: list[Level] = []
    taken: list[int] = []
    size = reached = 0
    for position, one in enumerate(order):
        taken.append(one)
        size += lots[one].size
        wanted = (_STEP if levels else _FIRST) * whole
        is_last = position == len(order) - 1
        if size - reached >= wanted or is_last:
            levels.append(_level(lots, taken, target, level))
            reached = size
    return levels


def _level(lots: list[Lot], taken: list[int], target: Target, level: float) -> Level:
    ood = [one for one in taken if lots[one].label == OOD]
    tests = []
    if len(ood) < len(taken) or target.all < target.missed:
        tests.append(_test(lots, taken, target.all, level))
    if ood:
        tests.append(_test(lots, ood, target.missed, level))
    return Level(frozenset(taken), sum(lots[one].size for one in taken), tuple(tests))


def _test(lots: list[Lot], members: list[int], target: float, level: float) -> Test:
    size = sum(lots[one].size for one in members)
    return Test(frozenset(members), size, target, level)
