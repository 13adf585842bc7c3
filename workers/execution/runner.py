"""Running one job: claim it, keep it alive, resume it, end it in a legal state."""

import logging
from datetime import UTC
from typing import Any, Final

from sqlalchemy.exc import InterfaceError, OperationalError
from sqlalchemy.orm import Session

from core import events
from core.errors import Conflict, DomainError
from core.files import disk
from core.files.buckets import LOCATION_UNAVAILABLE
from core.jobs import queue
from core.jobs.messages import RunJob
from core.jobs.pauses import Pause
from core.lifecycle import finish_job, give_back_job, pause_job
from core.process.version import build
from core.states import JobState
from core.tables import HANDED_ON, Job
from core.telemetry import logs, tracing
from models.catalog.faults import InvalidParams
from models.errors import Cancelled, ExamplesLost, ModelError
from workers.execution.claiming import NO_ROOM, claim, let_others_in, wait_for_bucket
from workers.execution.handlers import WORK_VERSIONS, Handler, PutsRight, handler_of
from workers.jobs.context import (
    WORK_VERSION,
    HandedOn,
    JobContext,
    Lost,
    NoRoom,
    Paused,
    SteppedAside,
    is_published,
)
from workers.jobs.log import said_of

logger = logging.getLogger(__name__)

MOST_DEATHS: Final = 6
"""So many workers in a row that end where a job is have ended for it: it does not begin again."""

_DIED: Final = (
    f"{MOST_DEATHS} workers in a row have ended at the same point of this job, as they do where "
    "the machine runs out of memory. Give them more memory, or choose a smaller network or smaller "
    "images; then try again."
)


def run_job(message: RunJob, handler: Handler | None = None) -> None:
    """Run the job of ``message``, unless it is done, or alive elsewhere.

    Args:
        message: Of the job, or of another import than the one that is next.
        handler: Does the work; the one for the kind if left out.
    """
    handler = handler or handler_of(message.kind)
    # A part that a round's worker takes itself is within the span of the round.
    outermost = logs.job_id.get() is None
    if outermost:
        tracing.note_job(message.job_id, message.kind)
    known = logs.job_id.set(message.job_id)
    try:
        context = claim(message)
        if context is None:
            return
        logs.job_id.set(context.job_id)
        if outermost:
            tracing.note_job(context.job_id, message.kind)
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
        if context.deaths >= MOST_DEATHS and not context.cancel_requested:
            raise Conflict("workers_died", _DIED)
        with context.alive():
            result = _worked(context, handler)
        for note in result.get("notes", ()):
            context.log.write(note)
        _end(context, handler, JobState.SUCCEEDED, result=result)
    except Lost:
        logger.warning("job %s was taken over by another worker", context.job_id)
        context.log.write("stops: another worker has the job")
    except SteppedAside as aside:
        _give_back(context, f"steps aside for {aside.reason}, and goes on after it")
    except HandedOn:
        _give_back(context, "hands the rest on to a worker that trains", handed_on=True)
    except Paused as paused:
        _pause(context, handler, paused.pause)
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
        if code == LOCATION_UNAVAILABLE and _wait_for_bucket(context):
            return
        detail = str(error)
        if isinstance(error, InvalidParams) and (other := error.of_other_version) is not None:
            code, detail = "worker_outdated", other
        _end(context, handler, JobState.FAILED, error={"code": code, "detail": detail})
    except Exception as error:
        # What the libraries raise on a full disk says nothing of it.
        if disk.is_full(error) or disk.room(context.settings).state == "full":
            _wait_for_room(context)
            return
        logger.exception("job %s failed", context.job_id)
        context.log.traceback(error)
        told = {"code": "internal", "detail": said_of(error)}
        _end(context, handler, JobState.FAILED, error=told)


def _worked(context: JobContext, handler: Handler) -> dict[str, Any]:
    """The job's result, once its files are seen to."""
    # As with handlers: what reads images is imported where jobs run.
    from workers.execution.mending import mend, why_lost

    _begin_anew_if_other(context)
    # A first queue is drawn of rows alone, and nobody waits for files until it is.
    unmended = None if context.opening else mend(context)
    try:
        return handler.run(context)
    except ExamplesLost as lost:
        if reason := unmended or why_lost(context):
            raise reason from lost
        raise


def _begin_anew_if_other(context: JobContext) -> None:
    """Have all done again of what an earlier version has left that means something else by now.

    What is published is not published twice: such a job only has to notice that it is done.
    """
    version = WORK_VERSIONS.get(context.kind, 1)
    begun_with = context.checkpoint.get(WORK_VERSION, 1)
    if begun_with == version or is_published(context.checkpoint):
        return
    if context.attempt > 1:
        context.start_over("an earlier version of Karat has begun it")
    context.save({WORK_VERSION: version})


def _beginning(context: JobContext) -> str:
    what = "begins, a dry run" if context.dry_run else "begins"
    done = ", ".join(context.seconds)
    return f"{what}, by Karat {build()}" + (f"; done before: {done}" if done else "")


def _wait_for_room(context: JobContext) -> bool:
    """Queue the job again; the sweep sends it when there is room. Whether that could be stored."""
    context.log.write("waits: there is too little room on the disk")
    try:
        with context.transaction() as (session, job):
            give_back_job(job)
            job.message = NO_ROOM
            _tell(session, context, job)
    except Lost:
        logger.warning("job %s goes on elsewhere", context.job_id)
        return False
    except (OperationalError, InterfaceError) as error:
        # Not even for that: its silent heartbeat lets the sweeper find it later.
        logger.warning("job %s waits for room: %s", context.job_id, error)
        return False
    logger.warning("job %s waits for room on the disk", context.job_id)
    return True


def _wait_for_bucket(context: JobContext) -> bool:
    """Queue the job again; the sweep sends it when it is time. False if it is to end."""
    try:
        with context.transaction() as (session, job):
            waits = not job.cancel_requested and wait_for_bucket(job)
            if waits:
                _tell(session, context, job)
    except Lost:
        logger.warning("job %s goes on elsewhere", context.job_id)
        return True
    if waits:
        logger.warning("job %s waits for the bucket", context.job_id)
        context.log.write("waits: the bucket cannot be reached")
    return waits


def _give_back(context: JobContext, said: str, *, handed_on: bool = False) -> None:
    try:
        with context.transaction() as (session, job):
            if handed_on:
                job.checkpoint = {**job.checkpoint, HANDED_ON: True}
            give_back_job(job)
            queue.enqueue(session.info, job)
            _tell(session, context, job)
    except Lost:
        logger.warning("job %s goes on elsewhere", context.job_id)
        return
    logger.info("job %s is queued again", context.job_id)
    context.log.write(said)


def _pause(context: JobContext, handler: Handler, pause: Pause) -> None:
    try:
        with context.transaction() as (session, job):
            cancelled = job.cancel_requested
            if not cancelled:
                pause_job(job, pause.to_json())
                let_others_in(session, job)
                _tell(session, context, job)
    except Lost:
        logger.warning("job %s goes on elsewhere", context.job_id)
        return
    if cancelled:
        _end(context, handler, JobState.CANCELLED, message="Cancelled.")
        return
    logger.info("job %s is paused", context.job_id)
    context.log.write(
        f"pauses: {pause.reason}, {pause.spent:.4f} of {pause.cap:.4f} spent, "
        f"{pause.done:,} of {pause.of:,} {pause.what} done"
    )


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
            if state is not JobState.SUCCEEDED and isinstance(handler, PutsRight):
                handler.failed(session, job)
            let_others_in(session, job)
            _tell(session, context, job)
    except Lost:
        logger.warning("job %s ended elsewhere", context.job_id)
        return
    logger.info("job %s %s", context.job_id, state)
    context.log.write(f"{state}: {error['code']}: {error['detail']}" if error else str(state))


def _tell(session: Session, context: JobContext, job: Job) -> None:
    """Tell pages of the state of the job, when that is stored."""
    data = {"id": job.id, "state": job.state}
    session.execute(events.notify(context.project_id, events.Topic.JOB, data))
