"""The audit log as JSON Lines, in the order of its chain: what other systems keep a copy of."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, Final

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession, async_sessionmaker

from core.errors import Conflict
from core.security.audit_chain import SEALED

_BLOCK: Final = 1000
_LOOK_EVERY: Final = 1.0
# What keeps proxies from ending a stream on which nothing happens; readers skip empty lines.
_BEAT_EVERY: Final = 15.0

_NEXT: Final = text(
    f"""
    SELECT c.number, encode(c.hash, 'hex') AS hash, {SEALED} AS sealed,
        encode(c.salt, 'hex') AS salt, a.address, a.agent, a.at, a.actor_id, u.email AS actor,
        a.verb, a.object_type, a.object_id, a.project_id, p.name AS project, a.detail
    FROM audit_chain c
    JOIN audit a ON a.id = c.audit_id
    LEFT JOIN users u ON u.id = a.actor_id
    LEFT JOIN projects p ON p.id = a.project_id
    WHERE c.number > :after ORDER BY c.number LIMIT {_BLOCK}
    """
)

_LAST: Final = text("SELECT coalesce(max(number), 0) FROM audit_chain")


async def require_there(session: AsyncSession, after: int) -> None:
    """Refuse to go on after what is not there: it was there, or nobody could have it.

    Raises:
        Conflict: The log ends before the number: ``audit_cut``.
    """
    last = await _last(session)
    if last < after:
        raise Conflict(
            "audit_cut",
            f"The audit log ends with number {last}, before {after}: its end was cut off, or "
            "a backup was put back. Compare your copy with it, and begin a new one.",
        )


async def _last(session: AsyncSession) -> int:
    return await session.scalar(_LAST) or 0


async def lines(
    sessions: async_sessionmaker[AsyncSession],
    after: int,
    still: Callable[[], Awaitable[bool]] | None,
) -> AsyncIterator[str]:
    """Entries after a number of the chain, a line each.

    Args:
        sessions: Where short transactions come from: none is open while the reader takes its time.
        after: The number of the last entry that the reader has.
        still: Asked now and then whether the reader may go on; without it the lines end with the
            log, and with it only if that is cut off.
    """
    clock = asyncio.get_running_loop().time
    due = clock() + _BEAT_EVERY
    while True:
        async with sessions() as session:
            rows = (await session.execute(_NEXT, {"after": after})).all()
        if rows:
            yield "".join(_line(row) for row in rows)
            after = rows[-1].number
        if len(rows) == _BLOCK:
            continue
        if still is None:
            return
        if clock() >= due:
            if not await still() or await _is_cut(sessions, after):
                return
            due = clock() + _BEAT_EVERY
            yield "\n"
        await asyncio.sleep(_LOOK_EVERY)


async def _is_cut(sessions: async_sessionmaker[AsyncSession], after: int) -> bool:
    async with sessions() as session:
        return await _last(session) < after


def _line(row: Any) -> str:
    fields = {**row._mapping, "at": row.at.isoformat()}
    return json.dumps(fields, ensure_ascii=False) + "\n"
