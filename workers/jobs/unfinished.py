"""What jobs have not finished, and would go on with."""

from typing import Final

from sqlalchemy import select
from sqlalchemy.orm import Session

from core.states import JobKind, JobState
from core.tables import Job
from workers.jobs.context import is_published

_NOT_AT_WORK: Final = (JobState.QUEUED, JobState.PAUSED, JobState.FAILED, JobState.CANCELLED)


def begin_anew(session: Session, project_id: int) -> list[int]:
    """Have the jobs of a project that nobody is at work on do again what they had done of it.

    But for what they have published, which needs nothing of it; and for imports, which go on behind
    what they have added.

    Returns:
        Ids of the jobs, whose rows are locked; what they have left is to be removed.
    """
    jobs = (
        select(Job)
        .where(
            Job.project_id == project_id,
            Job.kind != JobKind.IMPORT_POOL,
            Job.state.in_(_NOT_AT_WORK),
            # Parts work in the folder of their round.
            Job.parent_id.is_(None),
        )
        .order_by(Job.id)
        .with_for_update(key_share=True)
    )
    found = session.scalars(jobs).all()
    for job in found:
        forget(job)
    return [job.id for job in found]


def forget(job: Job) -> None:
    """Have a job begin anew, but for what it has published.

    Args:
        job: Locked; nobody is at work on it.
    """
    if not is_published(job.checkpoint):
        job.checkpoint, job.progress = {}, None
