"""Which places that pools follow are to be looked at now."""

from datetime import timedelta
from typing import Final

from sqlalchemy import ColumnElement, func, or_, select
from sqlalchemy.orm import Session

from core.jobs.messages import SyncBucket
from core.tables import Sync
from core.tables.sync import SILENT

_AGAIN: Final = timedelta(minutes=10)
# A message for each: the queue must not fill with them.
_MOST: Final = 100


def is_due() -> ColumnElement[bool]:
    """Condition: it is time to look, and nobody does.

    What is dated in the future was so by a clock that has been set back.
    """
    now = func.clock_timestamp()
    looking = Sync.looking_at
    return (Sync.due_at <= now) & or_(
        looking.is_(None), looking < now - SILENT, looking > now + SILENT
    )


def due_syncs(session: Session) -> list[SyncBucket]:
    """Messages for those that are due; one that nobody heeds is sent again after a while."""
    now, sent = func.clock_timestamp(), Sync.sent_at
    statement = (
        select(Sync)
        .where(is_due(), or_(sent.is_(None), sent < now - _AGAIN, sent > now + _AGAIN))
        .order_by(Sync.due_at)
        .limit(_MOST)
        .with_for_update(skip_locked=True, key_share=True)
    )
    found = session.scalars(statement).all()
    for sync in found:
        sync.sent_at = now
    return [SyncBucket(sync_id=sync.id) for sync in found]
