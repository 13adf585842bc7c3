"""Jobs that nobody is working on are sent again, and plans that nobody answers are forgotten."""

import logging
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from core import queue
from core.messages import JOB_MESSAGES, QUEUES, JobMessage, Sweep
from core.settings import settings
from core.states import JobState
from core.storage import Storage
from core.tables import Job
from workers.app import app
from workers.imports.expiry import expire_plans
from workers.runner import is_blocked, may_begin, sessions

logger = logging.getLogger(__name__)


@app.task(name=Sweep.task)  # type: ignore[untyped-decorator]
def sweep(payload: dict[str, Any]) -> None:
    """Send again what was never delivered, waits no longer, or was left by a dead worker."""
    Sweep.model_validate(payload)
    now = datetime.now(UTC)
    with sessions().begin() as session:
        expired = expire_plans(session, now)
    for name in expired:
        Storage.of(settings()).remove_upload(name)
    waiting = {name: queue.waiting(name) for name in QUEUES}
    lost: list[JobMessage] = []
    with sessions().begin() as session:
        active = (
            select(Job)
            .where(Job.state.in_((JobState.QUEUED, JobState.RUNNING)))
            .order_by(Job.id)
            .with_for_update(skip_locked=True, key_share=True)
        )
        for job in session.scalars(active).all():
            message = JOB_MESSAGES[job.kind](job_id=job.id)
            if _lost(session, job, now, waiting[message.queue]):
                logger.warning("job %s (%s) is sent again", job.id, job.state)
                job.sent_at, job.message = now, None
                lost.append(message)
    # After the commit: a slow broker must not hold the rows that running jobs beat on.
    for message in lost:
        queue.send(message)


def _lost(session: Session, job: Job, now: datetime, waiting: int) -> bool:
    """Whether no message of the job, which nobody works on, can be expected in its queue.

    Args:
        session: The one of ``job``.
        job: Queued or running.
        now: The time.
        waiting: How many messages are in its queue.
    """
    if is_blocked(job):
        # A worker took its message, and dropped it.
        return may_begin(session, job)
    if job.state is JobState.RUNNING:
        stale = now - timedelta(seconds=settings().stale_seconds)
        if job.heartbeat_at is not None and job.heartbeat_at >= stale:
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
