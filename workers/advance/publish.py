"""Ending a round and opening the next, in one transaction."""

from collections.abc import Sequence
from datetime import UTC, datetime
from operator import itemgetter
from typing import Any, Final

import numpy as np
from sqlalchemy import case, func, insert, or_, select, update
from sqlalchemy.orm import Session

from core import events
from core.database.among import among
from core.jobs import queue
from core.jobs.messages import GoOnCertifying
from core.lifecycle import mark_queried, mark_unqueried, move_project, move_round
from core.rounds import DRAWN_OF, fit_budget, is_spent
from core.states import ArtifactKind, ExampleState, ProjectState, RoundState, Split
from core.tables import Artifact, Example, Project, Query, Round
from core.tasks.registry import task_type
from models.ranking.pool_scores import PoolScores
from models.rounds.predictions import Predictions, predict
from workers.advance import drawing, second_looks
from workers.advance.advance import Advance
from workers.advance.findings import findings
from workers.advance.proposing import propose
from workers.advance.reads import noted_at_closing
from workers.certificates.asking import cost_of_checks
from workers.closing import annotator_seconds, close_round
from workers.jobs.artifacts import keep
from workers.labels.snapshot import Snapshot

_BLOCK = 5000
_PREDICTED: Final = ("predicted_class_id", "probability", "in_probability")
# Metrics that a round gets as it opens and while it is open, and keeps as it closes.
_OF_THE_OPEN: Final = ("draws", DRAWN_OF, "purity_weight")
# Of a query that goes on to the next round; what was imported may be another by then.
_KEPT: Final = (
    *(Query.example_id, Query.requested, Query.again_after, Query.audit, Query.audit_probability),
    *(Query.predicted_class_id, Query.probability, Query.in_probability),
    case((Query.proposed_by.is_(None), Query.proposals)).label("proposals"),
)


def publish(advance: Advance) -> None:
    """Close the closing round, then fill and open the selecting one."""
    context = advance.context
    files = _keep_files(advance)
    shown = {} if advance.closing is None else findings(advance)
    with context.transaction() as (session, job):
        # Locked in the order that everybody keeps: job, project, rounds.
        project = session.get_one(Project, context.project_id, with_for_update={"key_share": True})
        rounds = {item.number: item for item in locked_rounds(session, advance)}
        closing = rounds.get(advance.closing) if advance.closing is not None else None
        following = rounds.get(advance.selecting) if advance.selecting is not None else None
        if closing is not None:
            _finish(session, advance, closing, files, shown)
            drawing.release(session, advance)
        requested = _withdraw(session, project.id)
        if following is None:
            move_project(project, ProjectState.FINISHED)
        else:
            following.job_id = job.id
            _open(session, advance, project, following, files, requested)
        for round_ in rounds.values():
            session.execute(events.round_changed(round_))
        session.execute(events.project_changed(project))
        # Whoever answers faster than sweeps come would answer whole rounds without a check.
        queue.remember(session.info, GoOnCertifying(answered_in=project.id))
        context.finish_phase(job, "publish")


def locked_rounds(session: Session, advance: Advance) -> Sequence[Round]:
    """The rounds concerned, locked in the order in which everybody locks them."""
    numbers = [number for number in (advance.closing, advance.selecting) if number is not None]
    statement = (
        select(Round)
        .where(Round.project_id == advance.context.project_id, Round.number.in_(numbers))
        .order_by(Round.number)
        .with_for_update(key_share=True)
    )
    return session.scalars(statement).all()


def _keep_files(advance: Advance) -> dict[ArtifactKind, Artifact]:
    """Copy what is worth keeping out of the job's work; the rows are added at publishing."""
    wanted = {
        ArtifactKind.CHECKPOINT: (advance.closing, "model.safetensors"),
        ArtifactKind.META_MODEL: (advance.selecting, "mqnet.safetensors"),
        ArtifactKind.SCORES: (advance.selecting, "scores.parquet"),
    }
    context = advance.context
    kept = {}
    for kind, (number, name) in wanted.items():
        source = advance.file(name)
        if kind is ArtifactKind.META_MODEL and not source.exists():
            # Of a strategy that does not learn: for when one is chosen again that does.
            source = advance.previous.get(kind, source)
        if number is None or not source.exists():
            continue
        key = f"projects/{context.project_id}/rounds/{number}/{name}"
        kept[kind] = keep(
            context,
            source,
            kind,
            {
                "round": number,
                "class_ids": advance.snapshot.class_ids.tolist(),
                "state": advance.noted("select").get("state", {}),
                "features": advance.noted("embed").get("features"),
            },
            key,
        )
    return kept


def _finish(
    session: Session,
    advance: Advance,
    round_: Round,
    files: dict[ArtifactKind, Artifact],
    shown: dict[str, Any],
) -> None:
    """Close ``round_`` with what its model achieved and its answers have shown."""
    evaluated, looks = advance.noted("evaluate"), second_looks.outcome(session, round_)
    round_.accuracy = evaluated.get("accuracy")
    round_.metrics = {
        **{key: value for key, value in evaluated.items() if key not in {"accuracy", "notes"}},
        **shown,
        "annotator_seconds": annotator_seconds(session, round_),
        **{name: round_.metrics[name] for name in _OF_THE_OPEN if name in round_.metrics},
        **({} if looks is None else {"second_looks": looks}),
    }
    # Of a round that closes once more, so that another can follow, those of the first time go.
    before = noted_at_closing(session, round_)
    kept = [note for note in round_.notes if note not in before]
    closing = [*advance.closing_notes, *second_looks.closing_note(looks)]
    round_.notes = list(dict.fromkeys([*kept, *closing]))
    round_.seconds = advance.context.seconds
    if (checkpoint := files.get(ArtifactKind.CHECKPOINT)) is not None:
        _attach(session, checkpoint, round_)
    move_round(round_, RoundState.CLOSED)


def _attach(session: Session, file: Artifact, round_: Round) -> None:
    """Make a file the round's; in a round that closes once more it takes the place of the first."""
    known = select(Artifact).where(Artifact.storage_key == file.storage_key)
    if (before := session.scalars(known).one_or_none()) is None:
        file.round_id = round_.id
        session.add(file)
        return
    for name in ("job_id", "sha256", "bytes", "meta"):
        setattr(before, name, getattr(file, name))


def _withdraw(session: Session, project_id: int) -> list[dict[str, Any]]:
    """Take back what nobody is looking at from the queues of all closed rounds.

    A live lease stays, and its answer counts; if it is never answered, the round after takes it
    back.

    Returns:
        What the next queue begins with, since somebody asked for it.
    """
    session.flush()
    closed = select(Round.id).where(
        Round.project_id == project_id, Round.state == RoundState.CLOSED
    )
    statement = (
        update(Query)
        .where(
            Query.project_id == project_id,
            Query.round_id.in_(closed),
            ~Query.done,
            or_(Query.lease_expires_at.is_(None), Query.lease_expires_at <= datetime.now(UTC)),
        )
        .values(done=True)
        .returning(Query.id, *_KEPT)
    )
    withdrawn = session.execute(statement).all()
    session.execute(mark_unqueried([row.example_id for row in withdrawn]))
    drawing.undo(session, [row.id for row in withdrawn if row.audit and not row.requested])
    asked = (row for row in sorted(withdrawn, key=lambda row: row.id) if row.requested)
    return [{name: one for name, one in row._mapping.items() if name != "id"} for row in asked]


def _open(
    session: Session,
    advance: Advance,
    project: Project,
    round_: Round,
    files: dict[ArtifactKind, Artifact],
    requested: list[dict[str, Any]],
) -> None:
    """Give ``round_`` its ranked queue and open it; close it at once if there is none."""
    selected = advance.noted("select")
    ids = {"project_id": project.id, "round_id": round_.id}
    path = advance.file("scores.parquet")
    scores = PoolScores.from_parquet(path) if path.exists() else None
    carried = {row["example_id"] for row in requested}
    found = second_looks.queries(session, project.id, selected.get("again", []))
    again = [row for row in found if row["example_id"] not in carried]
    unknown = dict.fromkeys(_PREDICTED)
    requested = [*requested, *({**drawing.NOT_DRAWN, **row, **unknown} for row in again)]
    # Before what is ranked, and stored first: what is in the queue is not chosen for it.
    first = [
        {**ids, **row, "rank": rank - len(requested)}
        for rank, row in enumerate(_predicted_anew(session, advance, scores, requested))
    ]
    propose(session, advance, round_, scores, first)
    _insert(session, first)
    ranked, met = _queue(session, advance, round_, scores)
    propose(session, advance, round_, scores, ranked)
    _insert(session, ranked)
    drawing.meet(session, project.id, met)
    rows = first + ranked
    for kind in (ArtifactKind.META_MODEL, ArtifactKind.SCORES):
        if kind in files:
            _attach(session, files[kind], round_)
    round_.queries = len(rows)
    weight = selected.get("purity_weight")
    round_.metrics = {
        **round_.metrics,
        **second_looks.asked(again),
        **({} if weight is None else {"purity_weight": weight}),
        **({} if advance.closing is not None else {DRAWN_OF: advance.snapshot.count}),
    }
    round_.notes = [
        *advance.noted("meta_train").get("notes", []),
        *second_looks.opening_note(len(again)),
        *selected["notes"],
        *advance.noted("propose").get("notes", []),
    ]
    if not rows:
        is_left = _has_come(session, advance)
        round_.notes = [*round_.notes, _why_empty(round_, is_left=is_left)]
        if not is_left and round_.spent == 0:
            move_round(round_, RoundState.CLOSED)
            move_project(project, ProjectState.FINISHED)
            return
    fit_budget(round_, _asked(session, project.id), cost_of_checks(session, round_))
    move_round(round_, RoundState.OPEN)
    # Zero-wait answers may have used the round's budget, or the pool, before it opened; what has
    # come to the pool since it was ranked the next one asks about.
    if not rows or is_spent(round_.spent, round_.budget):
        close_round(session, project, round_)


def _has_come(session: Session, advance: Advance) -> bool:
    """Whether the pool has something to ask about by now that nobody could have ranked then."""
    statement = select(Example.pool_index).where(
        Example.project_id == advance.context.project_id,
        Example.split == Split.POOL,
        Example.state == ExampleState.UNLABELED,
    )
    left = np.fromiter(session.scalars(statement), dtype=np.int64)
    return not np.isin(left, advance.snapshot.unlabeled).all()


def _why_empty(round_: Round, *, is_left: bool) -> str:
    """What a round without a queue says of that."""
    if is_left:
        return (
            "Nothing was left to ask about when this queue was chosen; what the pool has by now "
            "came later."
        )
    if round_.spent == 0:
        return "No unlabeled image is left in the pool."
    return (
        "No unlabeled image is left in the pool: the model learns once more, from the last answers."
    )


def _asked(session: Session, project_id: int) -> int:
    """Answers that can still come: a live lease of an earlier round counts towards this one."""
    statement = select(func.count()).where(Query.project_id == project_id, ~Query.done)
    return session.scalars(statement).one()


def _insert(session: Session, rows: list[dict[str, Any]]) -> None:
    for start in range(0, len(rows), _BLOCK):
        block = rows[start : start + _BLOCK]
        session.execute(insert(Query), block)
        session.execute(mark_queried([row["example_id"] for row in block]))


def _queue(
    session: Session, advance: Advance, round_: Round, scores: PoolScores | None
) -> tuple[list[dict[str, Any]], dict[int, int]]:
    """What a queue asks about: the best that are still free, and random draws among them.

    Where the strategy comes upon a draw, the next best is asked about.

    Returns:
        Rows of queries, one an annotator each; and by pool index the rank after which the strategy
        came upon each draw.
    """
    selected, overlap = advance.noted("select"), advance.settings.overlap
    order, wanted = selected["order"], selected["wanted"]
    draws = drawing.draw(session, advance, round_, wanted)
    drawn = drawing.unreleased(session, round_.project_id) | {one.pool_index for one in draws}
    free = _free(session, round_.project_id, order)
    most = max(wanted - len(draws), min(wanted, 1))
    chosen, met = drawing.walk(order, drawn, free, most)
    places, of_draws = drawing.mixed(len(chosen), len(draws), seed=advance.seed)
    rows = [
        (place, one, {"example_id": free[one], **drawing.NOT_DRAWN})
        for place, one in zip(places, chosen, strict=True)
    ] + [
        (place, one.pool_index, {"example_id": one.example_id, **one.columns})
        for place, one in zip(of_draws, draws, strict=True)
    ]
    known = _known(advance, scores, [pool_index for _, pool_index, _ in rows])
    unknown = dict.fromkeys(next(iter(known.values()), {}))
    ranked = [
        {
            "project_id": round_.project_id,
            "round_id": round_.id,
            "rank": place * overlap + copy,
            **columns,
            **known.get(pool_index, unknown),
        }
        for place, pool_index, columns in sorted(rows, key=itemgetter(0))
        for copy in range(overlap)
    ]
    # The last copy of the one before.
    before = [-1, *((place + 1) * overlap - 1 for place in places)]
    by_strategy = selected.get("by_strategy", True)
    return ranked, {one: before[at] for one, at in met.items()} if by_strategy else {}


def _free(session: Session, project_id: int, order: list[int]) -> dict[int, int]:
    """Ids by pool index of what is still to be asked about."""
    free: dict[int, int] = {}
    for start in range(0, len(order), _BLOCK):
        statement = select(Example.pool_index, Example.id).where(
            Example.project_id == project_id,
            among(Example.pool_index, order[start : start + _BLOCK]),
            Example.state == ExampleState.UNLABELED,
        )
        free.update(session.execute(statement).all())
    return free


def _predicted_anew(
    session: Session,
    advance: Advance,
    scores: PoolScores | None,
    requested: list[dict[str, Any]],
) -> list[dict[str, Any]]:
    """What the next queue begins with, by the newest model where it has seen it."""
    ids = [row["example_id"] for row in requested]
    places: dict[int, int] = {}
    for start in range(0, len(ids), _BLOCK):
        block = among(Example.id, ids[start : start + _BLOCK])
        places.update(session.execute(select(Example.id, Example.pool_index).where(block)).all())
    known = _known(advance, scores, list(places.values()))
    return [
        {**row, **{name: known.get(places[row["example_id"]], row)[name] for name in _PREDICTED}}
        for row in requested
    ]


def _known(
    advance: Advance, scores: PoolScores | None, pool_indices: list[int]
) -> dict[int, dict[str, Any]]:
    """Scores and predictions, as columns of a query, of those images that the round has scored."""
    if scores is None:
        return {}
    wanted = np.intersect1d(scores.indices, np.array(pool_indices, dtype=np.int64))
    if len(wanted) == 0:
        return {}
    found, predicted = scores.take(np.searchsorted(scores.indices, wanted)), predict(scores, wanted)
    assert found.meta_scores is not None
    columns = {
        "purity": found.purity.tolist(),
        "informativeness": found.informativeness.tolist(),
        "meta_score": found.meta_scores.tolist(),
        **_predicted(advance.snapshot, predicted),
        "in_probability": [None] * len(wanted)
        if predicted.inside is None
        else predicted.inside.tolist(),
    }
    return {
        pool_index: dict(zip(columns, values, strict=True))
        for pool_index, *values in zip(wanted.tolist(), *columns.values(), strict=True)
    }


def _predicted(snapshot: Snapshot, predicted: Predictions) -> dict[str, list[Any]]:
    """What annotators are shown of (n,) predictions: nothing where labels are no classes."""
    nothing: list[Any] = [None] * len(predicted.classes)
    if not task_type(snapshot.task).names_one_class:
        return {"predicted_class_id": nothing, "probability": nothing}
    return {
        "predicted_class_id": snapshot.class_ids[predicted.classes].tolist(),
        "probability": predicted.probability.tolist(),
    }
