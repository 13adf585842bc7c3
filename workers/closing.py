"""Closing a round from within a job."""

from sqlalchemy import select
from sqlalchemy.orm import Session

from core import queue
from core.rounds import close
from core.tables import Project, Round


def close_round(session: Session, project: Project, round_: Round) -> None:
    """Close an open round, its row locked, and queue the job that goes on from it."""
    after = select(Round).where(Round.project_id == project.id, Round.number == round_.number + 1)
    made, job = close(project, round_, session.scalars(after).one_or_none())
    session.add_all(made)
    session.flush()
    round_.job_id = job.id
    queue.enqueue(session.info, job)
