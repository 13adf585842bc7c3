"""When a project is over: it is deleted so many days after it was finished, if that was said.

Never sooner than a week after it was said or changed, and never while anything is at work: until
then every page of the project says when, and managers may have their exports.
"""

from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import Select, and_, delete, exists, func, or_, select
from sqlalchemy.orm import Session

from core.database.engines import database_time
from core.events import Topic, notify
from core.files import removals
from core.states import JobKind, JobState, ProjectState
from core.tables import (
    Annotation,
    Audit,
    Example,
    Job,
    Prediction,
    Project,
    Query,
    Removal,
    Round,
    Suggestion,
    Sync,
)
from core.verdicts.consensus import lock_examples

NOTICE: Final = timedelta(days=7)
"""How long after it was said a project stays at least."""
FEWEST_DAYS: Final = 7
MOST_DAYS: Final = 36_500


def due_at(project: Project) -> datetime | None:
    """When ``project`` is to be deleted; none if that was not said, or it is not finished."""
    days, since, finished = project.retain_days, project.retain_since, project.finished_at
    if days is None or since is None or finished is None:
        return None
    return max(finished + timedelta(days=days), since + NOTICE)


def limited() -> Select[Project]:
    """Projects that are to be deleted, whether or not it is time."""
    return (
        select(Project)
        .where(Project.retain_days.is_not(None), Project.state == ProjectState.FINISHED)
        .order_by(Project.id)
    )


def is_busy(project_id: int) -> Select[bool]:
    """Whether a job of the project waits or runs, or another project takes its pool over."""
    active = (JobState.QUEUED, JobState.RUNNING)
    takes_over = and_(
        Job.kind == JobKind.IMPORT_POOL, Job.params["project"].astext == str(project_id)
    )
    at_work = or_(Job.project_id == project_id, takes_over)
    return select(exists().where(Job.state.in_(active), at_work))


def remove_rows(session: Session, project: Project) -> None:
    """Delete a locked project with all its rows, and note the files that it leaves.

    Images that other projects hold, too, stay; the files of the rest go after the commit.
    """
    # First what somebody may hold who comes for the rest then: who retries a job, answers, or looks
    # at a place.
    for held in (Job, Round, Sync):
        rows = select(held.id).where(held.project_id == project.id).order_by(held.id)
        session.execute(rows.with_for_update())
    removal = Removal(project_id=project.id, project=project.name)
    session.add(removal)
    session.flush()
    for statement in removals.note_items(removal.id, project.id):
        session.execute(statement)
    # Whoever reviews locks images before their suggestions.
    reviewed = select(Suggestion.example_id).where(Suggestion.project_id == project.id)
    locked = lock_examples(Example.id.in_(reviewed)).subquery()
    session.execute(select(func.count()).select_from(locked))
    for table in (Suggestion, Annotation, Query, Prediction, Example):
        session.execute(delete(table).where(table.project_id == project.id))
    session.delete(project)


def expire_one(session: Session) -> str | None:
    """Delete the first project that is due by the database's clock, and write that down.

    Whose clock is wrong, of many workers, deletes nothing.

    Args:
        session: A transaction.

    Returns:
        Its name; none if there is none that is due, or somebody has one of them locked.
    """
    now = database_time(session)
    for found in session.scalars(limited()).all():
        due = due_at(found)
        if due is None or due > now:
            continue
        again = limited().where(Project.id == found.id)
        again = again.with_for_update(key_share=True, skip_locked=True)
        project = session.scalars(again.execution_options(populate_existing=True)).one_or_none()
        if project is None:
            # Most likely another thread deletes it, for minutes: those that sweep beside it would
            # all come to wait for it, or delete the next.
            return None
        # Given more time meanwhile, or at work.
        if (due := due_at(project)) is None or due > now:
            continue
        if session.scalar(is_busy(project.id)):
            continue
        session.add(
            Audit(
                actor_id=None,
                project_id=project.id,
                verb="expire",
                object_type="project",
                object_id=project.id,
                detail={"name": project.name, "days": project.retain_days, "due": due.isoformat()},
            )
        )
        session.execute(notify(project.id, Topic.PROJECT, {}))
        name = project.name
        remove_rows(session, project)
        return name
    return None
