"""Draws of queues that people have judged before a certificate: which of them count for it."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import ColumnElement, ColumnExpressionArgument, and_, exists, or_, select
from sqlalchemy.orm import Session

from core.artifacts.certificates import Draw, Members, Outcome
from core.states import ExampleState
from core.tables import Annotation, Audit, Example, Query
from core.withdrawals import is_kept
from models.protocols import OOD, Indices
from workers.labels.draws import read_batches, read_draws
from workers.labels.snapshot import Snapshot
from workers.labels.whole import has_departures

Earlier = dict[str, NDArray[Any]]


def with_earlier(
    session: Session, project_id: int, snapshot: Snapshot, closing: int | None, candidates: Indices
) -> tuple[Indices, Earlier]:
    """What there is to label, and the draws of queues that count as draws from that.

    No model has learned from them, and they are a fair sample of all that no strategy has chosen:
    see ``docs/adr``, 0055. That is what there is to label only while nothing that was chosen still
    waits, and nothing came to the pool or left it but by strategies and draws. Where the draws
    count, what was chosen and came back without an answer is left to people.

    Args:
        session: To read with.
        project_id: The project.
        snapshot: Of now.
        closing: Number of the last round.
        candidates: (N,) pool indices that nobody has judged, ascending.

    Returns:
        (M,) pool indices to be labeled, ascending, those of the draws included. Of the draws
        ``indices`` (E,) in the order in which they were judged, ``class_ids`` (E,) of what people
        say, or OOD, ``unsure`` (E,), and ``probability`` (E,). What people were shown and have not
        answered is unsure.
    """
    draws = read_draws(session, project_id, closing)
    fair = ~np.isnan(draws.probability)
    if not fair.any() or not _is_the_same(session, project_id, snapshot):
        return candidates, _NONE
    indices, probability = draws.indices[fair], draws.probability[fair]
    is_answered = np.isin(indices, snapshot.audited)
    was_shown = is_answered | np.isin(indices, _shown(session, project_id))
    if not np.isin(indices[was_shown & ~is_answered], candidates).all():
        return candidates, _NONE
    passed = _passed(session, project_id)
    free = np.setdiff1d(candidates, passed, assume_unique=True)
    # The first answer of each, a skip too; what was held and given back comes before all.
    order = np.argsort(draws.answered[fair], kind="stable")
    order = order[(was_shown & ~np.isin(indices, passed))[order]]
    if not len(np.setdiff1d(free, indices[order])):
        return candidates, _NONE
    indices, probability = indices[order], probability[order]
    said, unsure = snapshot.said_of_draws(indices)
    earlier = {
        "indices": indices,
        "class_ids": np.where(said.is_ood, OOD, snapshot.class_ids[said.classes]),
        "unsure": unsure,
        "probability": probability,
    }
    return np.union1d(free, indices), earlier


_NONE: Earlier = {
    "indices": np.empty(0, dtype=np.int64),
    "class_ids": np.empty(0, dtype=np.int64),
    "unsure": np.empty(0, dtype=np.bool_),
    "probability": np.empty(0),
}


def _is_the_same(session: Session, project_id: int, snapshot: Snapshot) -> bool:
    """Whether what there is to label is, but for strategies and draws, what was drawn from."""
    batches = read_batches(session, project_id)
    if not batches or any(one.of < snapshot.count for one in batches):
        return False
    waiting = exists().where(
        Example.project_id == project_id, Example.state == ExampleState.QUERIED
    )
    if session.scalar(select(waiting)):
        return False
    # Who judged a draw before a class was there could not say that it is of that.
    changed = exists().where(
        Audit.project_id == project_id,
        or_(
            and_(Audit.object_type == "examples", Audit.verb == "promote"),
            and_(Audit.object_type == "project", Audit.detail.contains({"fields": ["classes"]})),
        ),
        Audit.at >= datetime.fromtimestamp(min(one.since for one in batches), UTC),
    )
    if session.scalar(select(changed)):
        return False
    return not has_departures(session, project_id, batches)


def _was_shown() -> ColumnElement[bool]:
    said = exists().where(Annotation.query_id == Query.id)
    return or_(Query.lease_token.is_not(None), said)


def _shown(session: Session, project_id: int) -> Indices:
    """Pool indices of the draws that somebody has held or said something of."""
    return _indices(session, project_id, Query.audit)


def _passed(session: Session, project_id: int) -> Indices:
    """Pool indices of what a strategy chose, or came upon, and that was shown, ascending.

    Whatever is left of these without an answer could never be among the draws that count.
    """
    chosen = and_(~Query.audit, ~Query.requested)
    return _indices(session, project_id, or_(chosen, Query.audit_released.is_not(None)))


def _indices(session: Session, project_id: int, which: ColumnExpressionArgument[bool]) -> Indices:
    statement = (
        select(Example.pool_index)
        .join(Query, Query.example_id == Example.id)
        .where(Query.project_id == project_id, which, _was_shown(), is_kept())
        .distinct()
        .order_by(Example.pool_index)
    )
    return np.fromiter(session.scalars(statement), dtype=np.int64)


def judged(members: Members, earlier: Mapping[str, NDArray[Any]]) -> list[Draw]:
    """The earlier draws as a certificate keeps them, by what the model takes each for."""
    at = np.searchsorted(members.pool_index, earlier["indices"])
    right = earlier["class_ids"] == members.class_id[at]
    outcomes: list[Outcome] = [
        "unsure" if unsure else "right" if one else "wrong"
        for one, unsure in zip(right.tolist(), earlier["unsure"].tolist(), strict=True)
    ]
    return [
        Draw(
            int(members.lot[place]),
            int(members.pool_index[place]),
            int(members.example_id[place]),
            float(probability),
            outcome=outcome,
        )
        for place, probability, outcome in zip(
            at.tolist(), earlier["probability"].tolist(), outcomes, strict=True
        )
    ]
