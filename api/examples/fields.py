"""Which fields the examples of a project brought: what the label page can show of them."""

from typing import Final

import numpy as np
from sqlalchemy import Text, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from api.schemas.fields import ShownField, shown_fields
from core.database.among import among
from core.tables import Example

_LOOKED_AT: Final = 1000


async def brought_fields(session: AsyncSession, project_id: int) -> list[ShownField]:
    """Fields of a thousand examples by name, each with the first value that it has there.

    All of a large pool would take seconds; these are spread over it, as imports bring each its own.
    """
    last = select(func.max(Example.pool_index)).where(Example.project_id == project_id)
    places = np.linspace(0, await session.scalar(last) or 0, _LOOKED_AT, dtype=np.int64)
    first = (
        select(Example.pool_index, Example.meta)
        .where(Example.project_id == project_id)
        .where(among(Example.pool_index, np.unique(places).tolist()))
        .cte("first")
    )
    # Values may be long: only those that are shown are read.
    key = func.jsonb_object_keys(first.c.meta, type_=Text).column_valued(
        "key", joins_implicitly=True
    )
    foremost = (
        select(key.label("key"), func.min(first.c.pool_index).label("pool_index"))
        .select_from(first)
        .group_by(key)
        .subquery()
    )
    found = await session.execute(
        select(foremost.c.key, first.c.meta[foremost.c.key].label("value"))
        .join(first, first.c.pool_index == foremost.c.pool_index)
        .order_by(foremost.c.key)
    )
    meta = {row.key: row.value for row in found}
    return shown_fields(list(meta), meta)
