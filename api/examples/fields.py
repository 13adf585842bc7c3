"""Which fields the examples of a project brought: what the label page can show of them."""

from typing import Final

from sqlalchemy import Text, column, func, select
from sqlalchemy.dialects.postgresql import JSONB, distinct_on
from sqlalchemy.ext.asyncio import AsyncSession

from api.schemas.fields import ShownField, shown_fields
from core.tables import Example

_LOOKED_AT: Final = 1000


async def brought_fields(session: AsyncSession, project_id: int) -> list[ShownField]:
    """Fields of the first thousand examples by name, each with the first value that it has there.

    All of a large pool would take seconds, and most pools come from one place.
    """
    first = (
        select(Example.pool_index, Example.meta)
        .where(Example.project_id == project_id)
        .order_by(Example.pool_index)
        .limit(_LOOKED_AT)
        .subquery()
    )
    columns = (column("key", Text), column("value", JSONB))
    field = func.jsonb_each(first.c.meta).table_valued(*columns, joins_implicitly=True).c
    found = await session.execute(
        select(field.key, field.value)
        .select_from(first)
        .ext(distinct_on(field.key))
        .order_by(field.key, first.c.pool_index)
    )
    meta = {row.key: row.value for row in found}
    return shown_fields(list(meta), meta)
