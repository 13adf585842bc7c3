"""Scoring a pool, in parts where it is large.

A part is so many images that follow one another among those that may be asked about. Its scores
depend on nothing but the part, the model and the verdicts, and its files appear by one rename, so
that it makes no difference who scores it, or how often. Where other workers are alive, each part is
a job that any of them may take (``docs/adr/0013-a-pool-is-scored-in-parts.md``).
"""

import json
import math
import os
import shutil
import socket
import time
import uuid
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

import numpy as np
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from core.database.engines import database_time
from core.errors import Conflict, DomainError
from core.jobs import queue
from core.jobs.messages import GPU, RunJob
from core.jobs.params import AdvanceParams, ScorePartParams
from core.lifecycle import new_job, request_cancel, requeue_job
from core.states import JobKind, JobState
from core.tables import Job, Worker
from models.errors import Cancelled, ModelError
from models.protocols import Indices, Progress
from models.ranking.pool_scores import PoolScores
from models.rounds import view_files
from models.rounds.query import by_row
from workers.advance.advance import Advance
from workers.advance.naming import named_by_id
from workers.execution.runner import run_job
from workers.jobs.context import JobContext
from workers.jobs.fairness import is_silent

_PHASE: Final = "score"
_PARTS: Final = "parts"
_LOOK_SECONDS: Final = 0.2
_ENDED: Final = (JobState.SUCCEEDED, JobState.FAILED, JobState.CANCELLED)


def score(advance: Advance) -> None:
    """One pass over everything that may be asked about: purity and informativeness."""
    rows = advance.snapshot.candidates
    size = advance.context.settings.scoring_rows
    if len(rows) > size and by_row(advance.query_settings):
        work = _work(advance)
        _score_parts(advance, [Piece(n, size, work) for n in range(math.ceil(len(rows) / size))])
        return
    model = advance.model()
    assert model is not None
    scored = advance.scored(model, rows, advance.context.progress)
    advance.save_view(scored, advance.file("view"))
    advance.note(_PHASE, {"notes": list(scored.notes)})
    scored.scores.to_parquet(advance.file("raw_scores.parquet"))


@dataclass(frozen=True)
class Piece:
    """A part, as the params of its job and the name of its folder have it.

    Attributes:
        part: Its number.
        rows: Images of a part, but for the last; another setting makes other parts.
        work: What it is a part of, as ``_work`` names it.
    """

    part: int
    rows: int
    work: str

    def folder(self, advance: Advance) -> Path:
        """Where its files are, once it is scored."""
        return advance.file(_PARTS) / f"{self.work}-{self.rows}-{self.part:05d}"

    def is_beside(self, params: ScorePartParams) -> bool:
        """Whether another part is put together with it."""
        return (params.rows, params.work) == (self.rows, self.work)

    def indices(self, advance: Advance) -> Indices:
        """The pool indices of its images."""
        found: Indices = advance.snapshot.candidates[self.part * self.rows :][: self.rows]
        return found


def _work(advance: Advance) -> str:
    """A name for the files that parts are scored with, for as long as these stay.

    A retry with other settings begins with no files. A worker that is still at work on a part of
    those before may end it when it likes: it is not taken for one of now.
    """
    if not advance.noted(_PARTS):
        advance.note(_PARTS, {"work": uuid.uuid4().hex[:12]})
    work: str = advance.noted(_PARTS)["work"]
    return work


def run(context: JobContext) -> dict[str, Any]:
    """Handle ``score_part``."""
    return Part().run(context)


class Part:
    """What handles ``score_part``.

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
        with context.phase(_PHASE), named_by_id(context):
            params = ScorePartParams.of(context)
            piece = Piece(params.part, params.rows, params.work)
            score_part(advance, piece, self._progress(context))
        return {"part": piece.part}

    def _progress(self, context: JobContext) -> Progress:
        def report(step: int, steps: int) -> None:
            context.progress(step, steps)
            if self._also is not None:
                self._also(step, steps)

        return report


def score_part(advance: Advance, piece: Piece, progress: Progress) -> None:
    """Score a part and keep its files; nothing if they are there."""
    folder = piece.folder(advance)
    if folder.exists():
        return
    model = advance.model()
    assert model is not None
    scored = advance.scored(model, piece.indices(advance), progress)
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


def _score_parts(advance: Advance, pieces: Sequence[Piece]) -> None:
    first, size = pieces[0], pieces[0].rows
    missing = [piece for piece in pieces if not piece.folder(advance).exists()]
    if missing:
        model = advance.model()
        assert model is not None
        advance.look_at_verdicts(model)
    # Parts that an earlier attempt has shared are seen to their end.
    if _parts(advance.context, first) or (len(missing) > 1 and _others_work(advance.context)):
        _share(advance, pieces, missing)
    total = len(advance.snapshot.candidates)
    for piece in pieces:
        done = piece.part * size
        score_part(
            advance,
            piece,
            lambda step, _: advance.context.progress(done + step, total),  # noqa: B023
        )
    _join(advance, [piece.folder(advance) for piece in pieces])


def _join(advance: Advance, parts: Sequence[Path]) -> None:
    """Put the parts together as if they had been scored as one.

    Raises:
        ModelError: They are not the images that are to be scored.
    """
    scores = PoolScores.joined([PoolScores.from_parquet(part / "scores.parquet") for part in parts])
    if not np.array_equal(scores.indices, advance.snapshot.candidates):
        raise ModelError(
            f"The parts in {parts[0].parent} are not those of this round's unlabeled images; "
            "remove the folder and retry the round."
        )
    view_files.join(parts, advance.file("view"))
    notes = dict.fromkeys(note for part in parts for note in _notes(part))
    advance.note(_PHASE, {"notes": list(notes)})
    scores.to_parquet(advance.file("raw_scores.parquet"))


def _notes(part: Path) -> list[str]:
    notes: list[str] = json.loads((part / "notes.json").read_text())
    return notes


def _others_work(context: JobContext) -> bool:
    """Whether any other worker of the queue is alive."""
    stale = func.clock_timestamp() - timedelta(seconds=context.settings.stale_seconds)
    alive = select(Worker).where(Worker.heartbeat_at >= stale, Worker.queues.contains([GPU]))
    mine = f"{socket.gethostname()}:{os.getpid()}"
    with context.sessions() as session:
        return any(worker.address != mine for worker in session.scalars(alive))


def _share(advance: Advance, pieces: Sequence[Piece], missing: Collection[Piece]) -> None:
    """Make the missing parts jobs, and work on them until all have ended.

    Raises:
        ModelError: A part has failed; or ``Conflict``, where its error has a code of its own.
        Cancelled: This job was cancelled.
    """
    context, first, size = advance.context, pieces[0], pieces[0].rows
    _offer(context, missing, first)
    total = len(advance.snapshot.candidates)
    try:
        while True:
            jobs = _parts(context, first)
            open_ = [job for job in jobs if job.state not in _ENDED]
            done = (len(pieces) - len(open_)) * size
            context.progress(min(done, total), total)
            for job in jobs:
                if job.state is JobState.FAILED:
                    assert job.error is not None
                    raise _as_of(job.error)
            if any(job.state is JobState.CANCELLED for job in jobs):
                # It was withdrawn by an attempt before this one, and has stopped only now.
                _offer(context, missing, first)
                continue
            if not open_:
                return
            free = _free(context, open_)
            if not free:
                time.sleep(_LOOK_SECONDS)
                continue
            # The last one: the others take them in the order in which they were sent.
            run_job(
                RunJob(job_id=free[-1].id, kind=JobKind.SCORE_PART),
                Part(lambda step, _: context.progress(min(done + step, total), total)),  # noqa: B023
            )
    except (Cancelled, DomainError, ModelError):
        _withdraw(context)
        raise


def _as_of(error: Mapping[str, Any]) -> DomainError | ModelError:
    """What a part has failed by, as the whole fails by it."""
    if error["code"] in {"internal", "model_error"}:
        return ModelError(error["detail"])
    return Conflict(error["code"], error["detail"])


def _offer(context: JobContext, missing: Collection[Piece], first: Piece) -> None:
    """Queue a job for each missing part; those of an earlier attempt are taken up again.

    What is left of an attempt with other parts than those beside ``first`` is withdrawn.
    """
    params = AdvanceParams.of(context)
    with context.transaction() as (session, _):
        known = []
        for job in _locked(session, context):
            if first.is_beside(ScorePartParams.of(job)):
                known.append(job)
            elif job.state not in _ENDED:
                request_cancel(job)
        again = [job for job in known if job.state in {JobState.FAILED, JobState.CANCELLED}]
        for job in again:
            requeue_job(job)
        numbers = {ScorePartParams.of(job).part for job in known}
        new = [
            new_job(
                JobKind.SCORE_PART,
                project_id=context.project_id,
                params=ScorePartParams(
                    closing=params.closing,
                    selecting=params.selecting,
                    part=piece.part,
                    rows=piece.rows,
                    work=piece.work,
                ).to_json(),
                parent_id=context.job_id,
            )
            for piece in missing
            if piece.part not in numbers
        ]
        session.add_all(new)
        session.flush()
        for job in (*again, *new):
            queue.enqueue(session.info, job)


def _locked(session: Session, context: JobContext) -> Sequence[Job]:
    parts = select(Job).where(Job.parent_id == context.job_id).order_by(Job.id)
    return session.scalars(parts.with_for_update(key_share=True)).all()


def _parts(context: JobContext, first: Piece) -> Sequence[Job]:
    """The parts beside ``first`` as they are now, in order."""
    statement = select(Job).where(Job.parent_id == context.job_id).order_by(Job.id)
    with context.sessions() as session:
        found = session.scalars(statement).all()
    return [job for job in found if first.is_beside(ScorePartParams.of(job))]


def _free(context: JobContext, jobs: Iterable[Job]) -> list[Job]:
    with context.sessions() as session:
        now = database_time(session)
    return [job for job in jobs if job.state is JobState.QUEUED or is_silent(job, now)]


def _withdraw(context: JobContext) -> None:
    """Stop the other parts: nobody waits for them."""
    with context.transaction() as (session, _):
        for job in _locked(session, context):
            if job.state not in _ENDED:
                request_cancel(job)
