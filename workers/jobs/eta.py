"""The phases of a job, how fast the present one goes, and how long all of them still take."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class _Count:
    """Where and when the steps of a phase began to be counted."""

    step: int = 0
    steps: int = 0
    since: float = 0.0


class Eta:
    """What is known of the time that a job takes.

    Args:
        phases: In their order.
        expected: Seconds that phases take, as they did last time.
        work: What phases amount to beside each other, in any unit: as soon as it is known how fast
            one goes, so it is of the others. Such a phase counts its steps once, from 0 to the end.
    """

    def __init__(
        self,
        phases: Sequence[str] = (),
        expected: Mapping[str, float] | None = None,
        work: Mapping[str, float] | None = None,
    ) -> None:
        self._seconds_a_unit: float | None = None
        self.plan(phases, expected, work)
        self.begin()

    def plan(
        self,
        phases: Sequence[str],
        expected: Mapping[str, float] | None,
        work: Mapping[str, float] | None,
    ) -> None:
        """Note what is known by now, as of a new one; how fast a unit of work goes is kept."""
        self.phases = list(phases)
        self._expected, self._work = dict(expected or {}), dict(work or {})

    def begin(self) -> None:
        """Note that a phase begins now."""
        self._began = time.monotonic()
        self._count = _Count()

    @property
    def elapsed(self) -> float:
        """Seconds since the present phase began."""
        return time.monotonic() - self._began

    def left(self, phase: str, step: int, steps: int) -> float | None:
        """Say how many seconds the job still takes.

        Args:
            phase: The present one.
            step: How many of its steps are done.
            steps: How many there are; 0 if they are not counted.

        Returns:
            Of this phase and of those that follow; None while that of this one is not known. It
            leaves out a phase to come of which nothing is known, neither what it took last time
            nor its work, so that it may grow when such a phase begins.
        """
        here = self._left_here(phase, step, steps)
        if here is None:
            return None
        later = self.phases[self.phases.index(phase) + 1 :]
        return here + sum(self._seconds_of(one) or 0.0 for one in later)

    def _left_here(self, phase: str, step: int, steps: int) -> float | None:
        now = time.monotonic()
        if steps != self._count.steps or step < self._count.step:
            # Another count begins, or that of a phase that goes on where a killed worker got to.
            self._count = _Count(step, steps, now)
        if self._count.step < step <= steps:
            pace = (now - self._count.since) / (step - self._count.step)
            if (work := self._work.get(phase)) is not None:
                self._seconds_a_unit = pace * steps / work
            return pace * (steps - step)
        known = self._seconds_of(phase)
        return None if known is None else max(0.0, known - self.elapsed)

    def _seconds_of(self, phase: str) -> float | None:
        if phase in self._work and self._seconds_a_unit is not None:
            return self._work[phase] * self._seconds_a_unit
        return self._expected.get(phase)
