"""The read-only replica that takes what reads much off the database, where there is one.

Nobody reads there what is older than what was committed when they asked: a replica that lags, or
that cannot be asked, is passed over for the primary.
"""

import asyncio
import logging
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final, NamedTuple

from sqlalchemy import text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, AsyncSession, async_sessionmaker

from api.database.waiting import within
from core.database.engines import async_sessions, read_engine
from core.settings import Settings

logger = logging.getLogger(__name__)

Sessions = async_sessionmaker[AsyncSession]

_NOW: Final = text(
    "SELECT pg_current_wal_lsn()::text AS place, system_identifier FROM pg_control_system()"
)
_THERE: Final = text(
    "SELECT pg_is_in_recovery() AS follows, system_identifier, "
    "coalesce(pg_last_wal_replay_lsn() >= CAST(:place AS pg_lsn), false) AS is_there "
    "FROM pg_control_system()"
)
_POLL_SECONDS: Final = 0.05
# To connect, and for each answer, beyond the wait for what is committed: a replica that hangs.
_ANSWER_SECONDS: Final = 10.0
# What a replica fails with: it refuses, is not there, hangs, or all connections to it are taken.
_FAILURES: Final = (DBAPIError, OSError, TimeoutError, PoolTimeout)


class _Now(NamedTuple):
    """How far the primary has written, and which database it is."""

    place: str
    system: int


def _silent(error: Exception) -> str:
    return f"does not answer ({type(error).__name__})"


class Reader:
    """Where exports and metrics are read from."""

    def __init__(self, settings: Settings, primary: AsyncEngine) -> None:
        """Connect to nothing yet.

        Args:
            settings: Whether there is a replica, and how long to wait for it.
            primary: The engine of the database.
        """
        self._primary, self._primary_sessions = primary, async_sessions(primary)
        self._wait = settings.read_wait_seconds
        self._replica = read_engine(settings)
        self._sessions = async_sessions(self._replica) if self._replica else None
        self._said: str | None = None

    async def sessions(self) -> Sessions:
        """Sessions that see all that is committed now, for reading only."""
        if self._replica is None or self._sessions is None:
            return self._primary_sessions
        try:
            now = await self._now()
            why = await within(self._wait + _ANSWER_SECONDS, self._asked(self._replica, now))
        except _FAILURES as error:
            why = _silent(error)
        self._say(why)
        return self._primary_sessions if why else self._sessions

    @asynccontextmanager
    async def figures(self) -> AsyncIterator[AsyncConnection]:
        """A connection for figures, for which what was committed a while ago is good enough."""
        connection = await self._replica_for_figures()
        if connection is None:
            connection = await self._primary.connect()
        try:
            yield connection
        finally:
            await connection.close()

    async def _replica_for_figures(self) -> AsyncConnection | None:
        if self._replica is None:
            return None
        try:
            now = await self._now()
            connection, why = await within(_ANSWER_SECONDS, self._opened(self._replica, now))
        except _FAILURES as error:
            self._say(_silent(error))
            return None
        if why is None:
            return connection
        await connection.close()
        self._say(why)
        return None

    async def _asked(self, replica: AsyncEngine, now: _Now) -> str | None:
        async with replica.connect() as connection:
            return await self._lacks(connection, now, self._wait)

    async def _opened(self, replica: AsyncEngine, now: _Now) -> tuple[AsyncConnection, str | None]:
        connection = await replica.connect()
        try:
            return connection, await self._lacks(connection, now, None)
        except BaseException:
            await connection.close()
            raise

    async def _now(self) -> _Now:
        async with self._primary.connect() as connection:
            return _Now(*(await connection.execute(_NOW)).one())

    async def _lacks(
        self, replica: AsyncConnection, now: _Now, seconds: float | None
    ) -> str | None:
        """Why not to read there; waits so long for what is committed, or with None not at all."""
        deadline = time.monotonic() + (seconds or 0.0)
        while True:
            found = (await replica.execute(_THERE, {"place": now.place})).one()
            # Each look begins anew: a transaction would hold back what is replayed.
            await replica.rollback()
            if found.system_identifier != now.system:
                return "is of another database"
            if not found.follows:
                return "is no replica, or was made the primary"
            if found.is_there or seconds is None:
                return None
            if time.monotonic() > deadline:
                return f"is more than {seconds:g} s behind"
            await asyncio.sleep(_POLL_SECONDS)

    def _say(self, why: str | None) -> None:
        """Write into the log what has changed, once."""
        if why == self._said:
            return
        self._said = why
        if why is None:
            logger.info("exports are read from the replica again")
        else:
            logger.warning("the replica %s; exports are read from the database itself", why)

    async def close(self) -> None:
        """Close what was opened."""
        if self._replica is not None:
            await self._replica.dispose()
