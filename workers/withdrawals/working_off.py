"""Going on with what somebody has withdrawn, a part at a time."""

import logging
import time
from typing import Final

from sqlalchemy import Select, exists, func, select
from sqlalchemy.orm import Session, sessionmaker

from core import events
from core.db import database_time
from core.files.storage import Storage
from core.jobs import queue
from core.tables import Artifact, Removal, RemovalItem, Withdrawal
from workers.jobs.locks import alone
from workers.withdrawals.erasing import erase
from workers.withdrawals.rows import withdraw_some

logger = logging.getLogger(__name__)
_LOCK: Final = 0x77746864


def go_on(factory: sessionmaker[Session], storage: Storage, *, seconds: float) -> bool:
    """Go on with each withdrawal, the oldest first; what fails keeps no other.

    Args:
        factory: Of sessions.
        storage: Where files are.
        seconds: After which somebody else is to go on with the rows of one.

    Returns:
        Whether rows are left that are to be withdrawn.
    """
    with factory() as session:
        unfinished = select(Withdrawal).where(Withdrawal.erased_at.is_(None))
        rows = session.scalars(unfinished.order_by(Withdrawal.id)).all()
        found = [(row.id, row.project_id) for row in rows]
    until = time.monotonic() + seconds
    is_left = False
    for withdrawal_id, project_id in found:
        with alone(factory, _LOCK, project_id) as is_mine:
            if not is_mine:
                continue
            try:
                if _has_rows(factory, withdrawal_id, until):
                    is_left = True
                else:
                    _finish(factory, storage, withdrawal_id)
            except Exception:
                # Such as a disk that is full, or a file that is broken.
                logger.exception("withdrawal %s does not go on", withdrawal_id)
    return is_left


def _has_rows(factory: sessionmaker[Session], withdrawal_id: int, until: float) -> bool:
    """Withdraw rows until the time is up; whether any are left."""
    while True:
        with factory() as session:
            with session.begin():
                is_left = withdraw_some(session, withdrawal_id)
            queue.deliver(session.info)
        if not is_left or time.monotonic() > until:
            return is_left


def _finish(factory: sessionmaker[Session], storage: Storage, withdrawal_id: int) -> None:
    """Erase what files tell; note that it is done once the last of the old ones has gone."""
    with factory() as session:
        going = exists().where(
            RemovalItem.removal_id == Removal.id, RemovalItem.removed_at.is_(None)
        )
        waits = select(exists().where(Removal.withdrawal_id == withdrawal_id, going))
        if session.scalar(waits):
            return
        newest = session.scalar(_newest_file(withdrawal_id))
    if not erase(factory, storage, withdrawal_id):
        return
    with factory.begin() as session:
        withdrawal = session.get(Withdrawal, withdrawal_id, with_for_update={"key_share": True})
        if withdrawal is None or session.scalar(waits):
            return
        # Such as a snapshot, which was read before and named meanwhile.
        if session.scalar(_newest_file(withdrawal_id)) != newest:
            return
        withdrawal.erased_at = database_time(session)
        session.execute(events.notify(withdrawal.project_id, events.Topic.POOL, {}))


def _newest_file(withdrawal_id: int) -> Select[int | None]:
    of = select(Withdrawal.project_id).where(Withdrawal.id == withdrawal_id).scalar_subquery()
    return select(func.max(Artifact.id)).where(Artifact.project_id == of)
