"""What the workers that train compute on."""

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from core.tables import Worker


async def without_gpu(session: AsyncSession) -> bool:
    """Whether there are workers that have said what they train on, and none has a GPU.

    One that was killed counts until it is forgotten: it may come back.
    """
    said = await session.scalars(select(Worker.device).where(Worker.device.is_not(None)).distinct())
    return set(said) == {"cpu"}
