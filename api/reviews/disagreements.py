"""Handing out images on which annotators disagree.

Nothing lists them but a flag of the image, kept with its state; a row of ``suggestions`` is made
when somebody takes the image on, so that it is theirs for a while, and holds what they decide.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

from sqlalchemy import ColumnElement, Select, and_, func, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from api.principal import Principal
from core.consensus import STANCES, Vote, holds, stances, votes
from core.tables import Annotation, Example, Project, Query, Suggestion

_RENEWED: Final = (
    "given_class_id", "suggested_class_id", "confidence", "lease_holder", "lease_expires_at",
    # What was decided before holds no longer, or the image would not be disputed.
    "decision", "annotation_id",
)  # fmt: skip


def to_settle(project: Project) -> ColumnElement[bool]:
    """Condition: the example is disputed, and nobody is still to be asked about it."""
    waits = select(Query.id).where(Query.example_id == Example.id, ~Query.done)
    return and_(Example.project_id == project.id, Example.disputed, ~_looked_up(waits))


def _looked_up(rows: Select[Any]) -> ColumnElement[bool]:
    """Condition: there are such ``rows``, looked for image by image.

    The OFFSET keeps PostgreSQL from joining: for a handful of images it would read the whole table
    up to where they are.
    """
    return rows.correlate(Example).offset(0).exists()


async def count_open(session: AsyncSession, project: Project) -> int:
    statement = select(func.count()).select_from(Example).where(to_settle(project))
    return await session.scalar(statement) or 0


async def take(
    session: AsyncSession,
    principal: Principal,
    project: Project,
    n: int,
    now: datetime,
    expires: datetime,
) -> Sequence[int]:
    """Lease the first ``n`` disagreements that nobody else looks at.

    Nobody settles what they have taken a side in, but those who manage the project: somebody has
    to, and there may be nobody else.

    Returns:
        Ids of suggestions.
    """
    wanted = [to_settle(project)]
    if not principal.engineer:
        mine = select(Annotation.id).where(
            Annotation.example_id == Example.id,
            Annotation.annotator_id == principal.id,
            Annotation.verdict.in_(STANCES),
            holds(),
        )
        wanted.append(~_looked_up(mine))
    held = select(Suggestion.id).where(
        Suggestion.example_id == Example.id,
        Suggestion.job_id.is_(None),
        Suggestion.lease_expires_at > now,
        Suggestion.lease_holder != principal.id,
    )
    statement = (
        select(Example.id, Example.pool_index)
        .where(*wanted, ~_looked_up(held))
        .order_by(Example.id)
        .limit(n)
        .with_for_update(key_share=True, skip_locked=True)
    )
    found = dict((await session.execute(statement)).all())
    if not found:
        return []
    said = await votes_on(session, list(found))
    rows = []
    for example_id, rank in found.items():
        (given, _), (suggested, count), *_ = said[example_id]
        rows.append(
            {
                "project_id": project.id,
                "example_id": example_id,
                "rank": rank,
                "given_class_id": given,
                "suggested_class_id": suggested,
                "confidence": count / sum(count for _, count in said[example_id]),
                "lease_holder": principal.id,
                "lease_expires_at": expires,
            }
        )
    added = insert(Suggestion)
    renewed = added.on_conflict_do_update(
        index_elements=["example_id"],
        index_where=Suggestion.job_id.is_(None),
        set_={name: added.excluded[name] for name in _RENEWED},
    )
    return (await session.scalars(renewed.returning(Suggestion.id), rows)).all()


async def votes_on(
    session: AsyncSession, example_ids: Sequence[int]
) -> dict[int, list[tuple[int | None, int]]]:
    """What annotators, and columns of files, say of each image; see ``stances``."""
    said: dict[int, list[Vote]] = {id_: [] for id_ in example_ids}
    for row in await session.execute(votes().where(Annotation.example_id.in_(example_ids))):
        said[row.example_id].append(Vote.of(row))
    return {id_: stances(found) for id_, found in said.items()}
