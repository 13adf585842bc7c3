"""The ``advance_round`` job: phases in order, each done once."""

import shutil
from typing import Any, Final

from sqlalchemy import select
from sqlalchemy.orm import Session

from core import events
from core.jobs.params import AdvanceParams
from core.lifecycle import move_round
from core.states import ArtifactKind, RoundState
from core.tables import Job, Round
from models.rounds.meta_training import learns
from workers.advance.advance import Advance
from workers.advance.answers import meta_train
from workers.advance.dry_run import prepare
from workers.advance.evaluating import evaluate
from workers.advance.first_boxes import begins_with_boxes, propose_first, propose_more
from workers.advance.gather import take_snapshot
from workers.advance.naming import named_by_id
from workers.advance.publish import publish
from workers.advance.reads import expected_seconds
from workers.advance.scoring import score
from workers.advance.selecting import select as select_queries
from workers.advance.starting_over import (
    evaluate_again_if_too_early,
    look_again_if_lost,
    start_over_if_lost,
)
from workers.advance.training import embed, train
from workers.advance.warm_start import warm_start
from workers.certificates.closing import asks_for_certificate, close_certificate_round
from workers.dry_run import dry_run
from workers.instructions.closing import asks_groups, close_rankings
from workers.jobs.context import HandedOn, JobContext, Phase


def run(context: JobContext) -> dict[str, Any]:
    """Advance the project by one round.

    Raises:
        HandedOn: A first queue is open, or needs a network, and this worker is for no more than it.
    """
    if context.dry_run:
        return dry_run(context, prepare)
    if asks_groups(context):
        return close_rankings(context)
    if asks_for_certificate(context):
        return close_certificate_round(context)
    advance = Advance.open(context)
    with context.sessions() as session:
        took = expected_seconds(session, context.project_id)
    if not context.seconds:
        # Left by an attempt with other settings, or one that ended before its first phase did.
        shutil.rmtree(context.work, ignore_errors=True)
    context.work.mkdir(parents=True, exist_ok=True)
    start_over_if_lost(advance)
    evaluate_again_if_too_early(advance)
    look_again_if_lost(advance)
    if context.opening and _begins_with_boxes(advance):
        # A network has to look before the queue opens.
        raise HandedOn
    phases = FIRST_PHASES if advance.closing is None else PHASES
    until = "publish" if context.opening else None
    with named_by_id(context):
        context.run(phases, advance, expected=took, until=until)
    notes = advance.closing_notes
    shutil.rmtree(context.work, ignore_errors=True)
    return {"closed": advance.closing, "opened": advance.selecting, "notes": notes}


def _has_to_embed(advance: Advance) -> bool:
    if advance.context.done("snapshot"):
        return advance.frozen or advance.learned_features is not None
    return advance.frozen or advance.needs_learned_features


def _has_to_warm_start(advance: Advance) -> bool:
    return advance.frozen and advance.settings.first_queue == "typical"


def _has_answers_to_learn_from(advance: Advance) -> bool:
    chose = ArtifactKind.SCORES in advance.previous
    return advance.selecting is not None and chose and learns(advance.query_settings)


def _has_model(advance: Advance) -> bool:
    """Whether there is a model, or may be."""
    return advance.has_model or not advance.context.done("train")


def _has_to_evaluate(advance: Advance) -> bool:
    if not advance.context.done("snapshot"):
        return True
    snapshot = advance.snapshot
    return _has_model(advance) and len(snapshot.evaluation) + len(snapshot.audited) > 0


def _has_to_score(advance: Advance) -> bool:
    if advance.selecting is None or not advance.context.done("snapshot"):
        return advance.selecting is not None
    return _has_model(advance) and len(advance.snapshot.unlabeled) > 0


def _begins_with_boxes(advance: Advance) -> bool:
    if advance.selecting is None or (advance.closing is not None and _has_model(advance)):
        return False
    return begins_with_boxes(advance)


_SNAPSHOT: Final = Phase("snapshot", take_snapshot)
_EMBED: Final = Phase("embed", embed, _has_to_embed)
_SELECT: Final = Phase("select", select_queries, lambda advance: advance.selecting is not None)
_PROPOSE: Final = Phase("propose", propose_first, _begins_with_boxes)
_PUBLISH: Final = Phase("publish", publish)
FIRST_PHASES: Final = (
    _SNAPSHOT,
    _SELECT,
    _PROPOSE,
    _PUBLISH,
    _EMBED,
    Phase("warm_start", warm_start, _has_to_warm_start),
    Phase("propose_more", propose_more, _begins_with_boxes),
)
PHASES: Final = (
    _SNAPSHOT,
    _EMBED,
    Phase("meta_train", meta_train, _has_answers_to_learn_from),
    Phase("train", train),
    Phase("score", score, _has_to_score),
    _SELECT,
    # After the selection, which says how a purity is read.
    Phase("evaluate", evaluate, _has_to_evaluate),
    _PROPOSE,
    _PUBLISH,
)


def failed(session: Session, job: Job) -> None:
    """Mark the job's round as failed, from which it can be retried; an open one stays open."""
    if job.dry_run:
        return
    params = AdvanceParams.of(job)
    statement = (
        select(Round)
        .where(Round.project_id == job.project_id, Round.number == params.numbers[0])
        .with_for_update(key_share=True)
    )
    round_ = session.scalars(statement).one()
    if round_.state is params.waits_in:
        round_.job_id = job.id
        move_round(round_, RoundState.FAILED)
    if round_.state in {RoundState.FAILED, RoundState.OPEN}:
        session.execute(events.round_changed(round_))
