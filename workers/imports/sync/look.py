"""Looking at a place that a pool follows: what is new is imported, what else is said."""

import logging
import sqlite3
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from sqlalchemy import func, select, update
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session, sessionmaker

from core import events
from core.database.engines import database_time
from core.errors import DomainError
from core.files import disk
from core.files.buckets import LOCATION_UNAVAILABLE, Buckets
from core.jobs import queue
from core.jobs.imports import ImportParams
from core.lifecycle import new_job
from core.settings import Settings
from core.settings.locations import require_allowed
from core.states import JobKind, JobState
from core.tables import Job, Sync
from workers.imports.bucket import Bucket, Listing
from workers.imports.sync.compare import LISTING, Compared, Followed
from workers.imports.sync.due import is_due

logger = logging.getLogger(__name__)

_BEAT_SECONDS: Final = 10.0
# Of SQLite's machine, between two looks at the clock.
_STEPS: Final = 100_000
_UNDONE: Final = (JobState.FAILED, JobState.CANCELLED)


class _Left(Exception):
    """The place is followed no more, or another worker looks at it."""


@dataclass(frozen=True)
class _Begun:
    """A look that has begun: whether by hand, and when it was due, which is later if asked anew."""

    followed: Followed
    params: ImportParams
    asked: bool
    due_at: datetime | None


def look(sync_id: int, sessions: sessionmaker[Session], settings: Settings) -> None:
    """Look at the place once, unless it is not due, and have what is new imported.

    What cannot be looked at is noted with the reason; what was found before stays as it is.

    Args:
        sync_id: Of the row.
        sessions: Of this process.
        settings: Of this process.
    """
    if disk.room(settings).state != "ok":
        return
    begun = _begin(sync_id, sessions)
    if begun is None:
        return
    heart = _Heart(sync_id, sessions)
    try:
        require_allowed(begun.followed.location, settings.import_places, "location")
        with _listed(begun.followed, sessions, settings, heart) as (index, compared):
            _finish(begun, sessions, index, compared)
    except DomainError as error:
        logger.warning("sync %s: %s", sync_id, error.code)
        _fail(begun, sessions, error)
    except _Left:
        logger.info("sync %s is given up", sync_id)
    except OperationalError:
        # The database: nothing can be noted, and it is begun anew by itself.
        raise
    except Exception as error:
        # Such as a disk that is full: said, and not begun anew with each sweep.
        logger.exception("sync %s failed", sync_id)
        _fail(begun, sessions, _failed(error))


def _failed(error: Exception) -> DomainError:
    return DomainError(
        "sync_failed",
        f"The worker failed while it looked at the place ({type(error).__name__}). Its log says "
        "why, and karat doctor whether the disk is full. It is tried again when it is due.",
    )


def _begin(sync_id: int, sessions: sessionmaker[Session]) -> _Begun | None:
    statement = select(Sync).where(Sync.id == sync_id, is_due())
    with sessions.begin() as session:
        sync = session.scalar(statement.with_for_update(skip_locked=True, key_share=True))
        if sync is None:
            return None
        sync.looking_at = func.clock_timestamp()
        params = ImportParams.model_validate(sync.params)
        followed = Followed.of(sync.id, sync.project_id, params)
        return _Begun(followed, params, sync.asked, sync.due_at)


class _Heart:
    """Says now and then that somebody looks."""

    def __init__(self, sync_id: int, sessions: sessionmaker[Session]) -> None:
        self._sync_id, self._sessions = sync_id, sessions
        self._beat = time.monotonic()

    def check(self) -> None:
        if time.monotonic() - self._beat < _BEAT_SECONDS:
            return
        self._beat = time.monotonic()
        statement = update(Sync).where(Sync.id == self._sync_id)
        with self._sessions.begin() as session:
            alive = statement.values(looking_at=func.clock_timestamp()).returning(Sync.id)
            if session.scalar(alive) is None:
                raise _Left

    def compare(
        self, followed: Followed, sessions: sessionmaker[Session], index: sqlite3.Connection
    ) -> Compared:
        """Compare a listing with the pool: of millions that takes minutes, in which it beats."""
        left: list[_Left] = []

        def check() -> bool:
            try:
                self.check()
            except _Left as error:
                left.append(error)
            return bool(left)

        index.set_progress_handler(check, _STEPS)
        try:
            return followed.compare(sessions, index)
        except sqlite3.OperationalError:
            if left:
                raise left[0] from None
            raise
        finally:
            index.set_progress_handler(None, _STEPS)


@contextmanager
def _listed(
    followed: Followed, sessions: sessionmaker[Session], settings: Settings, heart: _Heart
) -> Iterator[tuple[sqlite3.Connection, Compared]]:
    """The place's listing, compared with the pool."""
    compared: list[Compared] = []
    # In memory a listing of millions might not fit. What a killed worker leaves there is an orphan
    # that karat doctor finds.
    work = settings.data_dir / "work"
    work.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="sync-", dir=work) as name:
        file = Path(name, LISTING)
        bucket = Bucket(Buckets(settings), followed.location)
        listing = Listing(
            bucket,
            file,
            followed.include,
            resumes=False,
            check=heart.check,
            compare=lambda index: compared.append(heart.compare(followed, sessions, index)),
        )
        listing.close()
        with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as index:
            yield index, compared[0]


def _finish(
    begun: _Begun,
    sessions: sessionmaker[Session],
    index: sqlite3.Connection,
    compared: Compared,
) -> None:
    with sessions() as session:
        with session.begin():
            followed = begun.followed
            sync = session.get(Sync, followed.sync_id, with_for_update={"key_share": True})
            if sync is None:
                raise _Left
            followed.note(session, index)
            sync.objects, sync.new = compared.objects, compared.new
            sync.changed, sync.gone = compared.changed, compared.gone
            sync.looked_at = func.clock_timestamp()
            sync.fault = sync.detail = None
            if compared.new and _may_import(session, sync, asked=begun.asked):
                _import(session, sync, begun.params)
            _rest(session, sync, begun)
        queue.deliver(session.info)


def _may_import(session: Session, sync: Sync, *, asked: bool) -> bool:
    """Whether what is new is imported now: one that somebody has ended is not begun anew unasked.

    One that failed can be retried, and would most likely fail again, but where the bucket was away,
    which has just been listed.
    """
    last = session.get(Job, sync.import_id) if sync.import_id is not None else None
    if last is None or last.state is JobState.SUCCEEDED:
        return True
    code = (last.error or {}).get("code")
    was_away = last.state is JobState.FAILED and code == LOCATION_UNAVAILABLE
    return was_away or (last.state in _UNDONE and asked)


def _import(session: Session, sync: Sync, params: ImportParams) -> None:
    job = new_job(
        JobKind.IMPORT_POOL,
        project_id=sync.project_id,
        params=params.model_copy(update={"sync": sync.id}).to_json(),
        created_by=sync.created_by,
    )
    session.add(job)
    session.flush()
    sync.import_id = job.id
    queue.enqueue(session.info, job)


def _fail(begun: _Begun, sessions: sessionmaker[Session], error: DomainError) -> None:
    with sessions.begin() as session:
        sync = session.get(Sync, begun.followed.sync_id, with_for_update={"key_share": True})
        if sync is not None:
            sync.fault, sync.detail = error.code, error.detail
            _rest(session, sync, begun)


def _rest(session: Session, sync: Sync, begun: _Begun) -> None:
    """Nobody looks any more, until it is time again: at once, if it was asked for meanwhile."""
    sync.looking_at = sync.sent_at = None
    if sync.due_at == begun.due_at:
        sync.asked = False
        every = sync.every_minutes
        now = database_time(session)
        sync.due_at = None if every is None else now + timedelta(minutes=every)
    session.execute(events.notify(sync.project_id, events.Topic.JOB, {}))
