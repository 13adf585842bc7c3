"""Why a job has not begun, where the job itself does not say so."""

from collections.abc import Collection, Mapping, Sequence
from datetime import timedelta
from typing import Any, Final

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from api.callers.access import standings
from api.callers.principal import Principal
from core.jobs.messages import queue_of
from core.settings import Settings
from core.states import JobKind, JobState, ProjectRole, Role
from core.tables import Job, User, Worker

# A free worker takes a message within milliseconds.
_ON_ITS_WAY: Final = timedelta(seconds=2)
# One that is being started, as after karat up, is not heard of yet.
_STARTING: Final = timedelta(seconds=20)
TOLD: Final = 3
"""How many people are named to those who have to tell somebody."""
ADMINS: Final = (
    select(User.name).where(User.role == Role.ADMIN, User.active).order_by(User.id).limit(TOLD)
)
"""Statement: names of those who can start workers, the first of them."""


async def reasons(session: AsyncSession, settings: Settings, jobs: Sequence[Job]) -> dict[int, str]:
    """What keeps those of ``jobs`` that are queued, by their ids.

    Left out are jobs with a message of their own, and those that a worker may be about to take.
    """
    return _in_words(jobs, await _before(session, settings, jobs))


async def reasons_for(
    session: AsyncSession, settings: Settings, principal: Principal, job_ids: Collection[int]
) -> dict[int, str]:
    """What keeps those of the jobs that are queued, by their ids, as they are shown to the caller.

    Annotators can mend nothing of it: they are told whom to tell, or that it goes on by itself.
    """
    queued = select(Job).where(Job.id.in_(job_ids), Job.state == JobState.QUEUED)
    jobs = (await session.scalars(queued)).all()
    own = {job.id: job.message for job in jobs if job.message is not None}
    before = await _before(session, settings, jobs)
    found = {**own, **_in_words(jobs, before)}
    projects = [job.project_id for job in jobs if job.project_id is not None]
    roles = await standings(session, principal, projects) if found else {}
    plainly = {id_ for id_, role in roles.items() if role is ProjectRole.ANNOTATOR}
    admins = (await session.scalars(ADMINS)).all() if plainly and None in before.values() else ()
    nobody = f"Nothing on the server works on this just now. Tell an admin: {', '.join(admins)}."
    for job in jobs:
        if job.project_id in plainly and job.id in own:
            found[job.id] = "Waits for something else, and goes on by itself."
        elif job.project_id in plainly and before.get(job.id, 0) is None:
            found[job.id] = nobody
    return found


async def _before(
    session: AsyncSession, settings: Settings, jobs: Sequence[Job]
) -> dict[int, int | None]:
    """How many jobs come before those that wait for a worker, by id; None where there is none."""
    waiting = [job for job in jobs if job.state is JobState.QUEUED and job.message is None]
    if not waiting:
        return {}
    served = await _served(session, settings)
    active = (await session.execute(_ACTIVE)).all()
    waited = {one.id: one.waited for one in active}
    found: dict[int, int | None] = {}
    for job in waiting:
        if queue_of(job.kind, opening=job.is_opening) not in served:
            if waited.get(job.id, _STARTING) >= _STARTING:
                found[job.id] = None
        elif count := _ahead(job, active):
            found[job.id] = count
    return found


def _in_words(jobs: Sequence[Job], before: Mapping[int, int | None]) -> dict[int, str]:
    return {job.id: _words(job, before[job.id]) for job in jobs if job.id in before}


def _words(job: Job, count: int | None) -> str:
    if count is None:
        queue = queue_of(job.kind, opening=job.is_opening)
        return (
            f"Waits for a worker of the queue {queue}, and none is running: the page "
            "Workers tells an admin how to start one."
        )
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
    Job.opens().label("opening"),
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
    queue = queue_of(job.kind, opening=job.is_opening)
    others = [
        one
        for one in active
        if queue_of(one.kind, opening=one.opening) == queue and one.id != job.id
    ]
    if job.kind is JobKind.IMPORT_POOL:
        return len(others)
    return sum(
        one.state is JobState.RUNNING
        or (one.sent_at is not None and (one.sent_at, one.id) < (mine.sent_at, mine.id))
        for one in others
    )
