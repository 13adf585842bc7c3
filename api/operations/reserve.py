"""Looks after the room that is set aside for answers."""

import asyncio
import logging
from typing import Final

from anyio import to_thread

from core.files.disk import keep_reserve
from core.settings import Settings

logger = logging.getLogger(__name__)
_EVERY_SECONDS: Final = 2.0


async def keep(settings: Settings) -> None:
    """Set the reserve aside when there is plenty, and let it go when the disk is full; for ever."""
    while True:
        try:
            if await to_thread.run_sync(keep_reserve, settings):
                logger.error("the disk is full: the reserve is let go, answers have its room")
        except OSError as error:
            logger.warning("the reserve cannot be looked after: %s", error)
        await asyncio.sleep(_EVERY_SECONDS)
