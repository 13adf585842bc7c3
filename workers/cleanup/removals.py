"""Removing files that belong to nobody, in steps that each can be killed and repeated.

A step removes first and notes it then. Whether an image is held by somebody is asked under the lock
of ``core.files.removals``, which imports take for the moment in which they add rows.
"""

import logging
from collections.abc import Collection, Iterable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from sqlalchemy import ColumnElement, Connection, delete, func, or_, select, update
from sqlalchemy.orm import Session, sessionmaker

from core.database.among import among
from core.errors import DomainError
from core.files.removals import begin_removing
from core.files.storage import Freed, Storage
from core.jobs.imports import ImportParams
from core.states import JobKind, JobState
from core.tables import Example, Job, Project, Removal, RemovalItem
from workers.jobs.unfinished import forget

logger = logging.getLogger(__name__)
_AT_ONCE: Final = 500
_ONCE_MORE: Final = timedelta(minutes=15)
"""After so long a file is looked for again: a request may have been making a small version."""
_LOST_UPLOAD: Final = timedelta(days=1)
"""Age of an upload that no job names: the API died between its last byte and its job."""
_WITHOUT_SUCCESS: Final = (JobState.FAILED, JobState.CANCELLED)


def remove_some(factory: sessionmaker[Session], storage: Storage, after: int = 0) -> int | None:
    """Remove the next files of deleted projects.

    What cannot be removed stays noted, and keeps nothing else waiting.

    Args:
        factory: Of sessions.
        storage: Where they are.
        after: Id of the item where the last call ended: what failed there has its turn once the
            others had theirs.

    Returns:
        Id of the last item that was looked at; ``None`` if there was none after ``after``.
    """
    with factory.begin() as session:
        now = datetime.now(UTC)
        items = session.scalars(
            select(RemovalItem)
            .where(
                RemovalItem.id > after,
                or_(RemovalItem.removed_at.is_(None), RemovalItem.removed_at < now - _ONCE_MORE),
            )
            .order_by(RemovalItem.id)
            .limit(_AT_ONCE)
            .with_for_update(skip_locked=True)
        ).all()
        if not items:
            return None
        last = items[-1].id
        for removal_id in sorted({item.removal_id for item in items}):
            own = [item for item in items if item.removal_id == removal_id]
            freed, removed = _remove(session, storage, own)
            _note(session, removal_id, removed, freed, now)
        return last


def _remove(
    session: Session, storage: Storage, items: Iterable[RemovalItem]
) -> tuple[Freed, list[RemovalItem]]:
    """Remove what can be removed, and tell which that was."""
    images = {item.content_hash: item for item in items if item.content_hash is not None}
    removed = []
    failed: list[Exception] = []
    freed = Freed()
    for item in items:
        if item.path is not None:
            try:
                freed += storage.remove_path(item.path)
            except (OSError, DomainError) as error:
                failed.append(error)
            else:
                removed.append(item)
    unheld = _unheld(session, images)
    removed += [item for digest, item in images.items() if digest not in unheld]
    more, stay = storage.remove_images(unheld)
    freed += more
    failed += stay.values()
    removed += [images[one] for one in unheld if one not in stay]
    if failed:
        logger.warning("%s files of deleted projects stay for now: %s", len(failed), failed[0])
    return freed, removed


def _note(
    session: Session, removal_id: int, items: Iterable[RemovalItem], freed: Freed, now: datetime
) -> None:
    first = [item.id for item in items if item.removed_at is None]
    again = [item.id for item in items if item.removed_at is not None]
    if first:
        session.execute(
            update(RemovalItem).where(among(RemovalItem.id, first)).values(removed_at=now)
        )
    if again:
        session.execute(delete(RemovalItem).where(among(RemovalItem.id, again)))
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
) -> tuple[Freed, dict[bytes, Exception]]:
    """Remove those images that no project holds, and tell which of them cannot be removed.

    The lock stays until the transaction of ``session`` ends: end it soon, imports wait for it.

    Args:
        session: In a transaction that has not looked at examples yet.
        storage: Where they are.
        digests: SHA-256 of each, 32 bytes.
        patience: How long to wait for imports that are adding rows.

    Raises:
        OperationalError: Somebody has held the lock for longer; nothing was removed.
    """
    return storage.remove_images(_unheld(session, digests, patience))


def _unheld(session: Session, digests: Collection[bytes], patience: str = "5s") -> list[bytes]:
    """Those that no project holds, until the transaction ends; see ``remove_images``."""
    if not digests:
        return []
    session.execute(select(func.set_config("lock_timeout", patience, True)))
    for statement in begin_removing():
        session.execute(statement)
    # A statement of its own: it sees all that was committed before we had the lock.
    held = held_images(session, digests)
    return [one for one in digests if one not in held]


def held_images(session: Session | Connection, digests: Collection[bytes]) -> set[bytes]:
    """Those of ``digests`` that an image of some project has."""
    # By project, too: the index begins with it.
    projects = session.scalars(select(Project.id)).all()
    return set(
        session.scalars(
            select(Example.content_hash).where(
                Example.project_id.in_(projects), among(Example.content_hash, digests)
            )
        )
    )


def expire_uploads(factory: sessionmaker[Session], storage: Storage, days: float) -> Freed:
    """Remove uploads of imports that ended without success ``days`` ago, and that no job needs.

    Until then a failed or cancelled import can be retried, and needs them. A plan and what is
    started from it have one upload: it goes when none of them needs it.
    """
    now = datetime.now(UTC)
    freed = Freed()
    for path in _older(storage.root / "uploads", now - min(_LOST_UPLOAD, timedelta(days=days))):
        try:
            with factory.begin() as session:
                jobs = _jobs_of(session, path.name)
                if all(_is_done_with(job, now - timedelta(days=days)) for job in jobs):
                    freed += storage.remove_path(f"uploads/{path.name}")
                    for job in jobs:
                        freed += storage.remove_path(f"work/{job.id}")
        except OSError as error:
            logger.warning("the upload %s stays for now: %s", path.name, error)
    return freed


def expire_work(factory: sessionmaker[Session], storage: Storage, days: float) -> Freed:
    """Remove the unfinished work of jobs that ended without success ``days`` ago.

    Whoever retries one has it begin anew, but for what it has published, which needs nothing of it.
    """
    since = datetime.now(UTC) - timedelta(days=days)
    freed = Freed()
    for path in _older(storage.root / "work", since):
        if not path.name.isdigit():
            # Of no job, such as what a look at a place that is followed has read.
            continue
        try:
            with factory.begin() as session:
                # Whoever retries it waits, or was faster.
                job = session.get(Job, int(path.name), with_for_update=True)
                if job is None or not _ended_before(job, since):
                    continue
                freed += storage.remove_path(f"work/{job.id}")
                forget(job)
        except OSError as error:
            logger.warning("the unfinished work in %s stays for now: %s", path, error)
    return freed


def upload_name() -> ColumnElement[str | None]:
    """Of a ``Job`` the name of its upload, whatever its kind; NULL of one that has none."""
    name: ColumnElement[str | None] = Job.params["upload"].astext
    return name


def _jobs_of(session: Session, upload: str) -> Sequence[Job]:
    """The jobs of an upload, locked: whoever retries one waits, and is told that it is gone."""
    jobs = select(Job).where(upload_name() == upload).order_by(Job.id)
    session.scalars(jobs.with_for_update()).all()
    # Again: while we waited for a plan's lock, an import may have been started from it.
    return session.scalars(jobs.execution_options(populate_existing=True)).all()


def _is_done_with(job: Job, since: datetime) -> bool:
    """Whether a job will not need its upload any more."""
    if job.dry_run:
        # One without an answer waits for it, and ``workers.imports.expiry`` says how long.
        return ImportParams.of(job).answer is not None
    if job.state is JobState.SUCCEEDED:
        return True
    if job.kind is not JobKind.IMPORT_POOL:
        # What was asked with a file is asked with it once more sooner than retried.
        return job.state in _WITHOUT_SUCCESS
    return _ended_before(job, since)


def _ended_before(job: Job, since: datetime) -> bool:
    """Whether a job ended without success before ``since``, and nobody has retried it."""
    ended = job.state in _WITHOUT_SUCCESS
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
