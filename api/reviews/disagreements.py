"""Handing out images on which annotators disagree.

Nothing lists them but a flag of the image, kept with its state; a row of ``suggestions`` is made
when somebody takes the image on, so that it is theirs for a while, and holds what they decide.
"""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any, Final, TypeAlias

from sqlalchemy import (
    ARRAY,
    BigInteger,
    ColumnElement,
    Select,
    and_,
    bindparam,
    func,
    literal,
    or_,
    select,
)
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from api.callers.access import standings
from api.callers.principal import Principal
from api.examples.votes import votes_on
from core.states import ProjectRole
from core.tables import Annotation, Example, Project, Query, Suggestion
from core.tasks.registry import stored
from core.tasks.spec import Label
from core.verdicts.consensus import STANCES, Vote, holds, stances

_RENEWED: Final = (
    "given_label", "suggested_label", "confidence", "lease_holder", "lease_expires_at",
    # What was decided before holds no longer, or the image would not be disputed.
    "decision", "annotation_id", "closed_queries",
)  # fmt: skip

# Of each image, by id, what it was said to be and by how many; see ``stances``.
Said: TypeAlias = dict[int, list[tuple[Label | None, int]]]


def _to_settle(project_id: int | ColumnElement[int]) -> ColumnElement[bool]:
    """Condition: the example is disputed, and nobody is still to be asked about it."""
    waits = select(Query.id).where(Query.example_id == Example.id, ~Query.done)
    return and_(Example.project_id == project_id, Example.disputed, ~_looked_up(waits))


def _for(
    principal: Principal, project_id: int | ColumnElement[int], managed: Collection[int]
) -> list[ColumnElement[bool]]:
    """Conditions of the disagreements that ``principal`` may settle, whoever looks at them now.

    Nobody settles what they have taken a side in, but those who manage the project: somebody has
    to, and there may be nobody else.
    """
    wanted = [_to_settle(project_id)]
    if isinstance(project_id, int):
        settles_own: ColumnElement[bool] = literal(project_id in managed)
    else:
        settles_own = project_id.in_(managed)
    if not principal.admin:
        mine = select(Annotation.id).where(
            Annotation.example_id == Example.id,
            Annotation.annotator_id == principal.id,
            Annotation.verdict.in_(STANCES),
            holds(),
        )
        wanted.append(or_(settles_own, ~_looked_up(mine)))
    return wanted


def _looked_up(rows: Select[Any]) -> ColumnElement[bool]:
    """Condition: there are such ``rows``, looked for image by image.

    The OFFSET keeps PostgreSQL from joining: for a handful of images it would read the whole table
    up to where they are.
    """
    return rows.correlate(Example).offset(0).exists()


async def _managed(
    session: AsyncSession, principal: Principal, project_ids: Sequence[int]
) -> list[int]:
    roles = await standings(session, principal, project_ids)
    return [id_ for id_, role in roles.items() if role is ProjectRole.MANAGER]


async def settles_own(session: AsyncSession, principal: Principal, project_id: int) -> bool:
    """Whether the caller may settle what they have taken a side in; see ``_for``."""
    return project_id in await _managed(session, principal, [project_id])


async def count_open(session: AsyncSession, project: Project) -> int:
    statement = select(func.count()).select_from(Example).where(_to_settle(project.id))
    return await session.scalar(statement) or 0


async def waiting_for(
    session: AsyncSession, principal: Principal, project_ids: Sequence[int], most: int
) -> dict[int, int]:
    """How many disagreements of each project wait for ``principal``, counted up to ``most``."""
    given = bindparam("projects", project_ids, type_=ARRAY(BigInteger))
    projects = func.unnest(given).table_valued("id").render_derived()
    managed = await _managed(session, principal, project_ids)
    first = select(Example.id).where(*_for(principal, projects.c.id, managed)).limit(most)
    counted = first.correlate(projects).subquery()
    count = select(func.count()).select_from(counted).scalar_subquery()
    return dict((await session.execute(select(projects.c.id, count))).all())


async def take(
    session: AsyncSession,
    principal: Principal,
    project: Project,
    n: int,
    now: datetime,
    expires: datetime,
) -> tuple[Sequence[int], Said]:
    """Lease the first ``n`` disagreements that nobody else looks at.

    Like whoever decides, it locks the images before their suggestions.

    Returns:
        Ids of suggestions, and what is said of their images.
    """
    managed = await _managed(session, principal, [project.id])
    held = select(Suggestion.id).where(
        Suggestion.example_id == Example.id,
        Suggestion.job_id.is_(None),
        _held_by_others(principal, now),
    )
    statement = (
        select(Example.id, Example.pool_index)
        .where(*_for(principal, project.id, managed), ~_looked_up(held))
        .order_by(Example.id)
        .limit(n)
        .with_for_update(key_share=True, skip_locked=True)
    )
    found = dict((await session.execute(statement)).all())
    if not found:
        return [], {}
    said = await stances_on(session, list(found))
    rows = [
        {
            "project_id": project.id,
            "example_id": example_id,
            "rank": rank,
            **_sides(said[example_id]),
            "lease_holder": principal.id,
            "lease_expires_at": expires,
        }
        for example_id, rank in found.items()
    ]
    added = insert(Suggestion)
    renewed = added.on_conflict_do_update(
        index_elements=["example_id"],
        index_where=Suggestion.job_id.is_(None),
        set_={name: added.excluded[name] for name in _RENEWED},
        # A lease that was committed after the images were looked for, and before they were locked.
        where=~_held_by_others(principal, now),
    )
    return (await session.scalars(renewed.returning(Suggestion.id), rows)).all(), said


def _held_by_others(principal: Principal, now: datetime) -> ColumnElement[bool]:
    """Condition, never null: somebody else looks at the suggestion."""
    return and_(
        Suggestion.lease_expires_at.is_not(None),
        Suggestion.lease_expires_at > now,
        Suggestion.lease_holder.is_distinct_from(principal.id),
    )


def _sides(said: Sequence[tuple[Label | None, int]]) -> dict[str, Any]:
    """What most say is the given label, and what the second most say is suggested."""
    (given, _), (suggested, count), *_ = said
    return {
        "given_label": stored(given),
        "suggested_label": stored(suggested),
        "confidence": count / sum(count for _, count in said),
    }


async def stances_on(session: AsyncSession, example_ids: Sequence[int]) -> Said:
    """What annotators, and columns of files, say of each image; see ``stances``."""
    said = await votes_on(session, example_ids)
    return {id_: stances([Vote.of(row) for row in said[id_]]) for id_ in example_ids}
