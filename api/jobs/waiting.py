"""Why a job has not begun, where the job itself does not say so."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any, Final

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from core.messages import JOB_MESSAGES
from core.settings import Settings
from core.states import JobState
from core.tables import Job, Worker

# A free worker takes a message within milliseconds.
_ON_ITS_WAY: Final = timedelta(seconds=2)


async def reasons(session: AsyncSession, settings: Settings, jobs: Sequence[Job]) -> dict[int, str]:
    """What keeps those of ``jobs`` that are queued, by their ids.

    Left out are jobs with a message of their own, and those that a worker is about to take.
    """
    waiting = [job for job in jobs if job.state is JobState.QUEUED and job.message is None]
    if not waiting:
        return {}
    served = await _served(session, settings)
    active = (await session.execute(_ACTIVE)).all()
    found = {}
    for job in waiting:
        queue = JOB_MESSAGES[job.kind].queue
        if queue not in served:
            found[job.id] = (
                f"Waits for a worker of the queue {queue}, and none is running: the page Workers "
                "tells an admin how to start one."
            )
        elif (count := _before(job, queue, active)) == 1:
            found[job.id] = f"Waits for a worker of the queue {queue}, with one job before it."
        elif count:
            found[job.id] = f"Waits for a worker of the queue {queue}, with {count} jobs before it."
    return found


async def _served(session: AsyncSession, settings: Settings) -> set[str]:
    """Queues that a worker is alive for."""
    stale = func.clock_timestamp() - timedelta(seconds=settings.stale_seconds)
    alive = await session.scalars(select(Worker.queues).where(Worker.heartbeat_at >= stale))
    return {queue for queues in alive for queue in queues}


_ACTIVE: Final = select(
    Job.id,
    Job.kind,
    Job.state,
    Job.sent_at,
    (func.clock_timestamp() - Job.sent_at).label("since"),
).where(
    Job.state.in_((JobState.QUEUED, JobState.RUNNING)),
    Job.message.is_(None),
    # Parts are worked on beside the job that waits for them.
    Job.parent_id.is_(None),
)


def _before(job: Job, queue: str, active: Sequence[Any]) -> int:
    """How many jobs of its queue run, or were sent before it; 0 of one that is on its way."""
    mine = next((one for one in active if one.id == job.id), None)
    if mine is None or mine.since is None or mine.since < _ON_ITS_WAY:
        return 0
    return sum(
        JOB_MESSAGES[one.kind].queue == queue
        and (
            one.state is JobState.RUNNING
            or (one.sent_at is not None and (one.sent_at, one.id) < (mine.sent_at, mine.id))
        )
        for one in active
    )
