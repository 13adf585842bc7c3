"""What examples are, and what is said of them, before something is done to them."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import ColumnElement, Row, select, true
from sqlalchemy.ext.asyncio import AsyncSession

from core.database.among import among
from core.states import ExampleState, Split
from core.tables import Annotation, Example, Project, Query, QueryMember
from core.verdicts.consensus import Vote, consensus, votes
from core.verdicts.groups import is_latest, of_group

_ALL: Final = true()


async def standing(
    session: AsyncSession, project: Project, ids: Sequence[int]
) -> dict[int, Row[int, Split | None, ExampleState]]:
    """Split and state of those of ``ids`` that the project has; what was withdrawn has no split."""
    statement = select(Example.id, Example.split, Example.state)
    mine = statement.where(Example.project_id == project.id, among(Example.id, ids))
    return {row.id: row for row in await session.execute(mine)}


async def votes_on(
    session: AsyncSession, ids: Sequence[int], which: ColumnElement[bool] = _ALL
) -> dict[int, list[Any]]:
    """The votes that hold on each image, of those that are wanted; no entry is an empty list."""
    said: dict[int, list[Any]] = defaultdict(list)
    for row in await session.execute(votes().where(among(Annotation.example_id, ids), which)):
        said[row.example_id].append(row)
    return said


async def said_of_groups(
    session: AsyncSession, example_ids: Sequence[int]
) -> dict[int, list[Vote]]:
    """What was said of the group of each example: of several, of the last that anybody answered.

    As ``core.lifecycle.mark_members`` gives it to the members; see there for what a group is.
    """
    groups = (
        select(QueryMember.example_id, Query.example_id.label("first"))
        .join(Query, Query.id == QueryMember.query_id)
        .where(among(QueryMember.example_id, example_ids), is_latest())
        .order_by(Query.id.desc())
    )
    standing = (await session.execute(groups)).all()
    firsts = sorted({row.first for row in standing})
    on_groups = await votes_on(session, firsts, of_group())
    said = {first: [Vote.of(row) for row in on_groups[first]] for first in firsts}
    found: dict[int, list[Vote]] = {}
    for row in standing:
        if row.example_id not in found and consensus(said[row.first]) is not None:
            found[row.example_id] = said[row.first]
    return found
