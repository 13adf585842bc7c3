"""What a handler works with: a claimed job, its progress, and fenced transactions."""

import logging
import shutil
import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

from sqlalchemy import func, update
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session, sessionmaker

from core import events
from core.database.engines import sync_engine, sync_sessions
from core.files import disk
from core.files.storage import Storage
from core.jobs import queue
from core.jobs.pauses import Pause
from core.settings import Settings, settings
from core.states import JobState
from core.tables import DRY_RUN, Job
from core.telemetry import tracing
from models.errors import Cancelled
from workers.jobs.eta import Eta
from workers.jobs.log import JobLog

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


class HandedOn(Cancelled):
    """What is left of a project's first job waits for a worker that trains."""


class Paused(Exception):
    """The job waits until somebody decides how it goes on."""

    def __init__(self, pause: Pause) -> None:
        """Say how far it is."""
        super().__init__(pause.reason)
        self.pause = pause


DEATHS: Final = "deaths"
"""Name in the checkpoint of how many workers have ended at which point of a job."""
WORK_VERSION: Final = "work_version"
"""Name in the checkpoint of by which rules the unfinished work of a job is made."""
# Phases in which jobs publish; others do so together with their result.
_PUBLISHING: Final = frozenset({"publish", "swap"})


def is_published(checkpoint: Mapping[str, Any]) -> bool:
    """Whether a job has published what it makes, so that it only has to tidy up and to end.

    Args:
        checkpoint: Of the job.
    """
    return "result" in checkpoint or not _PUBLISHING.isdisjoint(checkpoint.get("seconds", {}))


@lru_cache
def sessions() -> sessionmaker[Session]:
    """Session factory of this worker process."""
    engine = sync_engine(settings())
    tracing.watch(engine)
    return sync_sessions(engine)


Task = TypeVar("Task")


@dataclass(frozen=True)
class Phase(Generic[Task]):
    """A part of a job that is done once, however often the job is taken up.

    Attributes:
        name: In the checkpoint, and on pages.
        run: Does it.
        wanted: Whether there is anything to do in it, as far as that is known by now.
    """

    name: str
    run: Callable[[Task], None]
    wanted: Callable[[Task], bool] = lambda _: True


class JobContext:
    """What a handler works with: a claimed job, its progress, and fenced transactions."""

    def __init__(
        self,
        job: Job,
        settings_: Settings,
        silent_since: datetime | None = None,
        *,
        opening: bool = False,
    ) -> None:
        """Take a claimed job.

        Args:
            job: The job.
            settings_: Of this process.
            silent_since: When the worker that had the job, and has left it, was last heard of.
            opening: Whether to go no further than to open a first queue, see ``Job.is_opening``.
        """
        assert job.project_id is not None
        self.opening = opening
        self.silent_since = silent_since
        self.job_id = job.id
        self.kind = job.kind
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
    def deaths(self) -> int:
        """How many workers have ended at the point where the job is, one after the other."""
        return int(self.checkpoint.get(DEATHS, {}).get("count", 0))

    @property
    def work(self) -> Path:
        """Directory for unfinished work of this job."""
        return self.storage.work(self.job_id)

    @property
    def known(self) -> dict[str, Any]:
        """What the first phase has noted, if it does, for whoever resumes the job."""
        known: dict[str, Any] = self.checkpoint["known"]
        return known

    def plan(
        self,
        phases: Sequence[str],
        expected: Mapping[str, float] | None = None,
        work: Mapping[str, float] | None = None,
    ) -> None:
        """Announce the phases, and what is known of how long they take: see ``Eta``."""
        self._eta.plan(phases, expected, work)

    def run(
        self,
        phases: Sequence[Phase[Task]],
        task: Task,
        *,
        expected: Mapping[str, float] | None = None,
        work: Callable[[], Mapping[str, float]] | None = None,
        until: str | None = None,
    ) -> None:
        """Run the phases that come after the last one that is done.

        Args:
            phases: In their order; the first gathers what the others work with.
            task: What they are phases of.
            expected: Seconds that phases take, as they did last time.
            work: What phases amount to beside each other, see ``Eta``; asked when the first is
                done.
            until: Name of a phase that others go on after.

        Raises:
            HandedOn: That phase is done, and others are wanted.
        """
        done = [number for number, phase in enumerate(phases, 1) if self.done(phase.name)]
        # One before that is not done was not wanted then.
        for phase in phases[max(done, default=0) :]:
            names = [one.name for one in phases if self.done(one.name) or one.wanted(task)]
            if phase.name not in names:
                continue
            known = work() if work is not None and self.done(phases[0].name) else None
            self.plan(names, expected, known)
            if until is not None and self.done(until):
                self.progress(0, 0, phase.name)
                self.beat()
                raise HandedOn
            with self.phase(phase.name):
                phase.run(task)

    def finish(self, make: Callable[[], None]) -> dict[str, Any]:
        """Return the ``result`` that ``make`` notes in the checkpoint, unless it is there.

        What is kept beyond the job is noted in the transaction of the result, so that a job which
        is killed keeps it once; its unfinished work is not needed any more then, and removed.
        """
        if "result" not in self.checkpoint:
            make()
        shutil.rmtree(self.work, ignore_errors=True)
        result: dict[str, Any] = self.checkpoint["result"]
        return result

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
        # What a phase has published is done, whatever was asked for meanwhile.
        if not self.done(name):
            self.check()
            with self.transaction() as (_, job):
                self.finish_phase(job, name)
        self.log.write(f"{name} ends after {self.seconds[name]:g} s")

    def forget(self, phases: Collection[str]) -> None:
        """Have phases repeated that are done."""
        kept = {name: seconds for name, seconds in self.seconds.items() if name not in phases}
        if kept == self.seconds:
            return
        with self.transaction() as (_, job):
            self.checkpoint = job.checkpoint = {**self.checkpoint, "seconds": kept}

    def start_over(self, reason: str) -> None:
        """Have everything done again; nothing of what was done before is gone on with.

        Args:
            reason: Why, for the log of the job.
        """
        self.log.write(f"begins anew: {reason}")
        # First the files: killed in between, the job is found as it was, and starts over again.
        shutil.rmtree(self.work, ignore_errors=True)
        with self.transaction() as (_, job):
            kept = {name: one for name, one in self.checkpoint.items() if name == WORK_VERSION}
            self.checkpoint = job.checkpoint = kept

    def finish_phase(self, job: Job, name: str) -> None:
        """Checkpoint a phase in the caller's transaction, with what the phase itself wrote."""
        elapsed = round(self._eta.elapsed, 3)
        self.note(job, {"seconds": {**self.seconds, name: elapsed}})

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

    def note(self, job: Job, changes: dict[str, Any]) -> None:
        """Add ``changes`` to the checkpoint in the caller's transaction."""
        self.checkpoint = job.checkpoint = {**self.checkpoint, **changes}

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
            except SQLAlchemyError as error:
                logger.warning("heartbeat of job %s failed: %s", self.job_id, error)
