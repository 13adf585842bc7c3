"""Which processes work, what waits for them, and what is missing."""

from collections import Counter
from datetime import datetime, timedelta
from typing import Final
from urllib.parse import urlsplit

import anyio
from anyio import to_thread
from kombu.exceptions import OperationalError as BrokerError
from sqlalchemy import case, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from api.admin.schemas import ActiveJob, QueueOut, WorkerOut, WorkerProblem, WorkersOut
from api.jobs.waiting import reasons
from core.database.engines import database_time
from core.jobs import queue
from core.jobs.messages import QUEUES, queue_of
from core.process.version import UNTOLD, build
from core.settings import Settings
from core.states import JobState
from core.tables import Job, Project, Webhook, Worker

_SHOWN: Final = 200
_BROKER_SECONDS: Final = 3.0
_COMMAND: Final = {
    "gpu": "celery -A workers.app worker --pool=solo -Q gpu",
    "cpu": "celery -A workers.app worker --pool=threads -Q cpu",
    "judge": "celery -A workers.app worker --pool=threads -Q judge",
    "web": "celery -A workers.app worker --pool=threads -Q web",
    "housekeeping": "celery -A workers.app worker --pool=threads -Q housekeeping",
}


async def overview(session: AsyncSession, settings: Settings) -> WorkersOut:
    """Workers, queues and the jobs that wait or run, of all projects."""
    now = await session.run_sync(database_time)
    stale = now - timedelta(seconds=settings.stale_seconds)
    rows = (await session.scalars(select(Worker).order_by(Worker.name))).all()
    jobs = await _active(session, settings)
    workers = [_shown(row, stale, jobs) for row in rows]
    counts = await _by_queue(session)
    messages = await _messages()
    queues = [
        QueueOut(
            name=name,
            messages=messages[name] if messages else None,
            workers=sum(one.alive and name in one.queues for one in workers),
            queued=counts[name, JobState.QUEUED],
            running=counts[name, JobState.RUNNING],
        )
        for name in QUEUES
    ]
    return WorkersOut(
        version=build(),
        workers=workers,
        queues=queues,
        problems=[
            *_problems(workers, queues, broker=messages is not None),
            *await _switched_off(session),
        ],
        jobs=[job for job, _ in jobs],
    )


async def _active(session: AsyncSession, settings: Settings) -> list[tuple[ActiveJob, str | None]]:
    """Jobs at work, then those that wait, the oldest first; with the address of their worker."""
    statement = (
        select(Job, Project.name)
        .outerjoin(Project, Project.id == Job.project_id)
        .where(Job.state.in_((JobState.QUEUED, JobState.RUNNING)))
        .order_by(case((Job.state == JobState.RUNNING, 0), else_=1), Job.id)
        .limit(_SHOWN)
    )
    found = (await session.execute(statement)).all()
    waits_for = await reasons(session, settings, [job for job, _ in found])
    own = ActiveJob.model_fields.keys() - {"project", "message"}
    return [
        (
            ActiveJob.model_validate(
                {
                    **{name: getattr(job, name) for name in own},
                    "project": project,
                    "message": waits_for.get(job.id, job.message),
                }
            ),
            job.worker if job.state is JobState.RUNNING else None,
        )
        for job, project in found
    ]


async def _by_queue(session: AsyncSession) -> Counter[tuple[str, JobState]]:
    opening = Job.opens().label("opening")
    statement = (
        select(Job.kind, opening, Job.state, func.count())
        .where(Job.state.in_((JobState.QUEUED, JobState.RUNNING)))
        .group_by(Job.kind, opening, Job.state)
    )
    found: Counter[tuple[str, JobState]] = Counter()
    for kind, is_opening, state, count in await session.execute(statement):
        found[queue_of(kind, opening=is_opening), state] += count
    return found


async def _messages() -> dict[str, int] | None:
    """Messages in each queue; none if the broker does not answer in time."""
    with anyio.move_on_after(_BROKER_SECONDS):
        try:
            return await to_thread.run_sync(
                lambda: {name: queue.waiting(name) for name in QUEUES}, abandon_on_cancel=True
            )
        except BrokerError:
            return None
    return None


def _shown(row: Worker, stale: datetime, jobs: list[tuple[ActiveJob, str | None]]) -> WorkerOut:
    return WorkerOut(
        name=row.name,
        host=row.host,
        pid=row.pid,
        queues=row.queues,
        device=row.device,
        version=row.version,
        started_at=row.started_at,
        heartbeat_at=row.heartbeat_at,
        alive=row.heartbeat_at >= stale,
        jobs=[job.id for job, address in jobs if address == row.address],
    )


def _problems(
    workers: list[WorkerOut], queues: list[QueueOut], *, broker: bool
) -> list[WorkerProblem]:
    found = []
    if not broker:
        found.append(
            WorkerProblem(
                code="broker_away",
                subject="redis",
                detail="The broker (Redis) does not answer, so no job reaches a worker.",
                remedy="Start Redis, or correct REDIS_URL. Jobs that wait are sent by themselves.",
                command=None,
            )
        )
    for one in queues:
        if one.workers == 0:
            found.append(
                WorkerProblem(
                    code="no_worker",
                    subject=one.name,
                    detail=f"Nobody works on the queue {one.name}. Jobs waiting: {one.queued}.",
                    remedy="Restart karat up, or start a worker of its own.",
                    command=_COMMAND[one.name],
                )
            )
    if not any(one.alive and not one.queues for one in workers):
        found.append(
            WorkerProblem(
                code="no_scheduler",
                subject="scheduler",
                detail="The scheduler is gone: jobs of workers that die are not started again.",
                remedy="Restart karat up, or start the scheduler of its own.",
                command="celery -A workers.app beat",
            )
        )
    found += [
        WorkerProblem(
            code="worker_silent",
            subject=one.name,
            detail=f"{one.name} on {one.host} has said nothing since {one.heartbeat_at:%H:%M:%S} "
            "UTC: it was killed, or cannot reach the database.",
            remedy="Look into its log and start it again, or take it off this list.",
            command=None,
        )
        for one in workers
        if not one.alive
    ]
    found += [
        WorkerProblem(
            code="other_version",
            subject=one.name,
            detail=f"{one.name} runs Karat {one.version or UNTOLD}, and the API {build()}.",
            remedy="Upgrade whatever is older, and start it again: what it does not know of it "
            "leaves undone.",
            command=None,
        )
        for one in workers
        if one.alive and one.version != build()
    ]
    return found


async def _switched_off(session: AsyncSession) -> list[WorkerProblem]:
    """Webhooks that Karat itself has switched off, and that nobody has looked after since."""
    statement = (
        select(Webhook, Project.name)
        .outerjoin(Project, Project.id == Webhook.project_id)
        .where(Webhook.off_reason.is_not(None))
        .order_by(Webhook.id)
        .limit(_SHOWN)
    )
    subjects = {
        f"{urlsplit(hook.url).hostname} ({project or 'all projects'})"
        for hook, project in await session.execute(statement)
    }
    return [
        WorkerProblem(
            code="webhook_off",
            subject=subject,
            detail=f"The webhook to {subject} is switched off, since nothing got through.",
            remedy="Mend what receives it, and switch it on again where it was set up.",
            command=None,
        )
        for subject in sorted(subjects)
    ]
