"""Removing files that belong to nobody, in steps that each can be killed and repeated.

A step removes first and notes it then. Whether an image is held by somebody is asked under the lock
of ``core.removals``, which imports take for the moment in which they add rows.
"""

from collections.abc import Collection, Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from sqlalchemy import Connection, delete, func, or_, select, update
from sqlalchemy.orm import Session, sessionmaker

from core.removals import begin_removing
from core.states import JobKind, JobState
from core.storage import Freed, Storage
from core.tables import Example, Job, Project, Removal, RemovalItem

_AT_ONCE: Final = 500
_ONCE_MORE: Final = timedelta(minutes=15)
"""After so long a file is looked for again: a request may have been making a small version."""
_LOST_UPLOAD: Final = timedelta(days=1)
"""Age of an upload that no job names: the API died between its last byte and its job."""


def remove_some(factory: sessionmaker[Session], storage: Storage) -> bool:
    """Remove the next files of deleted projects; whether there were any."""
    with factory.begin() as session:
        now = datetime.now(UTC)
        items = session.scalars(
            select(RemovalItem)
            .where(or_(RemovalItem.removed_at.is_(None), RemovalItem.removed_at < now - _ONCE_MORE))
            .order_by(RemovalItem.id)
            .limit(_AT_ONCE)
            .with_for_update(skip_locked=True)
        ).all()
        if not items:
            return False
        for removal_id in sorted({item.removal_id for item in items}):
            own = [item for item in items if item.removal_id == removal_id]
            freed = _remove(session, storage, own)
            _note(session, removal_id, own, freed, now)
        return True


def _remove(session: Session, storage: Storage, items: Iterable[RemovalItem]) -> Freed:
    freed = Freed()
    images = []
    for item in items:
        if item.path is not None:
            freed += storage.remove_path(item.path)
        elif item.content_hash is not None:
            images.append(item.content_hash)
    return freed + remove_images(session, storage, images)


def _note(
    session: Session, removal_id: int, items: Iterable[RemovalItem], freed: Freed, now: datetime
) -> None:
    first = [item.id for item in items if item.removed_at is None]
    again = [item.id for item in items if item.removed_at is not None]
    if first:
        session.execute(update(RemovalItem).where(RemovalItem.id.in_(first)).values(removed_at=now))
    if again:
        session.execute(delete(RemovalItem).where(RemovalItem.id.in_(again)))
    left = select(RemovalItem.id).where(
        RemovalItem.removal_id == removal_id, RemovalItem.removed_at.is_(None)
    )
    done = session.scalar(left.limit(1)) is None
    session.execute(
        update(Removal)
        .where(Removal.id == removal_id)
        .values(
            freed_files=Removal.freed_files + freed.files,
            freed_bytes=Removal.freed_bytes + freed.bytes,
            finished_at=func.coalesce(Removal.finished_at, now) if done else None,
        )
    )


def remove_images(
    session: Session, storage: Storage, digests: Collection[bytes], patience: str = "5s"
) -> Freed:
    """Remove those images that no project holds.

    The lock stays until the transaction of ``session`` ends: end it soon, imports wait for it.

    Args:
        session: In a transaction that has not looked at examples yet.
        storage: Where they are.
        digests: SHA-256 of each, 32 bytes.
        patience: How long to wait for imports that are adding rows.

    Raises:
        OperationalError: Somebody has held the lock for longer; nothing was removed.
    """
    if not digests:
        return Freed()
    session.execute(select(func.set_config("lock_timeout", patience, True)))
    for statement in begin_removing():
        session.execute(statement)
    # A statement of its own: it sees all that was committed before we had the lock.
    held = held_images(session, digests)
    return storage.remove_images([one for one in digests if one not in held])


def held_images(session: Session | Connection, digests: Collection[bytes]) -> set[bytes]:
    """Those of ``digests`` that an image of some project has."""
    # By project, too: the index begins with it.
    projects = session.scalars(select(Project.id)).all()
    return set(
        session.scalars(
            select(Example.content_hash).where(
                Example.project_id.in_(projects), Example.content_hash.in_(digests)
            )
        )
    )


def expire_uploads(factory: sessionmaker[Session], storage: Storage, days: float) -> Freed:
    """Remove uploads of imports that ended without success ``days`` ago, and of no import.

    Until then a failed or cancelled import can be retried, and needs them.
    """
    now = datetime.now(UTC)
    freed = Freed()
    for path in _older(storage.root / "uploads", now - min(_LOST_UPLOAD, timedelta(days=days))):
        with factory.begin() as session:
            job = session.scalar(
                select(Job)
                .where(
                    Job.kind == JobKind.IMPORT_POOL,
                    Job.params["upload"].astext == path.name,
                )
                # Whoever retries it waits, and then is told that the upload is gone.
                .with_for_update()
            )
            if job is None or _expired(job, now - timedelta(days=days)):
                freed += storage.remove_path(f"uploads/{path.name}")
                if job is not None:
                    freed += storage.remove_path(f"work/{job.id}")
    return freed


def _expired(job: Job, since: datetime) -> bool:
    if job.state is JobState.SUCCEEDED:
        return True
    ended = job.state in (JobState.FAILED, JobState.CANCELLED)
    return ended and job.finished_at is not None and job.finished_at < since


def _older(directory: Path, since: datetime) -> list[Path]:
    found = []
    for path in directory.iterdir() if directory.is_dir() else ():
        try:
            if path.stat().st_mtime < since.timestamp():
                found.append(path)
        except FileNotFoundError:
            continue
    return found
