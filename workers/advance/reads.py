"""What the phases read of rounds and queues."""

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from core.jobs.params import AdvanceParams
from core.rounds import AUDIT, CERTIFICATE
from core.states import ArtifactKind, JobKind, JobState, Source, Verdict
from core.tables import Annotation, Artifact, Job, Query, Round
from workers.labels.timing import FEWEST_TIMED


def round_of(session: Session, project_id: int, number: int) -> Round:
    """Round ``number``, which exists."""
    statement = select(Round).where(Round.project_id == project_id, Round.number == number)
    return session.scalars(statement).one()


def chosen_before(session: Session, project_id: int, closing: int | None) -> int | None:
    """Number of the newest round up to ``closing`` whose queue was chosen, if there is any.

    Rounds of checks follow the last of a finished project; one that goes on learns from that.
    """
    if closing is None:
        return None
    statement = select(func.max(Round.number)).where(
        Round.project_id == project_id,
        Round.number <= closing,
        Round.strategy.not_in((AUDIT, CERTIFICATE)),
    )
    return session.scalar(statement)


def artifacts_of(session: Session, project_id: int, number: int) -> dict[ArtifactKind, Artifact]:
    """What round ``number`` was selected with."""
    statement = (
        select(Artifact)
        .join(Round, Round.id == Artifact.round_id)
        .where(
            Round.project_id == project_id,
            Round.number == number,
            Artifact.kind.in_((ArtifactKind.SCORES, ArtifactKind.META_MODEL)),
        )
    )
    return {artifact.kind: artifact for artifact in session.scalars(statement)}


def expected_seconds(session: Session, project_id: int) -> dict[str, float]:
    """Seconds each phase took in the newest round that had anything to do in it."""
    statement = select(Round.seconds).where(Round.project_id == project_id).order_by(Round.number)
    took: dict[str, float] = {}
    for seconds in session.scalars(statement):
        took |= seconds
    return took


def open_queries(session: Session, project_id: int) -> int:
    """Queries that nobody has answered, in whatever round."""
    statement = select(func.count()).where(Query.project_id == project_id, ~Query.done)
    return session.scalar(statement) or 0


def noted_at_closing(session: Session, round_: Round) -> list[str]:
    """Notes of when a round was closed before; none of one that never was."""
    statement = select(Job.result["notes"]).where(
        Job.project_id == round_.project_id,
        Job.kind == JobKind.ADVANCE_ROUND,
        Job.state == JobState.SUCCEEDED,
        AdvanceParams.column("closing").as_integer() == round_.number,
    )
    return [note for notes in session.scalars(statement) for note in notes or []]


def seconds_of_boxes(session: Session, project_id: int) -> tuple[float, float] | None:
    """Seconds that a look takes, and each box; None while few answers of either kind are known.

    A look is what answers without boxes take, OOD among them; a box what is left of the others, by
    the number of their boxes.
    """
    boxes = func.coalesce(func.jsonb_array_length(Annotation.label["boxes"]), 0)
    timed = (
        Annotation.project_id == project_id,
        Annotation.source == Source.ANNOTATOR,
        Annotation.verdict.in_((Verdict.LABEL, Verdict.OOD)),
    )
    median = func.percentile_cont(0.5)
    empty, look = session.execute(
        select(func.count(), median.within_group(Annotation.seconds)).where(*timed, boxes == 0)
    ).one()
    if empty < FEWEST_TIMED:
        return None
    look = max(float(look), 0.1)
    each = (Annotation.seconds - look) / boxes
    drawn, box = session.execute(
        select(func.count(), median.within_group(each)).where(*timed, boxes > 0)
    ).one()
    return (look, max(float(box), 0.1)) if drawn >= FEWEST_TIMED else None
