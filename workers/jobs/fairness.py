"""Which job may begin, and whose import is next: see ``docs/adr/0026-imports-take-turns.md``."""

from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import ColumnElement, Select, and_, false, func, or_, select
from sqlalchemy.orm import Session, aliased

from core.database.engines import database_time
from core.settings import settings
from core.states import JobKind, JobState
from core.tables import Job
from models.catalog import is_job

# One number of its own: projects lock their ids, which are positive.
_LOCK: Final = -26
# Those that wait for another of their project are passed over, and noted, so few at a time.
_LOOKED_AT: Final = 100
# Beside those that are started by hand, which exclude each other anyway.
_AT_PIXELS: Final = (JobKind.IMPORT_POOL, JobKind.ADVANCE_ROUND, JobKind.LOOK_AT)


def own_job(session: Session, job_id: int) -> Job | None:
    """The job that a message names, locked."""
    return session.get(Job, job_id, with_for_update={"key_share": True})


def next_import(session: Session, job_id: int) -> Job | None:
    """The import that is next when the message of the import ``job_id`` is taken, locked.

    It is that one if its worker has died. Otherwise the message says no more than that there is an
    import to do. Until the transaction ends, nobody else chooses.
    """
    session.execute(select(func.pg_advisory_xact_lock(_LOCK)))
    own = own_job(session, job_id)
    if own is not None and own.state is JobState.RUNNING and is_claimable(session, own):
        return own
    for job in session.scalars(_in_turn()).all():
        before = session.scalar(in_the_way(job).limit(1))
        if before is None:
            return job
        note_wait(job, before)
    return None


def waits_for_worker() -> ColumnElement[bool]:
    """Condition: a job that a worker which takes its message can begin, as far as is known.

    One that waits for anything else says so in its message: see ``note_wait``.
    """
    return and_(Job.state == JobState.QUEUED, Job.message.is_(None))


def _in_turn() -> Select[Job]:
    """Imports that wait for a worker: first those of projects that have fewest at work.

    Of these, first the projects that have been served least recently, or never.
    """
    waiting = (Job.kind == JobKind.IMPORT_POOL, waits_for_worker())
    # An import that made way was sent again then.
    served = func.coalesce(Job.finished_at, Job.sent_at)
    projects = (
        select(
            Job.project_id,
            func.count().filter(Job.state == JobState.RUNNING).label("running"),
            func.max(served).filter(Job.started_at.is_not(None)).label("served"),
        )
        .where(
            Job.kind == JobKind.IMPORT_POOL,
            Job.project_id.in_(select(Job.project_id).where(*waiting)),
        )
        .group_by(Job.project_id)
        .subquery()
    )
    return (
        select(Job)
        .join(projects, projects.c.project_id == Job.project_id)
        .where(*waiting)
        .order_by(projects.c.running, projects.c.served.asc().nulls_first(), Job.id)
        .limit(_LOOKED_AT)
        .with_for_update(of=Job, key_share=True)
    )


def others_wait(project_id: int) -> Select[int]:
    """Imports that wait for a worker, of other projects that have none at work."""
    at_work = aliased(Job)
    return select(Job.id).where(
        Job.kind == JobKind.IMPORT_POOL,
        waits_for_worker(),
        Job.project_id != project_id,
        ~select(at_work.id)
        .where(
            at_work.project_id == Job.project_id,
            at_work.kind == JobKind.IMPORT_POOL,
            at_work.state == JobState.RUNNING,
        )
        .exists(),
    )


def is_claimable(session: Session, job: Job) -> bool:
    """Whether nobody works on ``job``, which is to be done."""
    if job.state is JobState.QUEUED:
        return True
    return job.state is JobState.RUNNING and is_silent(job, database_time(session))


def is_silent(job: Job, now: datetime) -> bool:
    """Whether the worker of a running ``job`` has not been heard of for too long.

    Args:
        job: It runs.
        now: What the database's clock says, by which heartbeats are dated.
    """
    stale = now - timedelta(seconds=settings().stale_seconds)
    return job.heartbeat_at is None or job.heartbeat_at < stale


def note_wait(job: Job, before: int) -> None:
    """Note in a queued ``job`` that it waits for another, at whose end its message is sent again.

    Args:
        job: The job, locked.
        before: Id of the other.
    """
    if job.state is JobState.QUEUED:
        job.message = f"Waits for job {before} of this project to end."


def in_the_way(job: Job) -> Select[int]:
    """Running jobs of the project that ``job`` must not run beside.

    Jobs of one kind write the same files. Those that are started by hand compete for a GPU, and
    one may read what another is about to replace. No import and no round goes on, and nobody is
    shown where a model looks, while the pixels of the images are replaced.
    """
    return select(Job.id).where(excluded(job), Job.state == JobState.RUNNING)


def excluded(job: Job) -> ColumnElement[bool]:
    """Condition: another job, which never runs beside ``job``."""
    alike = [kind for kind in JobKind if is_job(kind)] if is_job(job.kind) else [job.kind]
    same: ColumnElement[bool] = Job.kind.in_(alike)
    if job.kind is JobKind.IMPORT_POOL:
        # The plan of an import writes nothing, and somebody waits for it, so it goes beside
        # imports. But a project has one plan at a time, too: it must not take all workers.
        same = and_(same, Job.is_real() if not job.dry_run else ~Job.is_real())
    elif job.kind is JobKind.ADVANCE_ROUND:
        # Nobody waits for images because somebody asks how long a round would take.
        same = and_(same, Job.is_real() if not job.dry_run else ~Job.is_real())
    return and_(
        Job.project_id == job.project_id, Job.id != job.id, or_(same, _pixels_of_another(job))
    )


def _pixels_of_another(job: Job) -> ColumnElement[bool]:
    """Condition: a job that replaces the pixels which ``job`` reads or writes, or the reverse."""
    if job.kind is JobKind.RESIZE and not job.dry_run:
        return and_(Job.kind.in_(_AT_PIXELS), Job.is_real())
    if job.kind in _AT_PIXELS and not job.dry_run:
        return and_(Job.kind == JobKind.RESIZE, Job.is_real())
    return false()
