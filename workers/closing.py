"""Closing a round from within a job, and what it took."""

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from core.jobs import queue
from core.rounds import close
from core.states import Source
from core.tables import Annotation, Project, Round


def close_round(session: Session, project: Project, round_: Round) -> None:
    """Close an open round, its row locked, and queue the job that goes on from it."""
    after = select(Round).where(Round.project_id == project.id, Round.number == round_.number + 1)
    made, job = close(project, round_, session.scalars(after).one_or_none())
    session.add_all(made)
    session.flush()
    round_.job_id = job.id
    queue.enqueue(session.info, job)


def annotator_seconds(session: Session, round_: Round) -> float:
    """Seconds that annotators have spent on a round, corrections and late answers included."""
    statement = select(func.coalesce(func.sum(Annotation.seconds), 0.0)).where(
        Annotation.round_id == round_.id, Annotation.source == Source.ANNOTATOR
    )
    return float(session.scalar(statement) or 0.0)
