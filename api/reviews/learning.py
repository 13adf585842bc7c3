"""What a review has learned from its decisions: probabilities as they stand now."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Self

from anyio import to_thread
from sqlalchemy import ColumnElement, Float, Select, Text, cast, func, literal, select
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.ext.asyncio import AsyncSession

from api.reviews.desk import suggested_by
from core.states import Decision
from core.tables import Project, Suggestion
from models.relabeling import FIX_GAIN
from models.relabeling.recalibration import FLOOR, Recalibration, recalibrate

_SAID_WRONG = func.coalesce(Suggestion.wrong, Suggestion.confidence)
_OUTSIDE: Final = 0
"""The group of labels that are OOD; ids of classes begin at 1."""


@dataclass(frozen=True)
class Learned:
    """Corrections of what a job has said; by given label, as classes go wrong differently.

    Attributes:
        wrong: Of the probability that the given label is wrong.
        right: Of the probability that the suggested label is right.
        decided: How many decisions they are learned from.
    """

    wrong: Recalibration
    right: Recalibration
    decided: int

    @classmethod
    async def of(cls, session: AsyncSession, project: Project, job_id: int) -> Self:
        """Learn from what was decided on the suggestions of a job, and on its audit."""
        rows = (await session.execute(_decided(project, job_id))).all()
        # Of tens of thousands that is long enough for everybody else to notice.
        wrong, right = await to_thread.run_sync(_corrections, rows)
        return cls(wrong, right, len(rows))

    def is_wrong(self) -> ColumnElement[float]:
        """How likely the given label of a suggestion is wrong, 0..1."""
        return _corrected(_SAID_WRONG, self.wrong)

    def is_right(self) -> ColumnElement[float]:
        """How likely the suggested label is right, 0..1."""
        return _corrected(Suggestion.confidence.expression, self.right)

    def order(self) -> list[Any]:
        """What is worth a look most comes first; before any decision, as the job has ordered it."""
        return [self.worth().desc(), Suggestion.rank] if self.decided else [Suggestion.rank]

    def worth(self) -> ColumnElement[float]:
        """What a look is expected to bring, >= 0."""
        return self.is_wrong() + FIX_GAIN * self.is_right()


def _decided(project: Project, job_id: int) -> Select[float, float, int | None, Decision | None]:
    return select(
        _SAID_WRONG.label("wrong"),
        Suggestion.confidence.label("right"),
        Suggestion.given_class_id.label("given"),
        Suggestion.decision,
    ).where(
        suggested_by(project, job_id),
        Suggestion.decision.is_not(None),
        Suggestion.decision != Decision.UNSURE,
    )


def _corrections(rows: Sequence[Any]) -> tuple[Recalibration, Recalibration]:
    given = [row.given or _OUTSIDE for row in rows]
    wrong = [row.decision is not Decision.KEEP for row in rows]
    right = [row.decision is Decision.ACCEPT for row in rows]
    return (
        recalibrate([row.wrong for row in rows], given, wrong),
        recalibrate([row.right for row in rows], given, right),
    )


def _corrected(said: ColumnElement[float], by: Recalibration) -> ColumnElement[float]:
    """``Recalibration.apply`` of a column, by the given label."""
    if by == Recalibration():
        return said
    inside: ColumnElement[Any] = func.least(func.greatest(said, FLOOR), 1 - FLOOR)
    # As one value: the statement is the same however many groups there are, and finds one of a
    # thousand as fast as one of two.
    offsets = literal({str(group): value for group, value in by.offsets.items()}, JSONB)
    group = cast(func.coalesce(Suggestion.given_class_id, _OUTSIDE), Text)
    offset = func.coalesce(offsets[group].as_float(), 0.0)
    logits = by.intercept + by.slope * func.ln(inside / (1 - inside)) + offset
    # Its type would allow for a decimal.
    likely: ColumnElement[Any] = literal(1.0, Float) / (1.0 + func.exp(-logits))
    return likely
