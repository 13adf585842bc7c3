"""Handing a round to the job that goes on from it."""

from collections.abc import Iterable

from sqlalchemy.ext.asyncio import AsyncSession

from core.jobs import queue
from core.tables import Job, Round


async def hand_on(session: AsyncSession, round_: Round, job: Job, new: Iterable[object]) -> None:
    """Store what is ``new``, the ``job`` among it, and enqueue the job as that of ``round_``."""
    session.add_all(new)
    await session.flush()
    round_.job_id = job.id
    queue.enqueue(session.info, job)
