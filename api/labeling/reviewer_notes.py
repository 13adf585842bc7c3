"""What reviewers wrote to those whose answers they have decided against."""

from collections.abc import Sequence
from typing import Final

from sqlalchemy import ColumnElement, and_, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import aliased

from api.callers.principal import Principal
from api.schemas.notes import NoteOut
from core.database.among import among
from core.states import Source, Verdict
from core.tables import Annotation, Query, QueryMember
from core.verdicts.consensus import Vote, holds, same
from core.verdicts.groups import of_group

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
    again: set[int] = set()
    if of_groups:
        statement = statement.where(of_group())
        again = await _asked_together(session, [one.query_id or 0 for one in answers])
    # Of reviews the latest holds.
    decided = {one.example_id: one for one in await session.scalars(statement)}
    return {
        one.id: NoteOut.of(found)
        for one in answers
        if one.query_id not in again
        and (found := decided.get(one.example_id)) is not None
        and found.note is not None
        and found.annotator_id != principal.id
        and not same(Vote.of(found), Vote.of(one))
    }


async def _asked_together(session: AsyncSession, query_ids: Sequence[int]) -> set[int]:
    """Queries about groups of which a row is asked about again."""
    again = aliased(QueryMember)
    statement = (
        select(QueryMember.query_id)
        .join(again, again.example_id == QueryMember.example_id)
        .join(Query, Query.id == again.query_id)
        .where(among(QueryMember.query_id, query_ids), ~Query.done)
    )
    return set(await session.scalars(statement))
