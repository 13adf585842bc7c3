"""The end of a round in which people were asked for a certificate: nothing is trained."""

from typing import Any, Final

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from core import events
from core.jobs.params import AdvanceParams
from core.lifecycle import mark_unqueried, move_project, move_round
from core.rounds import CERTIFICATE, lock_unfinished
from core.states import ProjectState, RoundState
from core.tables import Project, Query, Round
from workers.certificates.observing import asking_of, go_on
from workers.closing import annotator_seconds
from workers.jobs.context import JobContext, Phase

_PUBLISH: Final = "publish"


def asks_for_certificate(context: JobContext) -> bool:
    """Whether the job closes a round of a certificate, after which no other is to follow."""
    params = AdvanceParams.of(context)
    if params.closing is None or params.selecting is not None:
        return False
    statement = select(Round.strategy).where(
        Round.project_id == context.project_id, Round.number == params.closing
    )
    with context.sessions() as session:
        return session.scalars(statement).one() == CERTIFICATE


def close_certificate_round(context: JobContext) -> dict[str, Any]:
    """Close the round, and go on with the certificate that it was opened for."""
    context.run((Phase(_PUBLISH, _publish),), context)
    return {"closed": AdvanceParams.of(context).closing, "opened": None, "notes": []}


def _publish(context: JobContext) -> None:
    number = AdvanceParams.of(context).closing
    with context.transaction() as (session, job):
        project = session.get_one(Project, context.project_id, with_for_update={"key_share": True})
        certificate = asking_of(session, project.id)
        statement = select(Round).where(Round.project_id == project.id, Round.number == number)
        round_ = session.scalars(statement.with_for_update(key_share=True)).one()
        # Random draws that were asked for in it are weighed by what it has kept of them.
        seconds = annotator_seconds(session, round_)
        round_.metrics = {**round_.metrics, "annotator_seconds": seconds}
        round_.seconds = context.seconds
        move_round(round_, RoundState.CLOSED)
        _withdraw(session, round_)
        if certificate is not None:
            go_on(session, context.storage, project, certificate)
        if not session.scalars(lock_unfinished(project.id)).all():
            move_project(project, ProjectState.FINISHED)
        session.execute(events.round_changed(round_))
        session.execute(events.project_changed(project))
        context.finish_phase(job, _PUBLISH)


def _withdraw(session: Session, round_: Round) -> None:
    """Take back what nobody has answered: whoever closed the round by hand wants no more of it."""
    session.flush()
    taken = session.scalars(
        update(Query)
        .where(Query.round_id == round_.id, ~Query.done)
        .values(done=True)
        .returning(Query.example_id)
    ).all()
    session.execute(mark_unqueried(sorted(set(taken))))
