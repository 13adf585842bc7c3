"""Which job a worker takes up, and which have to wait."""

import hashlib
import json
import os
import socket
from datetime import UTC, datetime, timedelta
from typing import Final

from sqlalchemy import select, text
from sqlalchemy.orm import Session

from core.files import disk
from core.jobs import queue
from core.jobs.messages import RunJob
from core.lifecycle import claim_job, give_back_job
from core.settings import settings
from core.states import JobKind, JobState
from core.tables import Job
from workers.jobs.context import DEATHS, JobContext, sessions
from workers.jobs.fairness import (
    excluded,
    in_the_way,
    is_claimable,
    next_import,
    note_wait,
    own_job,
)

NO_ROOM: Final = "Waits for room on the disk, and goes on by itself: an admin has to make some."
"""Message of a job that begins when there is room."""
BUCKET_AWAY: Final = (
    "Waits for the bucket, which cannot be reached, and goes on by itself. The operator finds out "
    "why with karat doctor."
)
"""Message of a job that begins when it is time to try again."""
_AWAY_SINCE: Final = "away"
"""Name in the checkpoint of since when a job waits for a bucket, and at which point."""
# As long as it has waited already, but no longer than this.
_LONGEST_PAUSE: Final = timedelta(minutes=5)
_MOST_AWAY: Final = timedelta(days=1)


def claim(message: RunJob) -> JobContext | None:
    """Take the job of ``message``, unless it is done, alive elsewhere or has to wait.

    The message of an import says no more than that there is one to do: it is the one whose turn it
    is.
    """
    pick = next_import if message.kind is JobKind.IMPORT_POOL else own_job
    with sessions().begin() as session:
        job = pick(session, message.job_id)
        if job is None or not is_claimable(session, job):
            return None
        if message.opening and not job.is_opening:
            # It was handed on since, with a message of its own.
            return None
        if not job.cancel_requested and disk.room(settings()).state != "ok":
            if job.state is JobState.QUEUED:
                job.message = NO_ROOM
            return None
        session.execute(text("SELECT pg_advisory_xact_lock(:id)"), {"id": job.project_id})
        before = None if job.parent_id else session.scalar(in_the_way(job).limit(1))
        if before is not None:
            note_wait(job, before)
            return None
        left = job.heartbeat_at if job.state is JobState.RUNNING else None
        job.message = None
        _count_deaths(job)
        claim_job(job, f"{socket.gethostname()}:{os.getpid()}")
        return JobContext(job, settings(), left, opening=message.opening)


def _count_deaths(job: Job) -> None:
    """Note how many workers have ended at the same point of a job, one after the other."""
    kept = {name: value for name, value in job.checkpoint.items() if name != DEATHS}
    if job.state is JobState.RUNNING:
        at, known = _point(job), job.checkpoint.get(DEATHS, {})
        count = known["count"] + 1 if known.get("at") == at else 1
        kept[DEATHS] = {"at": at, "count": count}
    if kept != job.checkpoint:
        job.checkpoint = kept


def _point(job: Job) -> list[str | int | None]:
    """Where a job is: another once it has got any further."""
    now = job.progress or {}
    # What was finished since the last heartbeat is in the checkpoint alone.
    kept = {name: one for name, one in job.checkpoint.items() if name not in {DEATHS, _AWAY_SINCE}}
    done = hashlib.sha256(json.dumps(kept, sort_keys=True).encode()).hexdigest()
    return [now.get("phase"), now.get("step"), done]


def wait_for_bucket(job: Job) -> bool:
    """Queue a running job again that could not reach a bucket; the sweep sends it after a pause.

    Returns:
        Whether it waits. It does not where somebody waits for its answer, nor after a day at one
        point.
    """
    if job.dry_run or job.kind.is_passing or job.parent_id is not None:
        return False
    now = datetime.now(UTC)
    # Whoever retries it waits for another day.
    at, known = [*_point(job), str(job.started_at)], job.checkpoint.get(_AWAY_SINCE, {})
    since = known["since"] if known.get("at") == at else now.isoformat()
    if now - datetime.fromisoformat(since) > _MOST_AWAY:
        return False
    job.checkpoint = {**job.checkpoint, _AWAY_SINCE: {"at": at, "since": since}}
    give_back_job(job)
    job.message = BUCKET_AWAY
    return True


def is_blocked(job: Job) -> bool:
    """Whether a queued job could not begin when a worker took its message.

    Another was in the way, or there was no room on the disk, or no bucket.
    """
    return job.state is JobState.QUEUED and job.message is not None


def may_begin(session: Session, job: Job, now: datetime) -> bool:
    """Whether nothing keeps a blocked ``job`` any more, ``now`` by the database's clock."""
    if session.scalar(in_the_way(job).limit(1)) is not None:
        return False
    # Not where it begins anew meanwhile, as of another size.
    since = job.checkpoint.get(_AWAY_SINCE, {}).get("since")
    if job.message == BUCKET_AWAY and job.sent_at is not None and since is not None:
        waited = job.sent_at - datetime.fromisoformat(since)
        if now - job.sent_at < min(waited, _LONGEST_PAUSE):
            return False
    return disk.room(settings()).state == "ok"


def let_others_in(session: Session, ended: Job) -> None:
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
