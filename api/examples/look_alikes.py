"""Groups of OOD examples that look like a class, as the last round found them."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from api.examples.schemas import LookAlike, LookAlikes
from core.database.among import among
from core.states import ExampleState, RoundState
from core.tables import Example, Project, Round


async def look_alikes(session: AsyncSession, project: Project) -> LookAlikes:
    """The groups, but for those whose middle is not OOD any more: somebody has acted on them."""
    statement = (
        select(Round.number, Round.metrics["look_alikes"])
        .where(Round.project_id == project.id, Round.state == RoundState.CLOSED)
        .order_by(Round.number.desc())
        .limit(1)
    )
    last = (await session.execute(statement)).one_or_none()
    if last is None:
        return LookAlikes(round=None, items=[])
    number, groups = last
    ids = await _ood(session, project, [index for one in groups or [] for index in one["examples"]])
    items = [
        LookAlike(
            example_ids=[ids[index] for index in one["examples"]],
            similarity_min=one["similarity"],
            size=one["size"],
        )
        for one in groups or []
        if all(index in ids for index in one["examples"])
    ]
    return LookAlikes(round=number, items=items)


async def _ood(session: AsyncSession, project: Project, indices: Sequence[Any]) -> dict[int, int]:
    """Ids of those that are OOD still, by pool index."""
    statement = select(Example.pool_index, Example.id).where(
        Example.project_id == project.id,
        Example.state == ExampleState.OOD,
        among(Example.pool_index, list(indices)),
    )
    return {one.pool_index: one.id for one in await session.execute(statement)}
