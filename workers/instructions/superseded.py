"""Files of selections that were made anew: they go once nobody can be reading them any more."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from sqlalchemy import ColumnElement, Select, select
from sqlalchemy.orm import Session, sessionmaker

from core.artifacts.selections import SUPERSEDED
from core.database.engines import database_time
from core.files.storage import Storage
from core.states import ArtifactKind, RoundState
from core.tables import Artifact, Round
from workers.jobs.locks import alone

FOLLOW_LOCK: Final = 0x666F6C6C
"""First number of the lock under which a selection is made anew; the second is its round's."""
GRACE: Final = timedelta(minutes=15)


def noted(session: Session, old: Artifact, new: Mapping[str, Any], key: str) -> dict[str, Any]:
    """What is known of a selection that gets the file ``key``, and since when it has not another.

    Args:
        session: A transaction.
        old: Its row, as it was.
        new: What is known of the new file.
        key: Its name.
    """
    before = dict(old.meta.get(SUPERSEDED, {}))
    if old.storage_key != key:
        before[old.storage_key] = database_time(session).isoformat()
    # Files are named by what they hold: it may say again what it said before.
    before.pop(key, None)
    return {**new, SUPERSEDED: before} if before else dict(new)


def remove_superseded(
    factory: sessionmaker[Session],
    storage: Storage,
    of: Sequence[ColumnElement[bool]] = (),
    grace: timedelta = GRACE,
) -> int:
    """Remove what was superseded long enough ago, and return how many files that was.

    A file that cannot be removed now stays noted, for the next sweep, and keeps no other.

    Args:
        factory: Of sessions.
        storage: Where files are.
        of: Conditions of the artifacts; all if left out.
        grace: How long ago.
    """
    with factory() as session:
        which = _superseded().where(*of).with_only_columns(Artifact.round_id)
        rounds = session.scalars(which.distinct())
        found = [one for one in rounds if one is not None]
    count = 0
    for round_id in found:
        # Whoever makes one anew may be writing a file of the same name.
        with alone(factory, FOLLOW_LOCK, round_id) as is_mine:
            if is_mine:
                count += _remove(factory, storage, round_id, grace)
    return count


def _superseded() -> Select[Artifact]:
    return select(Artifact).where(
        Artifact.kind == ArtifactKind.SELECTION, Artifact.meta.has_key(SUPERSEDED)
    )


def _remove(
    factory: sessionmaker[Session], storage: Storage, round_id: int, grace: timedelta
) -> int:
    count = 0
    with factory.begin() as session:
        # One that closes writes files, too.
        round_ = session.get(Round, round_id, with_for_update={"key_share": True})
        if round_ is None or round_.state is not RoundState.CLOSED:
            return 0
        until = database_time(session) - grace
        own = _superseded().where(Artifact.round_id == round_id).with_for_update()
        for artifact in session.scalars(own).all():
            meta = dict(artifact.meta)
            waiting = dict(meta.pop(SUPERSEDED))
            for key, since in list(waiting.items()):
                if datetime.fromisoformat(since) < until and storage.discard(key):
                    del waiting[key]
                    count += 1
            artifact.meta = {**meta, SUPERSEDED: waiting} if waiting else meta
    return count
