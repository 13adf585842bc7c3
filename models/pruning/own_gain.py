"""Algorithms 1 and 2 of the thesis: take the example with the largest gain for itself.

The picks are those of the plain loop, at a fraction of the work. As gains only fall, neighbours are
looked up of examples that lead or are about to, many at a time; and of those that lead, as many are
picked at once as are not neighbours of one before them, since no gain of theirs has changed.
"""

import math

import numpy as np
from numpy.typing import NDArray

from models.protocols import Indices, Progress
from models.pruning.greedy import Greedy, Landscape
from models.pruning.neighbourhood import Neighbourhood, Row
from models.pruning.utility import OwnGains

Float64Array = NDArray[np.float64]

_LEAST_BLOCK, _MOST_BLOCK = 256, 8192
_BLOCK_SHARE = 45
"""One such part of all examples is looked up at a time: of larger ones more are never picked."""
_LEAST_RUN, _MOST_RUN = 4, 256
_UNKNOWN = (math.inf, -1)
"""Ahead of everybody, so that who really is has to be found."""


def by_own_gain(
    around: Neighbourhood,
    confidence: Float64Array,
    groups: Indices,
    n: int,
    progress: Progress | None = None,
) -> Greedy:
    """Pick n of N examples; groups take turns, in ascending order, and are skipped once empty.

    Args:
        around: finds neighbours and their similarity.
        confidence: (N,) in 0..1.
        groups: (N,) int64: labels for algorithm 2, zeros for algorithm 1.
        n: 1..N.
        progress: counts picks; may raise `Cancelled`.

    Returns:
        The picks; ties go to the lower position.
    """
    landscape = Landscape(around, confidence, n)
    race = _Race(landscape, groups)
    most = _LEAST_RUN
    while not landscape.chosen.full():
        picked, wanted = race.run(most)
        # Where neighbours follow each other, it is idle to look far ahead.
        most = 2 * most if picked == wanted else max(_LEAST_RUN, 2 * picked)
        most = min(_MOST_RUN, most)
        landscape.report(progress)
    return landscape.result()


class _Group:
    """Examples that take their turn together.

    Attributes:
        members: positions, ascending.
        left: how many were not picked.
        ready: positions of those that were looked up and not picked, ascending.
        rival: logarithm of the gain and position of the first of those that were not looked up,
            when they were last compared; none of them has come before that since. None where there
            is nobody.
    """

    def __init__(self, members: Indices) -> None:
        self.members, self.left = members, len(members)
        self.ready: Indices = members[:0]
        self.rival: tuple[float, int] | None = _UNKNOWN


class _Race:
    """Who leads in each group.

    Logarithms of gains, `_logs`, are kept up to date for all N examples. `_open` are those not
    picked, `_waiting` those not looked up, and `_rows` the neighbours of those looked up and not
    picked. `_mark` is room for one number per example, 0 between uses.
    """

    def __init__(self, landscape: Landscape, groups: Indices) -> None:
        self._land = landscape
        count = len(groups)
        self._own = OwnGains(landscape.confidence)
        self._logs = self._own.log_of(np.zeros(count), np.arange(count))
        self._open, self._waiting = np.ones(count, np.bool_), np.ones(count, np.bool_)
        self._rows: dict[int, Row] = {}
        self._mark = np.zeros(count, dtype=np.int32)
        self._group = np.unique(groups, return_inverse=True)[1]
        by_group = np.argsort(self._group, kind="stable")
        members = np.split(by_group, np.cumsum(np.bincount(self._group))[:-1])
        self._groups = [_Group(some) for some in members]
        self._turn = 0

    def run(self, most: int) -> tuple[int, int]:
        """Pick some; return how many, 1 to `most`, and how many would have come next."""
        chosen = self._land.chosen
        following = self._following(min(most, len(chosen.order) - chosen.count))
        return self._pick(following), len(following)

    def _following(self, most: int) -> list[int]:
        """Return who comes next, 1 to `most`, if each pick changes no gain of those after it."""
        turns = self._groups[self._turn :] + self._groups[: self._turn]
        turns = [group for group in turns if group.left][:most]
        each = -(-most // len(turns))
        leading = [self._leading(group, each) for group in turns]
        found: list[int] = []
        for place in range(each):
            for group, some in zip(turns, leading, strict=True):
                if len(found) == most:
                    return found
                if place < len(some):
                    found.append(some[place])
                elif place < group.left:
                    # Who is its next is not known yet, and so not who comes after.
                    return found
        return found

    def _leading(self, group: _Group, most: int) -> list[int]:
        """Return those with the largest gains of a group, 1 to `most`, ties by position."""
        first = self._ahead(group)
        if len(first) == 0:
            self._find_rival(group)
            first = self._ahead(group)
        if len(first) == 0:
            self._look_up()
            self._find_rival(group)
            first = self._ahead(group)
        logs = self._logs[first]
        if len(first) > most:
            kept = logs >= np.partition(logs, -most)[-most]
            first, logs = first[kept], logs[kept]
        leading: list[int] = first[np.argsort(-logs, kind="stable")][:most].tolist()
        return leading

    def _unseen(self, group: _Group) -> Indices:
        """Return the members of a group that were not looked up."""
        unseen: Indices = group.members[self._waiting[group.members]]
        return unseen

    def _find_rival(self, group: _Group) -> None:
        """Find out who is first of those of a group that were not looked up."""
        waiting = self._unseen(group)
        if len(waiting) == 0:
            group.rival = None
            return
        logs = self._logs[waiting]
        best = int(logs.argmax())
        group.rival = float(logs[best]), int(waiting[best])

    def _ahead(self, group: _Group) -> Indices:
        """Return those that are ready and before whoever is not."""
        if group.rival is None:
            return group.ready
        logs, (log, position) = self._logs[group.ready], group.rival
        ahead: Indices = group.ready[(logs > log) | ((logs == log) & (group.ready < position))]
        return ahead

    def _look_up(self) -> None:
        """Look up the neighbours of those who are about to lead, of each group."""
        around, chosen = self._land.around, self._land.chosen
        room = min(_MOST_BLOCK, max(_LEAST_BLOCK, len(self._logs) // _BLOCK_SHARE))
        room = around.block(min(room, len(chosen.order) - chosen.count))
        share = -(-room // len(self._groups))
        block = [self._best(group, share) for group in self._groups]
        positions = np.concatenate(block)
        self._waiting[positions] = False
        rows = around.rows(positions)
        self._rows.update(zip(positions.tolist(), rows, strict=True))
        for group, some in zip(self._groups, block, strict=True):
            group.ready = np.sort(np.concatenate([group.ready, some]))

    def _best(self, group: _Group, count: int) -> Indices:
        """Return up to `count` of a group that were not looked up yet, with the largest gains."""
        waiting = self._unseen(group)
        if len(waiting) <= count:
            return waiting
        logs = self._logs[waiting]
        least = np.partition(logs, -count)[-count]
        above, equal = waiting[logs > least], waiting[logs == least]
        return np.concatenate([above, equal[: count - len(above)]])

    def _pick(self, positions: list[int]) -> int:
        """Pick those up to the first that is a neighbour of one before it; return how many."""
        rows = [self._rows[position] for position in positions]
        starts = np.cumsum([0, *(len(row.columns) for row in rows)])
        columns = np.concatenate([row.columns for row in rows])
        which = np.repeat(np.arange(len(rows)), np.diff(starts))
        self._mark[positions] = np.arange(1, len(rows) + 1)
        turn = self._mark[columns] - 1
        self._mark[positions] = 0
        count = int(turn[turn > which].min(initial=len(rows)))
        added = np.concatenate([row.similarities for row in rows])
        added *= self._land.confidence[positions][which]
        gains = [math.exp(log) for log in self._logs[positions].tolist()]
        end = starts[count]
        before = self._raise(columns[:end], added[:end], undo=count > 1)
        if before is None:
            return self._pick(positions[:1])
        bounds = starts.tolist()
        for number, position in enumerate(positions[:count]):
            here = slice(bounds[number], bounds[number + 1])
            row = self._rows.pop(position)
            self._land.note(position, gains[number], row, before[here], added[here])
        self._open[positions[:count]] = False
        groups = self._group[positions[:count]]
        for number in np.unique(groups).tolist():
            group = self._groups[number]
            left = group.ready[self._open[group.ready]]
            group.left -= len(group.ready) - len(left)
            group.ready = left
        self._turn = (int(groups[-1]) + 1) % len(self._groups)
        return count

    def _raise(
        self, columns: NDArray[np.int32], added: Float64Array, *, undo: bool
    ) -> Float64Array | None:
        """Raise the estimates of (E,) examples, of one that comes again one time after the other.

        Returns:
            What each estimate was before, (E,). None where `undo` was asked for and a gain rose, as
            rounding may make it: nothing has changed then, and who comes next has to be asked after
            each pick.
        """
        before, left = np.empty(len(columns)), np.arange(len(columns))
        done: list[tuple[NDArray[np.int32], Float64Array, Float64Array]] = []
        estimate = self._land.estimate
        while len(left):
            # Of equal indices the last is kept, which is the first to come.
            self._mark[columns[left[::-1]]] = left[::-1]
            first = self._mark[columns[left]] == left
            self._mark[columns[left]] = 0
            now, left = left[first], left[~first]
            some = columns[now]
            before[now] = estimate[some]
            done.append((some, before[now], self._logs[some]))
            estimate[some] += added[now]
            self._logs[some] = logs = self._own.log_of(estimate[some], some)
            risen = some[logs > done[-1][2]]
            for number in np.unique(self._group[risen]).tolist():
                self._groups[number].rival = _UNKNOWN
            if undo and len(risen):
                for changed, was, log in reversed(done):
                    estimate[changed], self._logs[changed] = was, log
                return None
        return before
