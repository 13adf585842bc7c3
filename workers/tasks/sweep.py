"""Jobs that nobody is working on are sent again."""

import logging
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import select

from core import queue
from core.messages import JOB_MESSAGES, QUEUES, JobMessage, Sweep
from core.settings import settings
from core.states import JobState
from core.tables import Job
from workers.app import app
from workers.runner import sessions

logger = logging.getLogger(__name__)


@app.task(name=Sweep.task)  # type: ignore[untyped-decorator]
def sweep(payload: dict[str, Any]) -> None:
    """Send again what was never delivered, and what a dead worker left behind."""
    Sweep.model_validate(payload)
    now = datetime.now(UTC)
    waiting = {name: queue.waiting(name) for name in QUEUES}
    stale = now - timedelta(seconds=settings().stale_seconds)
    undelivered = now - timedelta(seconds=settings().sweep_seconds)
    lost: list[JobMessage] = []
    with sessions().begin() as session:
        active = (
            select(Job)
            .where(Job.state.in_((JobState.QUEUED, JobState.RUNNING)))
            .order_by(Job.id)
            .with_for_update(skip_locked=True, key_share=True)
        )
        for job in session.scalars(active):
            message = JOB_MESSAGES[job.kind](job_id=job.id)
            if job.state is JobState.RUNNING:
                abandoned = job.heartbeat_at is None or job.heartbeat_at < stale
            else:
                abandoned = job.sent_at is None or job.sent_at < undelivered
            # While messages wait in the queue, this job's may be among them: a busy worker is no
            # reason to send it twice.
            if abandoned and waiting[message.queue] == 0:
                logger.warning("job %s (%s) is sent again", job.id, job.state)
                job.sent_at = now
                lost.append(message)
    # After the commit: a slow broker must not hold the rows that running jobs beat on.
    for message in lost:
        queue.send(message)
