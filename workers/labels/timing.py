"""How long people take for a verdict."""

from typing import Final

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from core.settings.project import Cost
from core.states import Source, Verdict
from core.tables import Annotation

FEWEST_TIMED: Final = 20
"""Of fewer nothing is concluded."""
_SECONDS_IF_UNKNOWN: Final = 1.0


def median_seconds(session: Session, project_id: int) -> float:
    """Seconds that an annotator's verdict takes; a guess while few are known.

    What was imported, decided in bulk or given by a model took nobody's time.
    """
    median = func.percentile_cont(0.5).within_group(Annotation.seconds)
    statement = select(func.count(), median).where(
        Annotation.project_id == project_id,
        Annotation.verdict != Verdict.SKIP,
        Annotation.source == Source.ANNOTATOR,
    )
    count, seconds = session.execute(statement).one()
    if count < FEWEST_TIMED:
        return _SECONDS_IF_UNKNOWN
    return max(float(seconds), 0.1)


def price_of_verdict(session: Session, project_id: int, cost: Cost) -> float:
    """What an annotator's verdict costs, at most; of seconds, what one usually does."""
    if cost.mode == "seconds":
        return median_seconds(session, project_id)
    return max(cost.c_in, cost.c_ood)
