"""What nobody is working on is sent again, and plans that nobody answers are forgotten."""

import logging
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from core.database.engines import database_time
from core.files.storage import Storage
from core.jobs import queue
from core.jobs.messages import QUEUES, CheckWeights, Housekeeping, Message, RunJob, Sweep, TryJudges
from core.settings import settings
from core.states import JobState
from core.tables import Job, Worker
from workers.app import app
from workers.execution.claiming import is_blocked, may_begin
from workers.imports.expiry import expire_plans
from workers.imports.sync.due import due_syncs
from workers.jobs.context import sessions
from workers.jobs.fairness import is_silent
from workers.judges.trial import left_untried
from workers.weights import unchecked

logger = logging.getLogger(__name__)

# What is sent when somebody asks for it, and whether somebody still waits for that. None is lost
# while one waits in its queue: whoever takes it looks at all there are.
_ASKS: Final[Mapping[type[Housekeeping], Callable[[Session], bool]]] = {
    CheckWeights: unchecked,
    TryJudges: left_untried,
}


@app.task(name=Sweep.task)  # type: ignore[untyped-decorator]
def sweep(payload: dict[str, Any]) -> None:
    """Send again what was never delivered, waits no longer, or was left by a dead worker."""
    Sweep.model_validate(payload)
    with sessions().begin() as session:
        expired = expire_plans(session, datetime.now(UTC))
    for name in expired:
        Storage.of(settings()).remove_upload(name)
    waiting = {name: queue.waiting(name) for name in QUEUES}
    lost: list[RunJob] = []
    with sessions().begin() as session:
        active = (
            select(Job)
            .where(Job.state.in_((JobState.QUEUED, JobState.RUNNING)))
            .order_by(Job.id)
            .with_for_update(skip_locked=True, key_share=True)
        )
        jobs = session.scalars(active).all()
        # Once they are locked: what is dated later was so by a clock that has been set back.
        now = database_time(session)
        for job in jobs:
            _correct(job, now)
            message = RunJob.of(job)
            # What waits beside the sweep takes seconds, and some of it always does.
            if _lost(session, job, now, 0 if message.opening else waiting[message.queue]):
                logger.warning("job %s (%s) is sent again", job.id, job.state)
                job.sent_at, job.message = now, None
                lost.append(message)
        _correct_workers(session)
        asks = [
            message()
            for message, is_wanted in _ASKS.items()
            if waiting[message.queue] == 0 and is_wanted(session)
        ]
        again: list[Message] = [*lost, *due_syncs(session), *asks]
    # After the commit: a slow broker must not hold the rows that running jobs beat on.
    for one in again:
        queue.send(one)


def _correct(job: Job, now: datetime) -> None:
    """Have what is dated in the future count from ``now`` on.

    When the clock is set back by an hour, the last heartbeat of a dead worker would look fresh for
    that hour, and a lost message as if it had just been sent. Who lives writes a new date soon.
    """
    if job.heartbeat_at is not None:
        job.heartbeat_at = min(job.heartbeat_at, now)
    if job.sent_at is not None:
        job.sent_at = min(job.sent_at, now)


def _correct_workers(session: Session) -> None:
    now = func.clock_timestamp()
    session.execute(update(Worker).where(Worker.heartbeat_at > now).values(heartbeat_at=now))


def _lost(session: Session, job: Job, now: datetime, waiting: int) -> bool:
    """Whether no message of the job, which nobody works on, can be expected in its queue.

    Args:
        session: The one of ``job``.
        job: Queued or running.
        now: What the database's clock says.
        waiting: How many messages are in its queue.
    """
    if is_blocked(job):
        # A worker took its message, and dropped it.
        return may_begin(session, job, now)
    if job.state is JobState.RUNNING:
        if not is_silent(job, now):
            return False
        if _is_due(job, now):
            return True
    # While messages wait in the queue, this job's may be among them: a busy worker is no reason to
    # send it twice.
    undelivered = now - timedelta(seconds=settings().sweep_seconds)
    return waiting == 0 and (job.sent_at is None or job.sent_at < undelivered)


def _is_due(job: Job, now: datetime) -> bool:
    """Whether to send the job of a dead worker, however many messages wait in its queue.

    Once at first, and then, for that may have been lost, at intervals that double: a long queue
    must not fill with them.
    """
    alive, sent = job.heartbeat_at, job.sent_at
    return alive is None or sent is None or sent <= alive or now - sent > sent - alive
