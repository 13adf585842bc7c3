"""How many requests a token may make in a minute, counted by all API processes together.

Each process counts by itself, and tells the others through the database once it has counted a
hundredth of what is allowed: a token that is used as people and most scripts do costs no statement
at all, and what is told goes along with the look-up of a later request. So a token may come to a
hundredth more for each process, and to what arrives in the second after it is used up.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import text

from api.database.pipelined_sql import Statement
from core.errors import TooManyRequests

_SECONDS: Final = 60
_LOOK_EVERY: Final = 1.0
_STEP: Final = 100

# In one order: two processes must not wait for each other.
TELL: Final = Statement(
    text(
        """INSERT INTO token_requests AS r (token_id, minute, requests)
        SELECT t.id, CAST(:minute AS bigint), n.requests
        FROM unnest(CAST(:tokens AS bigint[]), CAST(:requests AS bigint[])) AS n (id, requests)
        JOIN api_tokens t ON t.id = n.id ORDER BY t.id
        ON CONFLICT (token_id) DO UPDATE SET
            requests = CASE WHEN r.minute = excluded.minute
                THEN r.requests + excluded.requests ELSE excluded.requests END,
            minute = excluded.minute
        RETURNING token_id, minute, requests"""
    )
)


@dataclass
class _Count:
    """Requests of a token in this minute: all that were told, and those of here that were not."""

    told: int = 0
    untold: int = 0


class TokenMeter:
    """Counts in this process.

    Args:
        limit: Requests that a token may make in a minute; 0 lets it make any number.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._step = max(1, limit // _STEP)
        self._minute = 0
        self._counts: dict[int, _Count] = {}
        self._looked_at = 0.0

    def count(self, token_id: int) -> None:
        """Count a request.

        Raises:
            TooManyRequests: The token has made all that it may in this minute.
        """
        if not self._limit:
            return
        now = time.time()
        self._turn(int(now // _SECONDS))
        found = self._counts.setdefault(token_id, _Count())
        if found.told + found.untold >= self._limit:
            raise TooManyRequests(self._limit, _SECONDS - int(now % _SECONDS))
        found.untold += 1

    def to_tell(self) -> Mapping[str, Any] | None:
        """What the other processes should know by now, as values of ``TELL``."""
        now = time.monotonic()
        if now - self._looked_at < _LOOK_EVERY:
            return None
        self._looked_at = now
        self._turn(int(time.time() // _SECONDS))
        new = {id_: one.untold for id_, one in self._counts.items() if one.untold >= self._step}
        if not new:
            return None
        for id_, requests in new.items():
            # Counted twice until the answer comes would refuse; not at all would let through.
            self._counts[id_].told += requests
            self._counts[id_].untold = 0
        return {"minute": self._minute, "tokens": list(new), "requests": list(new.values())}

    def hear(self, rows: Sequence[Any]) -> None:
        """Take up what all processes have counted, from the answer to ``TELL``."""
        for row in rows:
            if row.minute == self._minute and row.token_id in self._counts:
                self._counts[row.token_id].told = row.requests

    def _turn(self, minute: int) -> None:
        if minute != self._minute:
            self._minute = minute
            self._counts.clear()
