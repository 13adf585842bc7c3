"""How long people have worked on a round."""

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from core.states import Source
from core.tables import Annotation, Round


def annotator_seconds(session: Session, round_: Round) -> float:
    """Seconds that annotators have spent on a round, corrections and late answers included."""
    statement = select(func.coalesce(func.sum(Annotation.seconds), 0.0)).where(
        Annotation.round_id == round_.id, Annotation.source == Source.ANNOTATOR
    )
    return float(session.scalar(statement) or 0.0)
