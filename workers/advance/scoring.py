"""Scoring a pool, in parts where it is large.

A part is so many images that follow one another among the unlabeled ones. Its scores depend on
nothing but the part, the model and the verdicts, and its files appear by one rename, so that
it makes no difference who scores it, or how often. Where other workers are alive, each part is a
job that any of them may take (``docs/adr/0013-a-pool-is-scored-in-parts.md``).
"""

import json
import math
import os
import shutil
import socket
import time
import uuid
from collections.abc import Collection, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

from sqlalchemy import select
from sqlalchemy.orm import Session

from core import queue
from core.lifecycle import new_job, request_cancel, requeue_job
from core.messages import ScorePart
from core.states import JobKind, JobState
from core.tables import Job, Worker
from models import view_files
from models.errors import Cancelled, ModelError
from models.pool_scores import PoolScores
from models.protocols import Indices, Progress
from models.query import by_row
from workers.advance.phases import Advance
from workers.runner import JobContext, run_job

_PHASE: Final = "score"
_LOOK_SECONDS: Final = 0.2
_ENDED: Final = (JobState.SUCCEEDED, JobState.FAILED, JobState.CANCELLED)


def score(advance: Advance) -> None:
    """One pass over everything unlabeled: purity and informativeness."""
    rows = advance.snapshot.unlabeled
    if advance.selecting is None or len(rows) == 0:
        return
    if not advance.file("model.safetensors").exists():
        return
    count = math.ceil(len(rows) / advance.context.settings.scoring_rows)
    if count > 1 and by_row(advance.query_settings):
        _score_parts(advance, count)
        return
    model = advance.model()
    assert model is not None
    scored = advance.scored(model, rows, advance.context.progress)
    advance.save_view(scored, advance.file("view"))
    advance.note(_PHASE, {"notes": list(scored.notes)})
    scored.scores.to_parquet(advance.file("raw_scores.parquet"))


class Part:
    """Handler of ``score_part``.

    Args:
        also: Hears of progress as well; may raise ``Cancelled``.
    """

    def __init__(self, also: Progress | None = None) -> None:
        self._also = also

    def run(self, context: JobContext) -> dict[str, Any]:
        """Score the part, unless its round no longer waits for it."""
        assert context.parent_id is not None
        context.plan([_PHASE])
        with context.sessions() as session:
            parent = session.get_one(Job, context.parent_id)
            if parent.state is not JobState.RUNNING:
                raise Cancelled
        advance = Advance.open(context)
        if not advance.work.exists():
            raise ModelError(
                f"The files of job {context.parent_id} are not in {context.storage.root}; give all "
                "workers the same data directory (KARAT_DATA_DIR)."
            )
        with context.phase(_PHASE):
            score_part(advance, context.params["part"], self._progress(context))
        return {"part": context.params["part"]}

    def _progress(self, context: JobContext) -> Progress:
        def report(step: int, steps: int) -> None:
            context.progress(step, steps)
            if self._also is not None:
                self._also(step, steps)

        return report

    def failed(self, session: Session, job: Job) -> None:
        """Nothing to put right: the round's own job sees it."""


def score_part(advance: Advance, number: int, progress: Progress) -> None:
    """Score a part and keep its files; nothing if they are there."""
    folder = _folder(advance, number)
    if folder.exists():
        return
    model = advance.model()
    assert model is not None
    scored = advance.scored(model, _rows(advance, number), progress)
    made = folder.with_name(f"{folder.name}.{uuid.uuid4().hex}.part")
    try:
        advance.save_view(scored, made)
        scored.scores.to_parquet(made / "scores.parquet")
        (made / "notes.json").write_text(json.dumps(list(scored.notes)))
        try:
            os.rename(made, folder)
        except OSError:
            # A worker that was taken for dead has come first, with the same scores.
            if not folder.exists():
                raise
    finally:
        shutil.rmtree(made, ignore_errors=True)


def _folder(advance: Advance, number: int) -> Path:
    return advance.file("parts") / f"{number:05d}"


def _rows(advance: Advance, number: int) -> Indices:
    size = advance.context.settings.scoring_rows
    rows: Indices = advance.snapshot.unlabeled[number * size : (number + 1) * size]
    return rows


def _score_parts(advance: Advance, count: int) -> None:
    missing = [number for number in range(count) if not _folder(advance, number).exists()]
    # Parts that an earlier attempt has shared are seen to their end.
    if _parts(advance.context) or (len(missing) > 1 and _others_work(advance.context)):
        _share(advance, missing, count)
    total = len(advance.snapshot.unlabeled)
    for number in range(count):
        done = number * advance.context.settings.scoring_rows
        score_part(
            advance,
            number,
            lambda step, _: advance.context.progress(done + step, total),  # noqa: B023
        )
    _join(advance, [_folder(advance, number) for number in range(count)])


def _join(advance: Advance, parts: Sequence[Path]) -> None:
    """Put the parts together as if they had been scored as one."""
    view_files.join(parts, advance.file("view"))
    notes = dict.fromkeys(note for part in parts for note in _notes(part))
    advance.note(_PHASE, {"notes": list(notes)})
    scores = PoolScores.joined([PoolScores.from_parquet(part / "scores.parquet") for part in parts])
    scores.to_parquet(advance.file("raw_scores.parquet"))


def _notes(part: Path) -> list[str]:
    notes: list[str] = json.loads((part / "notes.json").read_text())
    return notes


def _others_work(context: JobContext) -> bool:
    """Whether any other worker of the queue is alive."""
    stale = datetime.now(UTC) - timedelta(seconds=context.settings.stale_seconds)
    alive = select(Worker).where(
        Worker.heartbeat_at >= stale, Worker.queues.contains([ScorePart.queue])
    )
    mine = f"{socket.gethostname()}:{os.getpid()}"
    with context.sessions() as session:
        return any(worker.address != mine for worker in session.scalars(alive))


def _share(advance: Advance, missing: Collection[int], count: int) -> None:
    """Make the missing parts jobs, and work on them until all have ended.

    Raises:
        ModelError: A part has failed.
        Cancelled: This job was cancelled, or one of its parts.
    """
    context = advance.context
    _offer(context, missing)
    total = len(advance.snapshot.unlabeled)
    try:
        while True:
            jobs = _parts(context)
            open_ = [job for job in jobs if job.state not in _ENDED]
            done = (count - len(open_)) * context.settings.scoring_rows
            context.progress(min(done, total), total)
            for job in jobs:
                if job.state is JobState.FAILED:
                    assert job.error is not None
                    raise ModelError(job.error["detail"])
                if job.state is JobState.CANCELLED:
                    raise Cancelled
            if not open_:
                return
            free = [job for job in open_ if _is_free(context, job)]
            if not free:
                time.sleep(_LOOK_SECONDS)
                continue
            # The last one: the others take them in the order in which they were sent.
            run_job(
                ScorePart(job_id=free[-1].id),
                Part(lambda step, _: context.progress(min(done + step, total), total)),  # noqa: B023
            )
    except (Cancelled, ModelError):
        _withdraw(context)
        raise


def _offer(context: JobContext, missing: Collection[int]) -> None:
    """Queue a job for each missing part; those of an earlier attempt are taken up again."""
    with context.transaction() as (session, _):
        known = _locked(session, context)
        again = [job for job in known if job.state in {JobState.FAILED, JobState.CANCELLED}]
        for job in again:
            requeue_job(job)
        new = [
            new_job(
                JobKind.SCORE_PART,
                project_id=context.project_id,
                params={**context.params, "part": number},
                parent_id=context.job_id,
            )
            for number in sorted(set(missing) - {job.params["part"] for job in known})
        ]
        session.add_all(new)
        session.flush()
        for job in (*again, *new):
            queue.enqueue(session.info, job)


def _locked(session: Session, context: JobContext) -> Sequence[Job]:
    parts = select(Job).where(Job.parent_id == context.job_id).order_by(Job.id)
    return session.scalars(parts.with_for_update(key_share=True)).all()


def _parts(context: JobContext) -> Sequence[Job]:
    """The parts as they are now, in order."""
    statement = select(Job).where(Job.parent_id == context.job_id).order_by(Job.id)
    with context.sessions() as session:
        return session.scalars(statement).all()


def _is_free(context: JobContext, job: Job) -> bool:
    if job.state is JobState.QUEUED:
        return True
    stale = datetime.now(UTC) - timedelta(seconds=context.settings.stale_seconds)
    return job.heartbeat_at is None or job.heartbeat_at < stale


def _withdraw(context: JobContext) -> None:
    """Stop the other parts: nobody waits for them."""
    with context.transaction() as (session, _):
        for job in _locked(session, context):
            if job.state not in _ENDED:
                request_cancel(job)
