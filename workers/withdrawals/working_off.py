"""Going on with what somebody has withdrawn, a part at a time."""

import logging
import time
from typing import Final

from sqlalchemy import exists, func, select, update
from sqlalchemy.orm import Session, sessionmaker

from core import events
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
    found: dict[int, list[int]] = {}
    with factory() as session:
        unfinished = select(Withdrawal).where(Withdrawal.erased_at.is_(None))
        for row in session.scalars(unfinished.order_by(Withdrawal.id)):
            found.setdefault(row.project_id, []).append(row.id)
    until = time.monotonic() + seconds
    is_left = False
    for project_id, withdrawals in found.items():
        with alone(factory, _LOCK, project_id) as is_mine:
            if not is_mine:
                continue
            try:
                for withdrawal_id in withdrawals:
                    is_left |= _has_rows(factory, withdrawal_id, until)
                _finish(factory, storage, project_id)
            except Exception:
                # Such as a disk that is full, or a file that is broken.
                logger.exception("withdrawals of project %s do not go on", project_id)
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


def _finish(factory: sessionmaker[Session], storage: Storage, project_id: int) -> None:
    """Erase what files tell; note that it is done once the last of the old ones has gone."""
    going = exists().where(
        Removal.withdrawal_id == Withdrawal.id,
        RemovalItem.removal_id == Removal.id,
        RemovalItem.removed_at.is_(None),
    )
    out = (
        select(Withdrawal.id)
        .where(
            Withdrawal.project_id == project_id,
            Withdrawal.withdrawn_at.is_not(None),
            Withdrawal.erased_at.is_(None),
            ~going,
        )
        .order_by(Withdrawal.id)
    )
    newest = select(func.max(Artifact.id)).where(Artifact.project_id == project_id)
    with factory() as session:
        ids = session.scalars(out).all()
        before = session.scalar(newest)
    # Of all of them at once: files are long.
    if not ids or not erase(factory, storage, project_id, ids):
        return
    with factory.begin() as session:
        # There are old files that cannot go now, or a new one, such as a snapshot, which was read
        # before and named meanwhile.
        if not {*session.scalars(out)}.issuperset(ids) or session.scalar(newest) != before:
            return
        done = update(Withdrawal).where(Withdrawal.id.in_(ids))
        session.execute(done.values(erased_at=func.clock_timestamp()))
        session.execute(events.notify(project_id, events.Topic.POOL, {}))
