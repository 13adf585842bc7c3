"""What takes hours makes way: rounds, and the imports of others, cannot wait that long."""

import time
from datetime import UTC, datetime, timedelta
from typing import Final

from kombu.exceptions import OperationalError
from sqlalchemy import select

from core.jobs import queue
from core.jobs.messages import GPU, QUEUE_OF
from core.states import JobKind
from core.tables import Job
from models.catalog import is_job
from workers.jobs.context import JobContext, SteppedAside
from workers.jobs.fairness import others_wait, waits_for_worker

_LOOK_SECONDS: Final = 2.0
# As long as a message may be on its way to a worker that is free.
_PATIENCE = timedelta(seconds=1)
# The part of a round that waits is taken up by the worker of the round, if by nobody else.
_BEFORE_US: Final = [
    kind
    for kind, name in QUEUE_OF.items()
    if name == GPU and not is_job(kind) and kind is not JobKind.SCORE_PART
]


class Yielding:
    """Lets other jobs of the same queue go first."""

    def __init__(self, context: JobContext, kind: JobKind | None = None) -> None:
        """Start to look around after a while.

        Args:
            context: Of the job.
            kind: Of it, where no other of its kind goes first.
        """
        self._context = context
        self._before = [one for one in _BEFORE_US if one is not kind]
        self._looked = time.monotonic()

    def progress(self, step: int, steps: int) -> None:
        """Report progress; raises ``SteppedAside`` when another job waits for the worker."""
        self._context.progress(step, steps)
        if time.monotonic() - self._looked < _LOOK_SECONDS:
            return
        self._looked = time.monotonic()
        if self._others_wait():
            raise SteppedAside("a round")

    def _others_wait(self) -> bool:
        waiting = (
            select(Job.id)
            .where(
                Job.kind.in_(self._before),
                waits_for_worker(),
                ~Job.opens(),
                Job.sent_at < datetime.now(UTC) - _PATIENCE,
            )
            .limit(1)
        )
        with self._context.sessions() as session:
            found = session.scalar(waiting)
        # Without its message in the queue the job would not be run if we made way for it.
        return found is not None and _has_messages()


def _has_messages() -> bool:
    try:
        return queue.waiting(GPU) > 0
    except OperationalError:
        # Nobody takes a message from a broker that is away.
        return False


class Turn:
    """Lets imports of other projects go first, once this one has had its time.

    Args:
        context: The import.
        lost: Seconds that it took to begin, and would take again; the turn is no shorter, so that
            an import whose source is slow to open gets on as well.
    """

    def __init__(self, context: JobContext, lost: float) -> None:
        self._context = context
        self._end = time.monotonic() + max(context.settings.import_turn_seconds, lost)

    def check(self) -> None:
        """Between two batches: raises ``SteppedAside`` when others wait and the time is over."""
        if time.monotonic() < self._end:
            return
        self._end = time.monotonic() + _LOOK_SECONDS
        sent_before = datetime.now(UTC) - _PATIENCE
        waiting = others_wait(self._context.project_id).where(Job.sent_at < sent_before).limit(1)
        with self._context.sessions() as session:
            if session.scalar(waiting) is not None:
                raise SteppedAside("an import of another project")
