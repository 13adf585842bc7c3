"""The ``advance_round`` job: phases in order, each done once."""

import shutil
from collections.abc import Callable, Sequence
from typing import Any, Final

from sqlalchemy import select
from sqlalchemy.orm import Session

from core import events
from core.lifecycle import move_round
from core.states import ArtifactKind, RoundState
from core.tables import Job, Round
from models.rounds.query import learns
from workers.advance.dry_run import prepare
from workers.advance.evaluating import evaluate
from workers.advance.naming import named_by_id
from workers.advance.phases import FIRST_PHASES, PHASES, Advance
from workers.advance.publish import publish
from workers.advance.reads import expected_seconds
from workers.advance.scoring import score
from workers.advance.selecting import select as select_queries
from workers.advance.starting_over import start_over_if_lost
from workers.advance.warm_start import warm_start
from workers.context import JobContext
from workers.dry_run import dry_run

STEPS: Final[dict[str, Callable[[Advance], None]]] = {
    "snapshot": Advance.take_snapshot,
    "embed": Advance.embed,
    "warm_start": warm_start,
    "meta_train": Advance.meta_train,
    "train": Advance.train,
    "evaluate": evaluate,
    "score": score,
    "select": select_queries,
    "publish": publish,
}
"""What each phase of ``PHASES`` does."""


def run(context: JobContext) -> dict[str, Any]:
    """Advance the project by one round."""
    if context.dry_run:
        return dry_run(context, prepare)
    advance = Advance.open(context)
    phases = FIRST_PHASES if advance.closing is None else PHASES
    with context.sessions() as session:
        took = expected_seconds(session, context.project_id)
    if not context.seconds:
        # Left by an attempt with other settings, or one that ended before its first phase did.
        shutil.rmtree(context.work, ignore_errors=True)
    context.work.mkdir(parents=True, exist_ok=True)
    start_over_if_lost(advance)
    for name in _to_come(context, phases):
        planned = [one for one in phases if context.done(one) or does(advance, one)]
        if name not in planned:
            continue
        context.plan(planned, took)
        with context.phase(name), named_by_id(context):
            STEPS[name](advance)
    notes = advance.closing_notes
    shutil.rmtree(context.work, ignore_errors=True)
    return {"closed": advance.closing, "opened": advance.selecting, "notes": notes}


def _to_come(context: JobContext, phases: Sequence[str]) -> Sequence[str]:
    """The phases after the last one that is done; what is not done before it was left out."""
    done = [number for number, name in enumerate(phases, 1) if context.done(name)]
    return phases[max(done, default=0) :]


def does(advance: Advance, phase: str) -> bool:
    """Whether there is anything to do in a phase, as far as that is known by now."""
    if phase in {"meta_train", "score", "select"} and advance.selecting is None:
        return False
    if phase == "meta_train":
        return ArtifactKind.SCORES in advance.previous and learns(advance.query_settings)
    if phase == "warm_start":
        return advance.frozen and advance.settings.first_queue == "typical"
    if not advance.context.done("snapshot"):
        return phase != "embed" or advance.frozen or advance.needs_learned_features
    if phase == "embed":
        return advance.frozen or advance.learned_features is not None
    if phase in {"evaluate", "score"} and advance.context.done("train") and not advance.has_model:
        return False
    left = {"evaluate": advance.snapshot.evaluation, "score": advance.snapshot.unlabeled}
    return phase not in left or len(left[phase]) > 0


def failed(session: Session, job: Job) -> None:
    """Mark the job's round as failed, from which it can be retried."""
    if job.dry_run:
        return
    closing, selecting = job.params["closing"], job.params["selecting"]
    number = selecting if closing is None else closing
    statement = (
        select(Round)
        .where(Round.project_id == job.project_id, Round.number == number)
        .with_for_update(key_share=True)
    )
    round_ = session.scalars(statement).one()
    if round_.state in {RoundState.SELECTING, RoundState.CLOSING}:
        round_.job_id = job.id
        move_round(round_, RoundState.FAILED)
        data = {"number": round_.number, "state": round_.state}
        session.execute(events.notify(round_.project_id, events.Topic.ROUND, data))
