"""Handing out what a job suggests: what is worth most, mixed with its audit, or a group at once."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from sqlalchemy import (
    ARRAY,
    BigInteger,
    ColumnElement,
    DateTime,
    and_,
    func,
    literal,
    or_,
    select,
    update,
)
from sqlalchemy.ext.asyncio import AsyncSession

from api.reviews.desk import suggested_by
from api.reviews.learning import Learned
from core.tables import Project, Suggestion

_AUDIT_EVERY: Final = 4
"""One of so many images is of the audit, while there is one, wherever the review stops."""

_PLACE: Final = timedelta(microseconds=1)
"""Leases of what is handed out together expire in its order, which is how it is remembered."""

_AUDITED = Suggestion.inclusion.is_not(None)


@dataclass(frozen=True)
class Hand:
    """Who takes suggestions, of what job, and until when.

    Attributes:
        user_id: Who looks at them.
        job_id: The job that suggested.
        learned: What its review has learned so far.
        now: The time.
        expires: When they are anybody's again.
    """

    user_id: int
    project: Project
    job_id: int
    learned: Learned
    now: datetime
    expires: datetime

    async def take(self, session: AsyncSession, n: int) -> list[int]:
        """Lease ``n`` suggestions, in their order: those held already, then the most worth.

        What somebody holds stays first, in the order in which it was handed out, whatever is
        learned meanwhile: nothing jumps, and nothing tells which images are of the audit.
        """
        mine = and_(Suggestion.lease_holder == self.user_id, Suggestion.lease_expires_at > self.now)
        handed = [Suggestion.lease_expires_at, Suggestion.id]
        held = await self._first(session, mine, None, handed)
        wanted = max(0, n - len(held))
        # In the order of their draw: the first of a random sample are one as well.
        audited, drawn = and_(_AUDITED, ~func.coalesce(mine, False)), [Suggestion.rank]
        audit = await self._first(session, audited, await self._due(session, wanted), drawn)
        rest = and_(~_AUDITED, ~func.coalesce(mine, False))
        suggested = await self._first(session, rest, wanted - len(audit), self.learned.order())
        if missing := wanted - len(audit) - len(suggested):
            more = and_(audited, Suggestion.id.not_in(audit))
            audit = [*audit, *await self._first(session, more, missing, drawn)]
        ids = [*held, *_mixed(suggested, audit)]
        # All that is held goes on to be: were only some of it, it would change places.
        await self._keep(session, ids)
        return ids[:n]

    async def take_group(self, session: AsyncSession, passed: Sequence[int]) -> list[int]:
        """Lease a group of alike suggestions, of those that are not ``passed`` the most worth.

        Returns:
            Two ids at least, or none where no group is left.
        """
        groups = (
            select(Suggestion.alike)
            .where(
                *self._free(~_AUDITED),
                Suggestion.alike.is_not(None),
                Suggestion.alike.not_in(passed),
            )
            .group_by(Suggestion.alike)
            .having(func.count() > 1)
            .order_by(func.sum(self.learned.worth()).desc(), Suggestion.alike)
        )
        for group in (await session.scalars(groups)).all():
            members = and_(~_AUDITED, Suggestion.alike == group)
            ids = await self._first(session, members, None, self.learned.order())
            if len(ids) > 1:
                await self._keep(session, ids)
                return list(ids)
        return []

    async def _due(self, session: AsyncSession, wanted: int) -> int:
        """How many of the next ``wanted`` are of the audit: every fourth that is handed out is.

        Counted over all leases, so that as many are where each is of a single image.
        """
        handed = or_(Suggestion.decision.is_not(None), Suggestion.lease_expires_at > self.now)
        of_job = suggested_by(self.project, self.job_id)
        before = await session.scalar(select(func.count()).where(of_job, handed)) or 0
        return (before + wanted) // _AUDIT_EVERY - before // _AUDIT_EVERY

    def _free(self, which: ColumnElement[bool]) -> list[ColumnElement[bool]]:
        """Conditions of the open suggestions that nobody else looks at."""
        return [
            suggested_by(self.project, self.job_id),
            which,
            Suggestion.decision.is_(None),
            or_(
                Suggestion.lease_expires_at.is_(None),
                Suggestion.lease_expires_at <= self.now,
                Suggestion.lease_holder == self.user_id,
            ),
        ]

    async def _first(
        self,
        session: AsyncSession,
        which: ColumnElement[bool],
        n: int | None,
        order: Sequence[Any],
    ) -> Sequence[int]:
        if n == 0:
            return []
        statement = select(Suggestion.id).where(*self._free(which)).order_by(*order).limit(n)
        return (await session.scalars(statement.with_for_update(skip_locked=True))).all()

    async def _keep(self, session: AsyncSession, ids: Sequence[int]) -> None:
        place = func.array_position(literal(list(ids), ARRAY(BigInteger)), Suggestion.id)
        expires = literal(self.expires, DateTime(timezone=True))
        await session.execute(
            update(Suggestion)
            .where(Suggestion.id.in_(ids))
            .values(lease_holder=self.user_id, lease_expires_at=expires + place * literal(_PLACE))
        )


def _mixed(suggested: Sequence[int], audit: Sequence[int]) -> list[int]:
    """Both in their order, the audit spread over all: no place tells which is which."""
    count = len(suggested) + len(audit)
    places = {(2 * one + 1) * count // (2 * len(audit)) for one in range(len(audit))}
    drawn, rest = iter(audit), iter(suggested)
    return [next(drawn) if place in places else next(rest) for place in range(count)]
