"""Up to which annotation a copy elsewhere may go on, so that it misses none that commits late."""

import asyncio
import time
from typing import Final

from sqlalchemy import func, select, text
from sqlalchemy.ext.asyncio import AsyncSession, async_sessionmaker

from core.errors import Conflict, Unavailable
from core.tables import Annotation

_POLL_SECONDS: Final = 0.05
_WAIT_SECONDS: Final = 10.0
# A transaction that draws an id holds this from before it does until it ends.
_WRITERS: Final = text(
    "SELECT virtualtransaction FROM pg_locks "
    "WHERE database = (SELECT oid FROM pg_database WHERE datname = current_database()) "
    "AND relation = CAST('annotations_id_seq' AS regclass) AND mode = 'RowExclusiveLock'"
)


async def settled(sessions: async_sessionmaker[AsyncSession], project_id: int, after: int) -> int:
    """The newest annotation of a project, once no older one can still appear.

    Ids are drawn before they are committed, so whoever goes on from the greatest would miss a
    smaller one of a request or an import that ends later: those that write now are waited for.

    Args:
        sessions: Of the database itself, and not of a replica, which knows of no writers.
        project_id: The project.
        after: The last annotation that the caller has.

    Raises:
        Conflict: ``annotations_cut``: there is none of ``after``, or later.
        Unavailable: ``annotations_under_way``: somebody writes for long.
    """
    newest_of = select(func.max(Annotation.id)).where(Annotation.project_id == project_id)
    async with sessions() as session:
        newest = await session.scalar(newest_of) or 0
    if newest < after:
        raise Conflict(
            "annotations_cut",
            f"The project has no annotation {after}; a backup may have been restored. Fetch all "
            "again, with after=0.",
            field="after",
        )
    until = time.monotonic() + _WAIT_SECONDS
    waits_for: set[str] | None = None
    while True:
        async with sessions() as session:
            writers = set((await session.scalars(_WRITERS)).all())
        waits_for = writers if waits_for is None else waits_for & writers
        if not waits_for:
            return newest
        if time.monotonic() >= until:
            raise Unavailable(
                "annotations_under_way",
                "Annotations are being stored that an export after others would miss; try again "
                "in a moment.",
            )
        await asyncio.sleep(_POLL_SECONDS)
