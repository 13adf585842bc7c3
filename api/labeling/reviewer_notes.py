"""What reviewers wrote to those whose answers they have decided against."""

from collections.abc import Sequence
from typing import Final

from sqlalchemy import ColumnElement, and_, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import aliased

from api.callers.principal import Principal
from api.schemas.notes import NoteOut
from core.among import among
from core.consensus import Vote, holds, same
from core.groups import of_group
from core.states import Source, Verdict
from core.tables import Annotation, Query

_LATEST: Final = 1000
"""Of so many answers of somebody it is asked whether a reviewer has written of them."""


def written_to(project_id: int, annotator_id: int) -> ColumnElement[bool]:
    """Condition: an annotation is one of somebody's latest, where a reviewer has written."""
    latest = (
        select(Annotation.id)
        .where(Annotation.project_id == project_id, Annotation.annotator_id == annotator_id)
        .order_by(Annotation.id.desc())
        .limit(_LATEST)
    )
    review = aliased(Annotation)
    noted = select(review.id).where(
        review.example_id == Annotation.example_id,
        review.note.is_not(None),
        review.source == Source.REVIEW,
    )
    return and_(Annotation.id.in_(latest), noted.exists())


async def notes_to(
    session: AsyncSession,
    principal: Principal,
    answers: Sequence[Annotation],
    *,
    of_groups: bool,
) -> dict[int, NoteOut]:
    """By annotation the latest note beside a decision of somebody else that says otherwise.

    None of what is asked about again: whoever answers then is to know nothing of the last time.
    """
    asked = select(Query.id).where(Query.example_id == Annotation.example_id, ~Query.done)
    statement = (
        select(Annotation)
        .where(
            among(Annotation.example_id, sorted({one.example_id for one in answers})),
            Annotation.source == Source.REVIEW,
            Annotation.verdict != Verdict.SKIP,
            holds(),
            ~asked.exists(),
        )
        .order_by(Annotation.created_at, Annotation.id)
    )
    if of_groups:
        statement = statement.where(of_group())
    # Of reviews the latest holds.
    decided = {one.example_id: one for one in await session.scalars(statement)}
    return {
        one.id: NoteOut.of(found)
        for one in answers
        if (found := decided.get(one.example_id)) is not None
        and found.note is not None
        and found.annotator_id != principal.id
        and not same(Vote.of(found), Vote.of(one))
    }
