"""Plans of imports that nobody has answered."""

from datetime import datetime, timedelta

from sqlalchemy import select
from sqlalchemy.orm import Session

from core import events
from core.jobs.imports import PLAN_HOURS, Answer, ImportParams, answer_plan
from core.states import JobKind, JobState
from core.tables import Job

_ENDED = (JobState.SUCCEEDED, JobState.FAILED, JobState.CANCELLED)


def expire_plans(session: Session, now: datetime) -> list[str]:
    """Answer plans that ended ``PLAN_HOURS`` before ``now`` without an answer.

    Returns:
        Their uploads, to be removed after the commit.
    """
    uploads = []
    old = (
        select(Job)
        .where(
            Job.kind == JobKind.IMPORT_POOL,
            Job.state.in_(_ENDED),
            ~Job.is_real(),
            ImportParams.column("answer").is_(None),
            Job.finished_at < now - timedelta(hours=PLAN_HOURS),
        )
        .with_for_update(skip_locked=True, key_share=True)
    )
    for job in session.scalars(old).all():
        answer_plan(job, Answer.EXPIRED)
        upload = ImportParams.of(job).upload
        if upload is not None:
            uploads.append(upload)
        data = {"id": job.id, "state": job.state}
        if job.project_id is not None:
            session.execute(events.notify(job.project_id, events.Topic.JOB, data))
    return uploads
