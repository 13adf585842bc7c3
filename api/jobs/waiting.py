"""Why a job has not begun, where the job itself does not say so."""

from collections.abc import Collection, Sequence
from datetime import timedelta
from typing import Any, Final

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from core.jobs.messages import QUEUE_OF
from core.settings import Settings
from core.states import JobKind, JobState
from core.tables import Job, Worker

# A free worker takes a message within milliseconds.
_ON_ITS_WAY: Final = timedelta(seconds=2)
# One that is being started, as after karat up, is not heard of yet.
_STARTING: Final = timedelta(seconds=20)


async def reasons(session: AsyncSession, settings: Settings, jobs: Sequence[Job]) -> dict[int, str]:
    """What keeps those of ``jobs`` that are queued, by their ids.

    Left out are jobs with a message of their own, and those that a worker may be about to take.
    """
    waiting = [job for job in jobs if job.state is JobState.QUEUED and job.message is None]
    if not waiting:
        return {}
    served = await _served(session, settings)
    active = (await session.execute(_ACTIVE)).all()
    waited = {one.id: one.waited for one in active}
    found = {}
    for job in waiting:
        queue = QUEUE_OF[job.kind]
        if queue not in served:
            if waited.get(job.id, _STARTING) < _STARTING:
                continue
            found[job.id] = (
                f"Waits for a worker of the queue {queue}, and none is running: the page Workers "
                "tells an admin how to start one."
            )
        elif count := _ahead(job, active):
            found[job.id] = _words(job, count)
    return found


async def reasons_by_id(
    session: AsyncSession, settings: Settings, job_ids: Collection[int]
) -> dict[int, str]:
    """What keeps those of the jobs that are queued, as they are shown, by their ids."""
    queued = select(Job).where(Job.id.in_(job_ids), Job.state == JobState.QUEUED)
    jobs = (await session.scalars(queued)).all()
    own = {job.id: job.message for job in jobs if job.message is not None}
    return {**own, **await reasons(session, settings, jobs)}


def _words(job: Job, count: int) -> str:
    if job.kind is JobKind.IMPORT_POOL:
        if count == 1:
            return "Waits for its turn among the imports, of which one other runs or waits."
        return f"Waits for its turn among the imports, of which {count} others run or wait."
    if count == 1:
        return "Waits for its turn, with one job before it."
    return f"Waits for its turn, with {count} jobs before it."


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
    (func.clock_timestamp() - func.coalesce(Job.sent_at, Job.created_at)).label("waited"),
).where(
    Job.state.in_((JobState.QUEUED, JobState.RUNNING)),
    Job.message.is_(None),
    # Parts are worked on beside the job that waits for them.
    Job.parent_id.is_(None),
)


def _ahead(job: Job, active: Sequence[Any]) -> int:
    """How many jobs of its queue run, or were sent before it; 0 of one that is on its way.

    Imports take turns, so which of those that wait goes first is not known: all others count.
    """
    mine = next((one for one in active if one.id == job.id), None)
    if mine is None or mine.sent_at is None or mine.waited < _ON_ITS_WAY:
        return 0
    queue = QUEUE_OF[job.kind]
    others = [one for one in active if QUEUE_OF[one.kind] == queue and one.id != job.id]
    if job.kind is JobKind.IMPORT_POOL:
        return len(others)
    return sum(
        one.state is JobState.RUNNING
        or (one.sent_at is not None and (one.sent_at, one.id) < (mine.sent_at, mine.id))
        for one in others
    )
