"""The ``advance_round`` job: phases in order, each done once."""

import shutil
from collections.abc import Callable
from typing import Any, Final

from sqlalchemy import select
from sqlalchemy.orm import Session

from core import events
from core.lifecycle import move_round
from core.states import RoundState
from core.tables import Job, Round
from workers.advance.naming import named_by_id
from workers.advance.phases import FIRST_PHASES, PHASES, Advance
from workers.advance.publish import publish
from workers.advance.reads import expected_seconds
from workers.advance.scoring import score
from workers.advance.selecting import select as select_queries
from workers.advance.starting_over import start_over_if_lost
from workers.runner import JobContext

STEPS: Final[dict[str, Callable[[Advance], None]]] = {
    "snapshot": Advance.take_snapshot,
    "embed": Advance.embed,
    "meta_train": Advance.meta_train,
    "train": Advance.train,
    "evaluate": Advance.evaluate,
    "score": score,
    "select": select_queries,
    "publish": publish,
}
"""What each phase of ``PHASES`` does."""


def run(context: JobContext) -> dict[str, Any]:
    """Advance the project by one round."""
    advance = Advance.open(context)
    phases = FIRST_PHASES if advance.closing is None else PHASES
    with context.sessions() as session:
        context.plan(phases, expected_seconds(session, context.project_id, advance.closing))
    context.work.mkdir(parents=True, exist_ok=True)
    start_over_if_lost(advance)
    for name in phases:
        if context.done(name):
            continue
        with context.phase(name), named_by_id(context):
            STEPS[name](advance)
    notes = advance.closing_notes
    shutil.rmtree(context.work, ignore_errors=True)
    return {"closed": advance.closing, "opened": advance.selecting, "notes": notes}


def failed(session: Session, job: Job) -> None:
    """Mark the job's round as failed, from which it can be retried."""
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
        session.execute(events.notify(round_.project_id, "round", data))
