"""Running one job: claim it, keep it alive, resume it, end it in a legal state."""

import logging
import os
import socket
import threading
import traceback
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol

from sqlalchemy import func, select, text, update
from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError
from sqlalchemy.orm import Session, sessionmaker

from core import disk, events, logs, queue, tracing
from core.db import sync_engine, sync_sessions
from core.errors import DomainError
from core.lifecycle import claim_job, finish_job, give_back_job
from core.messages import JobMessage
from core.settings import Settings, settings
from core.states import JobState
from core.storage import Storage
from core.tables import DRY_RUN, Job
from models.errors import Cancelled, ModelError
from workers.eta import Eta
from workers.fairness import excluded, in_the_way, is_claimable, note_wait, own_job
from workers.joblog import JobLog

logger = logging.getLogger(__name__)


class Lost(Exception):
    """The job now belongs to another worker; this one must not write any more."""


class NoRoom(Cancelled):
    """There is too little room on the disk; the job goes on when there is more."""


class SteppedAside(Cancelled):
    """The job goes back into its queue for a while, so that its worker can do something else."""

    def __init__(self, reason: str) -> None:
        """Say for whom.

        Args:
            reason: What goes first, for the log of the job: "a round".
        """
        super().__init__(reason)
        self.reason = reason


class Handler(Protocol):
    """What a task module offers."""

    def run(self, context: "JobContext") -> dict[str, Any]:
        """Do the work; returns the job's result."""
        ...

    def failed(self, session: Session, job: Job) -> None:
        """Put the job's objects into a state from which it can be retried."""
        ...


@lru_cache
def sessions() -> sessionmaker[Session]:
    """Session factory of this worker process."""
    engine = sync_engine(settings())
    tracing.watch(engine)
    return sync_sessions(engine)


class JobContext:
    """What a handler works with: a claimed job, its progress, and fenced transactions."""

    def __init__(self, job: Job, settings_: Settings, silent_since: datetime | None = None) -> None:
        """Take a claimed job.

        Args:
            job: The job.
            settings_: Of this process.
            silent_since: When the worker that had the job, and has left it, was last heard of.
        """
        assert job.project_id is not None
        self.silent_since = silent_since
        self.job_id = job.id
        self.project_id = job.project_id
        self.parent_id = job.parent_id
        self.attempt = job.attempt
        self.dry_run = job.dry_run
        self.params = {name: value for name, value in job.params.items() if name != DRY_RUN}
        self.checkpoint = dict(job.checkpoint)
        self.settings = settings_
        self.storage = Storage.of(settings_)
        self.sessions = sessions()
        self.log = JobLog(self.storage.job_log(self.project_id, self.job_id), self.attempt)
        self._eta = Eta()
        self._progress: dict[str, Any] | None = None
        self._stop = threading.Event()
        self._cancelled = threading.Event()
        # By then: the worker before may have died without seeing it.
        self.cancel_requested = job.cancel_requested
        self._lost = threading.Event()

    @property
    def work(self) -> Path:
        """Directory for unfinished work of this job."""
        return self.storage.work(self.job_id)

    # Phases and progress

    def plan(
        self,
        phases: Sequence[str],
        expected: Mapping[str, float] | None = None,
        work: Mapping[str, float] | None = None,
    ) -> None:
        """Announce the phases, and what is known of how long they take: see ``Eta``."""
        self._eta = Eta(phases, expected, work)

    @property
    def seconds(self) -> dict[str, float]:
        """Seconds of each finished phase."""
        return dict(self.checkpoint.get("seconds", {}))

    def done(self, phase: str) -> bool:
        """Whether ``phase`` was finished, now or before a restart."""
        return phase in self.checkpoint.get("seconds", {})

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Run one phase; when it ends, it is checkpointed and will not be repeated."""
        self._eta.begin()
        self.progress(0, 0, name)
        self.log.write(f"{name} begins")
        self.beat()
        yield
        self.check()
        if not self.done(name):
            with self.transaction() as (_, job):
                self.finish_phase(job, name)
        self.log.write(f"{name} ends after {self.seconds[name]:g} s")

    def forget(self, phases: Collection[str]) -> None:
        """Have phases repeated that are done."""
        kept = {name: seconds for name, seconds in self.seconds.items() if name not in phases}
        with self.transaction() as (_, job):
            self.checkpoint = job.checkpoint = {**self.checkpoint, "seconds": kept}

    def finish_phase(self, job: Job, name: str) -> None:
        """Checkpoint a phase in the caller's transaction, with what the phase itself wrote."""
        elapsed = round(self._eta.elapsed, 3)
        self.checkpoint = {**self.checkpoint, "seconds": {**self.seconds, name: elapsed}}
        job.checkpoint = self.checkpoint

    def progress(self, step: int, steps: int, phase: str | None = None) -> None:
        """Note where the job is; may raise ``Cancelled`` or ``Lost``."""
        self.check()
        name = phase or (self._progress or {})["phase"]
        left = self._eta.left(name, step, steps)
        eta = None if left is None else round(left, 1)
        self._progress = {
            "phase": name,
            "phase_index": self._eta.phases.index(name),
            "phases": self._eta.phases,
            "step": step,
            "steps": steps,
            "eta_seconds": eta,
            "seconds": self.seconds,
        }
        if steps > 0:
            rest = "" if eta is None else f", about {eta:.0f} s left"
            self.log.progress(f"{name}: {step} of {steps}{rest}")

    def check(self) -> None:
        """Raise if the job was cancelled or taken over."""
        if self._lost.is_set():
            raise Lost
        if self._cancelled.is_set():
            raise Cancelled
        if disk.room(self.settings).state != "ok":
            raise NoRoom

    # Fenced writes

    @contextmanager
    def transaction(self) -> Iterator[tuple[Session, Job]]:
        """A transaction with the job's row locked, refused if another worker has the job."""
        with self.sessions() as session:
            with session.begin():
                job = session.get(Job, self.job_id, with_for_update={"key_share": True})
                if job is None or job.attempt != self.attempt or job.state is not JobState.RUNNING:
                    raise Lost
                job.heartbeat_at = func.clock_timestamp()
                yield session, job
            queue.deliver(session.info)

    def save(self, changes: dict[str, Any]) -> None:
        """Add ``changes`` to the job's checkpoint."""
        self.checkpoint = {**self.checkpoint, **changes}
        with self.transaction() as (_, job):
            job.checkpoint = self.checkpoint

    # Heartbeat

    def beat(self) -> None:
        """Say that the job is alive, store its progress, and read what was asked of it."""
        progress = self._progress
        with self.sessions.begin() as session:
            row = session.execute(
                update(Job)
                .where(
                    Job.id == self.job_id,
                    Job.attempt == self.attempt,
                    Job.state == JobState.RUNNING,
                )
                .values(heartbeat_at=func.clock_timestamp(), progress=progress)
                .returning(Job.cancel_requested)
            ).one_or_none()
            if row is None:
                self._lost.set()
                return
            session.execute(
                events.notify(
                    self.project_id, events.Topic.JOB, {"id": self.job_id, "progress": progress}
                )
            )
        if row.cancel_requested:
            self.cancel()

    def cancel(self) -> None:
        """Stop the job at its next check."""
        if not self._cancelled.is_set():
            self._cancelled.set()
            self.log.write("cancel was asked for")

    @contextmanager
    def alive(self) -> Iterator[None]:
        """Beat in the background."""
        thread = threading.Thread(target=self._beat_until_stopped, daemon=True)
        thread.start()
        try:
            yield
        finally:
            self._stop.set()
            thread.join()

    def _beat_until_stopped(self) -> None:
        while not self._stop.wait(self.settings.heartbeat_seconds):
            try:
                self.beat()
            except DBAPIError as error:
                logger.warning("heartbeat of job %s failed: %s", self.job_id, error)


def run_job(
    message: JobMessage,
    handler: Handler,
    pick: Callable[[Session, int], Job | None] = own_job,
) -> None:
    """Run the job of ``message``, unless it is done, or alive elsewhere.

    Args:
        message: It carries the job's id.
        handler: Does the work.
        pick: Which job to run when the message of the job of an id has arrived; it locks the row.
    """
    # A part that a round's worker takes itself is within the span of the round.
    outermost = logs.job_id.get() is None
    if outermost:
        tracing.note_job(message.job_id)
    known = logs.job_id.set(message.job_id)
    try:
        context = _claim(message.job_id, pick)
        if context is None:
            return
        logs.job_id.set(context.job_id)
        if outermost:
            tracing.note_job(context.job_id)
        _run(context, handler)
    finally:
        logs.job_id.reset(known)


def _run(context: JobContext, handler: Handler) -> None:
    logger.info("job %s attempt %s started", context.job_id, context.attempt)
    if context.silent_since is not None:
        heard = context.silent_since.astimezone(UTC).strftime("%H:%M:%S UTC")
        context.log.write(f"the worker of the attempt before was last heard of at {heard}")
    context.log.write(_beginning(context))
    if context.cancel_requested:
        context.cancel()
    try:
        with context.alive():
            result = handler.run(context)
        for note in result.get("notes", ()):
            context.log.write(note)
        _end(context, handler, JobState.SUCCEEDED, result=result)
    except Lost:
        logger.warning("job %s was taken over by another worker", context.job_id)
        context.log.write("stops: another worker has the job")
    except SteppedAside as aside:
        _give_back(context, aside.reason)
    except NoRoom:
        _wait_for_room(context)
    except Cancelled:
        _end(context, handler, JobState.CANCELLED, message="Cancelled.")
    except (OperationalError, InterfaceError) as error:
        if disk.is_full(error) and _wait_for_room(context):
            return
        # The database went away: the silent heartbeat lets the sweeper start the job again.
        logger.warning("job %s lost the database: %s", context.job_id, error)
        context.log.write("stops: the database went away; the job starts again by itself")
    except (DomainError, ModelError) as error:
        code = getattr(error, "code", "model_error")
        _end(context, handler, JobState.FAILED, error={"code": code, "detail": str(error)})
    except Exception as error:
        # What the libraries raise on a full disk says nothing of it.
        if disk.is_full(error) or disk.room(context.settings).state == "full":
            _wait_for_room(context)
            return
        logger.exception("job %s failed", context.job_id)
        context.log.traceback(error)
        last = traceback.format_exception_only(error)[-1].strip()
        _end(context, handler, JobState.FAILED, error={"code": "internal", "detail": last})


def _beginning(context: JobContext) -> str:
    what = "begins, a dry run" if context.dry_run else "begins"
    done = ", ".join(context.seconds)
    return f"{what}; done before: {done}" if done else what


def _claim(job_id: int, pick: Callable[[Session, int], Job | None]) -> JobContext | None:
    with sessions().begin() as session:
        job = pick(session, job_id)
        if job is None or not is_claimable(session, job):
            return None
        if not job.cancel_requested and disk.room(settings()).state != "ok":
            if job.state is JobState.QUEUED:
                job.message = _NO_ROOM
            return None
        session.execute(text("SELECT pg_advisory_xact_lock(:id)"), {"id": job.project_id})
        before = None if job.parent_id else session.scalar(in_the_way(job).limit(1))
        if before is not None:
            note_wait(job, before)
            return None
        left = job.heartbeat_at if job.state is JobState.RUNNING else None
        job.message = None
        claim_job(job, f"{socket.gethostname()}:{os.getpid()}")
        return JobContext(job, settings(), left)


def is_blocked(job: Job) -> bool:
    """Whether a queued job could not begin when a worker took its message.

    Another was in the way, or there was no room on the disk.
    """
    return job.state is JobState.QUEUED and job.message is not None


def may_begin(session: Session, job: Job) -> bool:
    """Whether nothing keeps a blocked ``job`` any more."""
    if session.scalar(in_the_way(job).limit(1)) is not None:
        return False
    return disk.room(settings()).state == "ok"


def _let_others_in(session: Session, ended: Job) -> None:
    """Send what waited for a job that has ended."""
    blocked = (
        select(Job)
        .where(excluded(ended), Job.state == JobState.QUEUED, Job.message.is_not(None))
        .order_by(Job.id)
        # One that a worker looks at right now is left to the sweeper.
        .with_for_update(key_share=True, skip_locked=True)
    )
    for job in session.scalars(blocked).all():
        job.sent_at, job.message = datetime.now(UTC), None
        queue.enqueue(session.info, job)


_NO_ROOM = "Waits for room on the disk, and goes on by itself: an admin has to make some."


def _wait_for_room(context: JobContext) -> bool:
    """Queue the job again; the sweep sends it when there is room. Whether that could be stored."""
    context.log.write("waits: there is too little room on the disk")
    try:
        with context.transaction() as (session, job):
            give_back_job(job)
            job.message = _NO_ROOM
            data = {"id": job.id, "state": job.state}
            session.execute(events.notify(context.project_id, events.Topic.JOB, data))
    except Lost:
        logger.warning("job %s goes on elsewhere", context.job_id)
        return False
    except (OperationalError, InterfaceError) as error:
        # Not even for that: its silent heartbeat lets the sweeper find it later.
        logger.warning("job %s waits for room: %s", context.job_id, error)
        return False
    logger.warning("job %s waits for room on the disk", context.job_id)
    return True


def _give_back(context: JobContext, reason: str) -> None:
    try:
        with context.transaction() as (session, job):
            give_back_job(job)
            queue.enqueue(session.info, job)
            session.execute(
                events.notify(
                    context.project_id, events.Topic.JOB, {"id": job.id, "state": job.state}
                )
            )
    except Lost:
        logger.warning("job %s goes on elsewhere", context.job_id)
        return
    logger.info("job %s steps aside", context.job_id)
    context.log.write(f"steps aside for {reason}, and goes on after it")


def _end(
    context: JobContext,
    handler: Handler,
    state: JobState,
    *,
    result: dict[str, Any] | None = None,
    error: dict[str, Any] | None = None,
    message: str | None = None,
) -> None:
    try:
        with context.transaction() as (session, job):
            finish_job(job, state, result=result, error=error, message=message)
            job.progress = None if state is JobState.SUCCEEDED else job.progress
            if state is not JobState.SUCCEEDED:
                handler.failed(session, job)
            _let_others_in(session, job)
            session.execute(
                events.notify(
                    context.project_id, events.Topic.JOB, {"id": job.id, "state": job.state}
                )
            )
    except Lost:
        logger.warning("job %s ended elsewhere", context.job_id)
        return
    logger.info("job %s %s", context.job_id, state)
    context.log.write(f"{state}: {error['code']}: {error['detail']}" if error else str(state))
