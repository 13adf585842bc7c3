"""What a round knows, frozen when its job begins.

Annotators go on while the job runs. Everything that is computed reads this snapshot, so that a job
that was killed and resumed computes the same as one that was not.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import ColumnElement, FromClause, func, or_, select, true
from sqlalchemy.orm import Session, aliased

from core.consensus import as_said, holds
from core.duplicates import answered_in_pool
from core.states import ExampleState, Source, Split, Verdict
from core.tables import Annotation, Example, ProjectClass, Query, Round
from models.protocols import OOD
from workers.arrays import read_arrays, write_arrays

# Number of the round of a label that was there before the first.
BEFORE_ROUNDS: Final = -1
# Labels below any class: an image that was looked at and has no verdict a model can learn from.
_UNSURE: Final = -2

# Of a million rows, no more are objects at a time.
_ROWS: Final = 10_000

Array = NDArray[np.int64]


@dataclass(frozen=True)
class Snapshot:
    """The state of a project's knowledge at one instant.

    Attributes:
        count: Examples of the project, over all splits: rows of its pixel store.
        class_ids: (C,) int64, class of each model output.
        unlabeled: (N,) int64 pool indices without a verdict, ascending.
        labeled: (L,) int64 pool indices of every class and OOD verdict, ascending.
        labels: (L,) int64 in 0..C-1, or ``OOD``.
        label_rounds: (L,) int64 number of the round that each was first said in, whenever it was
            asked about again; ``BEFORE_ROUNDS`` for an imported one.
        evaluation: (E,) int64 pool indices of the evaluation split.
        evaluation_labels: (E,) int64 in 0..C-1.
        auxiliary: (A,) int64 pool indices of the auxiliary OOD split.
        reviewed: (R,) int64 pool indices whose verdict is a reviewer's, ascending.
        requested: (Q,) int64 pool indices that somebody chose, and no strategy, to be asked about
            first, ascending.
        typical: (T,) pool indices that the first queue chose, and that were not drawn at random
            from the pool, ascending; labeled ones only.
        dropped: (D,) int64 pool indices whose label a subset leaves out of training.
    """

    count: int
    class_ids: Array
    unlabeled: Array
    labeled: Array
    labels: Array
    label_rounds: Array
    evaluation: Array
    evaluation_labels: Array
    auxiliary: Array = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    reviewed: Array = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    requested: Array = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    typical: Array = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    dropped: Array = field(default_factory=lambda: np.empty(0, dtype=np.int64))

    @property
    def classes(self) -> int:
        """C."""
        return len(self.class_ids)

    def inside(self) -> tuple[Array, Array]:
        """Pool indices and labels of the in-distribution verdicts."""
        known = self.labels != OOD
        return self.labeled[known], self.labels[known]

    def trained(self) -> tuple[Array, Array]:
        """Pool indices and labels of those that no subset leaves out."""
        indices, labels = self.inside()
        kept = ~np.isin(indices, self.dropped)
        return indices[kept], labels[kept]

    def answered_in(self, number: int) -> tuple[Array, Array]:
        """Pool indices and labels of the examples that round ``number`` asked about first."""
        mine = self.label_rounds == number
        return self.labeled[mine], self.labels[mine]

    def save(self, path: Path) -> None:
        """Write all arrays to one file, atomically."""
        write_arrays(path, self.__dict__)

    @classmethod
    def load(cls, path: Path) -> "Snapshot":
        """Read what ``save`` wrote."""
        values: dict[str, Any] = read_arrays(path)
        return cls(**{**values, "count": int(values["count"])})


def take(session: Session, project_id: int, closing: int | None) -> Snapshot:
    """Read the snapshot of a project for the job that closes round ``closing``.

    Of an example with several verdicts the snapshot holds what they amount to. Answers that count
    to later rounds (zero-wait answers) are left out: their images are still what they were as far
    as this round is concerned, and those that had no verdict become the next round's validation
    set. Labels that were imported are always known.
    """
    class_ids = np.array(
        session.scalars(
            select(ProjectClass.id)
            .where(ProjectClass.project_id == project_id)
            .order_by(ProjectClass.position)
        ).all(),
        dtype=np.int64,
    )
    output_of = {class_id: index for index, class_id in enumerate(class_ids.tolist())}
    labeled, labels, numbers, marks = _verdicts(session, project_id, closing, output_of)
    pool = _pool_indices(session, project_id, Split.POOL)
    evaluation = session.execute(
        select(Example.pool_index, Example.label_class_id)
        .where(
            Example.project_id == project_id,
            Example.split == Split.EVALUATION,
            # Those whose labels contradict each other are the truth of nothing.
            Example.label_class_id.is_not(None),
            # What the model has learned from says nothing of what it will meet.
            or_(Example.duplicates_of.is_(None), ~answered_in_pool(project_id)),
        )
        .order_by(Example.pool_index)
    ).all()
    count = session.scalar(select(func.count()).where(Example.project_id == project_id)) or 0
    known = labels != _UNSURE
    return Snapshot(
        count=count,
        class_ids=class_ids,
        unlabeled=np.setdiff1d(pool, labeled, assume_unique=True),
        labeled=labeled[known],
        labels=labels[known],
        label_rounds=numbers[known],
        evaluation=np.array([row[0] for row in evaluation], dtype=np.int64),
        evaluation_labels=np.array([output_of[row[1]] for row in evaluation], dtype=np.int64),
        auxiliary=_pool_indices(session, project_id, Split.AUXILIARY_OOD),
        reviewed=labeled[known & marks[:, 0]],
        requested=labeled[known & marks[:, 1]],
        typical=labeled[known & marks[:, 2]],
    )


def _pool_indices(session: Session, project_id: int, split: Split) -> Array:
    statement = (
        select(Example.pool_index)
        .where(
            Example.project_id == project_id,
            Example.split == split,
            Example.state != ExampleState.HELD_OUT,
        )
        .order_by(Example.pool_index)
        .execution_options(yield_per=_ROWS)
    )
    return np.fromiter(session.scalars(statement), dtype=np.int64)


def _verdicts(
    session: Session, project_id: int, closing: int | None, output_of: dict[int, int]
) -> tuple[Array, Array, Array, NDArray[np.bool_]]:
    """What is known by the closing round of each example with a verdict.

    Returns:
        (L,) pool index, ascending; (L,) label; (L,) round of the first verdict; (L, 3) whether a
        reviewer settled it, whether it was first asked about on request, and whether as typical.
    """
    last = BEFORE_ROUNDS if closing is None else closing
    rounds = select(Round.id).where(Round.project_id == project_id, Round.number <= last)

    def known(one: type[Annotation]) -> ColumnElement[bool]:
        # Imported labels are of no round.
        return or_(one.round_id.is_(None), one.round_id.in_(rounds.correlate(None)))

    origin = _said_first()
    held = (
        select(
            Example.pool_index,
            Annotation.verdict,
            Annotation.class_id,
            func.coalesce(origin.c.number, Round.number, BEFORE_ROUNDS),
            Annotation.source == Source.REVIEW,
            func.coalesce(origin.c.requested, Query.requested, False),
            func.coalesce(origin.c.typical, Query.typical, False),
        )
        .join(Example, Example.id == Annotation.example_id)
        .outerjoin(Round, Round.id == Annotation.round_id)
        .outerjoin(Query, Query.id == Annotation.query_id)
        .outerjoin(origin, true())
        .where(
            Annotation.project_id == project_id,
            Annotation.verdict != Verdict.SKIP,
            known(Annotation),
            # Of a later round neither an answer is known, nor that it corrects another.
            holds(considering=known),
        )
        .order_by(*as_said())
        .execution_options(yield_per=_ROWS)
    )
    rows = (
        (pool_index, _label(verdict, class_id, output_of), *rest)
        for pool_index, verdict, class_id, *rest in session.execute(held)
    )
    table: Array = np.fromiter(rows, dtype=np.dtype((np.int64, 6))).astype(np.int64, copy=False)
    indices, labels, numbers = table[:, 0], table[:, 1], table[:, 2]
    examples, agreed, first, reviewed = settle(indices, labels, table[:, 3] == 1)
    asked = table[first, 4:] == 1
    return examples, agreed, numbers[first], np.column_stack([reviewed, asked])


def _said_first() -> FromClause:
    """Of an answer to a query that asks again: the first verdict on its example.

    Its round, and whether that was asked for or typical; nothing of any other answer.
    """
    said, round_, query = aliased(Annotation), aliased(Round), aliased(Query)
    return (
        select(
            func.coalesce(round_.number, BEFORE_ROUNDS).label("number"),
            func.coalesce(query.requested, False).label("requested"),
            func.coalesce(query.typical, False).label("typical"),
        )
        .select_from(said)
        .outerjoin(round_, round_.id == said.round_id)
        .outerjoin(query, query.id == said.query_id)
        .where(
            Query.again_after.is_not(None),
            said.example_id == Annotation.example_id,
            said.counted,
            said.verdict != Verdict.SKIP,
        )
        .order_by(said.id)
        .limit(1)
        .correlate(Annotation, Query)
        .lateral()
    )


def settle(
    indices: Array, labels: Array, final: NDArray[np.bool_]
) -> tuple[Array, Array, Array, NDArray[np.bool_]]:
    """What the votes on each example amount to, by the rule of ``core.consensus``.

    Args:
        indices: (V,) pool index of each vote, oldest vote first.
        labels: (V,) int64, at least ``_UNSURE``.
        final: (V,) whether a reviewer gave it.

    Returns:
        (L,) distinct pool indices, ascending; (L,) label of each; (L,) position of its first vote
        in 0..V-1; (L,) whether the label is a reviewer's.
    """
    unique, first = np.unique(indices, return_index=True)
    if len(unique) == len(indices):
        return unique, labels[first], first, final[first]
    span = labels.max() - _UNSURE + 1
    said, earliest, count = np.unique(
        indices * span + labels - _UNSURE, return_index=True, return_counts=True
    )
    order = np.lexsort((earliest, -count, said // span))
    _, best = np.unique(said[order] // span, return_index=True)
    agreed = said[order][best] % span + _UNSURE
    last_first = np.flatnonzero(final)[::-1]
    reviewed, latest = np.unique(indices[last_first], return_index=True)
    settled = np.searchsorted(unique, reviewed)
    agreed[settled] = labels[last_first][latest]
    by_reviewer = np.zeros(len(unique), dtype=np.bool_)
    by_reviewer[settled] = True
    return unique, agreed, first, by_reviewer


def _label(verdict: Verdict, class_id: int | None, output_of: dict[int, int]) -> int:
    if verdict is Verdict.CLASS:
        assert class_id is not None
        return output_of[class_id]
    return OOD if verdict is Verdict.OOD else _UNSURE
