"""What examples are, and what is said of them, before something is done to them."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import ColumnElement, Row, select, true
from sqlalchemy.ext.asyncio import AsyncSession

from core.among import among
from core.consensus import votes
from core.states import ExampleState, Split
from core.tables import Annotation, Example, Project

_ALL: Final = true()


async def standing(
    session: AsyncSession, project: Project, ids: Sequence[int]
) -> dict[int, Row[int, Split, ExampleState]]:
    """Split and state of those of ``ids`` that the project has."""
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
