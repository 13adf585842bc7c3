"""What was drawn at random from a pool to judge models: see ``docs/adr``, 0055."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import ColumnElement, and_, func, or_, select
from sqlalchemy.orm import Session

from core.states import Source, Verdict
from core.tables import Annotation, Example, Query, Round
from core.withdrawals import is_kept

Array = NDArray[np.int64]

_ROW: Final = np.dtype(
    [
        ("index", np.int64),
        ("round", np.int64),
        ("requested", np.bool_),
        ("uniform", np.bool_),
        ("chance", np.float64),
        ("released", np.int64),
        ("answered", np.int64),
    ]
)


@dataclass(frozen=True)
class Batch:
    """Draws that were made at once, as their round has noted them.

    Attributes:
        number: Of the round.
        requested: Whether somebody has asked for them, and not the round's queue.
        of: Only smaller pool indices were there.
        free: From how many of these was drawn.
        chance: That each of them had, 0..1.
        since: When they were drawn, in seconds since 1970; of earlier versions, when the round
            opened.
    """

    number: int
    requested: bool
    of: int
    free: int
    chance: float
    since: float


@dataclass(frozen=True)
class Draws:
    """The draws of a project as of a round.

    Attributes:
        indices: (D,) int64 pool indices of those that nothing may learn from, ascending.
        batches: All that was drawn uniformly, in order of the rounds.
        batch: (D,) int64, which of these each was drawn with; -1 where that was not uniform over
            the pool.
        probability: (D,) float64, chance of having been drawn by now; NaN where it has no batch.
        answered: (D,) int64 id of the first annotation; 0 of those without one.
        released: (R,) int64 pool indices of those that are learned from, ascending.
        released_as_of: (R,) int64 number of the round as of which.
    """

    indices: Array
    batches: Sequence[Batch]
    batch: Array
    probability: NDArray[np.float64]
    answered: Array
    released: Array
    released_as_of: Array

    def learned_as_of(self, indices: Array) -> Array:
        """(n,) numbers of rounds for ascending pool indices; -1 of what was not released."""
        found = np.full(len(indices), -1, dtype=np.int64)
        at = np.flatnonzero(np.isin(indices, self.released))
        found[at] = self.released_as_of[np.searchsorted(self.released, indices[at])]
        return found


def read_draws(
    session: Session, project_id: int, closing: int | None, released: Collection[int] = ()
) -> Draws:
    """Read the draws of a project as they are when round ``closing`` closes.

    Args:
        session: To read with.
        project_id: The project.
        closing: Number of the round; ``None`` before the first.
        released: Pool indices of those that are released by it.
    """
    statement = (
        select(
            Example.pool_index,
            func.min(Round.number),
            func.bool_or(Query.requested),
            func.bool_and(Query.audit_probability.is_not(None)),
            func.coalesce(func.max(Query.audit_probability), 0.0),
            func.coalesce(func.max(Query.audit_released), -1),
            func.coalesce(func.min(Annotation.id), 0),
        )
        .join(Example, Example.id == Query.example_id)
        .join(Round, Round.id == Query.round_id)
        .outerjoin(Annotation, Annotation.query_id == Query.id)
        .where(Query.project_id == project_id, Query.audit, Query.again_after.is_(None), is_kept())
        .group_by(Example.pool_index)
        .order_by(Example.pool_index)
    )
    rows = np.fromiter(map(tuple, session.execute(statement)), dtype=_ROW)
    indices, as_of = rows["index"], rows["released"].copy()
    last = -1 if closing is None else closing
    as_of[np.isin(indices, np.array(list(released), dtype=np.int64))] = last
    out = (as_of >= 0) & (as_of <= last)
    batches = read_batches(session, project_id)
    batch = _batch_of(rows, batches)
    return Draws(
        indices=indices[~out],
        batches=batches,
        batch=batch[~out],
        probability=_probability(indices, batch, batches)[~out],
        answered=rows["answered"][~out],
        released=indices[out],
        released_as_of=as_of[out],
    )


def read_batches(session: Session, project_id: int) -> list[Batch]:
    """All that was drawn uniformly from what was free, in order of the rounds."""
    statement = (
        select(Round.number, Round.opened_at, Round.metrics["draws"])
        .where(Round.project_id == project_id, Round.metrics.has_key("draws"))
        .order_by(Round.number)
    )
    return [
        Batch(
            number=number,
            requested=one["requested"],
            of=one["of"],
            free=one["free"],
            chance=one["drawn"] / max(1, one["free"]),
            since=one.get("at") or (opened.timestamp() if opened else 0.0),
        )
        for number, opened, drawn in session.execute(statement)
        for one in drawn
    ]


def _batch_of(rows: NDArray[np.void], batches: Sequence[Batch]) -> Array:
    """(D,) which batch each draw is of: of its round and kind by the chance; -1 of none."""
    found = np.full(len(rows), -1, dtype=np.int64)
    nearest = np.full(len(rows), np.inf)
    for at, one in enumerate(batches):
        off = np.abs(rows["chance"] - one.chance)
        mine = rows["uniform"] & (rows["round"] == one.number) & (rows["index"] < one.of)
        mine &= (rows["requested"] == one.requested) & (off < nearest)
        found[mine], nearest[mine] = at, off[mine]
    return found


def _probability(indices: Array, batch: Array, batches: Sequence[Batch]) -> NDArray[np.float64]:
    """(D,) chance of each to have been drawn in any of the rounds since it came in."""
    missed = np.ones(len(indices))
    for at, one in enumerate(batches):
        # Those that were undone were never drawn.
        missed[indices < one.of] *= 1 - min(1.0, int((batch == at).sum()) / max(1, one.free))
    return np.where((batch >= 0) & (missed < 1), 1 - missed, np.nan)


def reached(session: Session, project_id: int, number: int, closing: int | None) -> list[int]:
    """Pool indices of draws whose place in a round's queue the answers have passed.

    Args:
        session: To read with.
        project_id: The project.
        number: Of the round whose queue it is, the newest.
        closing: Only answers that count to this round or to one before; if ``None`` all, and what
            somebody holds as well.
    """
    counted: ColumnElement[bool] = and_(Annotation.counted, Annotation.verdict != Verdict.SKIP)
    if closing is None:
        counted = or_(counted, and_(~Query.done, Query.lease_expires_at > func.clock_timestamp()))
    answering = Round.__table__.alias()
    furthest = (
        select(func.max(Query.rank))
        .join(Round, Round.id == Query.round_id)
        .outerjoin(Annotation, Annotation.query_id == Query.id)
        .outerjoin(answering, answering.c.id == Annotation.round_id)
        .where(
            Query.project_id == project_id,
            Round.number == number,
            ~Query.audit,
            ~Query.requested,
            counted,
        )
    )
    if closing is not None:
        furthest = furthest.where(answering.c.number <= closing)
    last = session.scalar(furthest)
    if last is None:
        return []
    passed: Any = (
        select(Example.pool_index)
        .join(Query, Query.example_id == Example.id)
        .where(
            Query.project_id == project_id,
            Query.audit,
            Query.audit_released.is_(None),
            Query.audit_rank < last,
        )
        .distinct()
        .order_by(Example.pool_index)
    )
    return list(session.scalars(passed))


def pairs(session: Session, project_id: int, *, by_two: bool = False) -> tuple[int, int]:
    """How many draws were judged twice, and of how many of these the verdicts differ.

    By two people, none of whom knew what the other had said; where there are none such, by one who
    was asked again, unless only ``by_two`` counts: who agrees with themselves may still be wrong.
    """
    statement = (
        select(
            Annotation.example_id,
            Annotation.annotator_id,
            Query.again_after.is_not(None).label("again"),
            Annotation.verdict,
            Annotation.class_id,
        )
        .join(Query, Query.id == Annotation.query_id)
        .where(
            Query.project_id == project_id,
            Query.audit,
            Annotation.source == Source.ANNOTATOR,
            Annotation.counted,
            Annotation.verdict != Verdict.SKIP,
        )
        .order_by(Annotation.example_id, Annotation.id)
    )
    several, one = [0, 0], [0, 0]
    for _, rows in groupby(session.execute(statement), key=itemgetter(0)):
        # What somebody has corrected at once is what they meant.
        said = {(row.annotator_id, row.again): row[3:] for row in rows}
        if len(said) < 2:
            continue
        (first, *_), before = next(iter(said.items()))
        other = next((told for (who, _), told in said.items() if who != first), None)
        counts, told = (one, list(said.values())[1]) if other is None else (several, other)
        counts[0] += 1
        counts[1] += before != told
    found = several if several[0] or by_two else one
    return found[0], found[1]
