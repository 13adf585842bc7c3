"""What a round knows, frozen when its job begins.

Annotators go on while the job runs. Everything that is computed reads this snapshot, so that a job
that was killed and resumed computes the same as one that was not.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import func, select
from sqlalchemy.dialects.postgresql import distinct_on
from sqlalchemy.orm import Session

from core.states import Split, Verdict
from core.storage import write_atomically
from core.tables import Annotation, Example, ProjectClass, Round
from models.protocols import OOD

# Labels below any class: an image that was looked at and has no verdict a model can learn from.
_UNSURE: Final = -2

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
        label_rounds: (L,) int64 number of the round each verdict counts to.
        evaluation: (E,) int64 pool indices of the evaluation split.
        evaluation_labels: (E,) int64 in 0..C-1.
        auxiliary: (A,) int64 pool indices of the auxiliary OOD split.
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
    dropped: Array = field(default_factory=lambda: np.empty(0, dtype=np.int64))

    @property
    def classes(self) -> int:
        """C."""
        return len(self.class_ids)

    def inside(self) -> tuple[Array, Array]:
        """Pool indices and labels of the in-distribution verdicts."""
        known = self.labels != OOD
        return self.labeled[known], self.labels[known]

    def answered_in(self, number: int) -> tuple[Array, Array]:
        """Pool indices and labels of the verdicts that count to round ``number``."""
        mine = self.label_rounds == number
        return self.labeled[mine], self.labels[mine]

    def save(self, path: Path) -> None:
        """Write all arrays to one file, atomically."""

        def write(part: Path) -> None:
            with part.open("wb") as file:
                np.savez(file, **self.__dict__)

        write_atomically(path, write)

    @classmethod
    def load(cls, path: Path) -> "Snapshot":
        """Read what ``save`` wrote."""
        with np.load(path) as arrays:
            values = {name: arrays[name] for name in arrays.files}
        return cls(**{**values, "count": int(values["count"])})


def take(session: Session, project_id: int, closing: int | None) -> Snapshot:
    """Read the snapshot of a project for the job that closes round ``closing``.

    Answers that count to later rounds (zero-wait answers) are left out: their images are still
    unlabeled as far as this round is concerned, and become the next round's validation set.
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
    labeled, labels, numbers = _verdicts(session, project_id, closing, output_of)
    pool = _pool_indices(session, project_id, Split.POOL)
    evaluation = session.execute(
        select(Example.pool_index, Example.label_class_id)
        .where(Example.project_id == project_id, Example.split == Split.EVALUATION)
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
    )


def _pool_indices(session: Session, project_id: int, split: Split) -> Array:
    statement = (
        select(Example.pool_index)
        .where(Example.project_id == project_id, Example.split == split)
        .order_by(Example.pool_index)
    )
    return np.fromiter(session.scalars(statement), dtype=np.int64)


def _verdicts(
    session: Session, project_id: int, closing: int | None, output_of: dict[int, int]
) -> tuple[Array, Array, Array]:
    """(pool index, label, round) of each example's verdict up to the closing round."""
    if closing is None:
        empty = np.empty(0, dtype=np.int64)
        return empty, empty, empty
    latest = (
        select(Example.pool_index, Annotation.verdict, Annotation.class_id, Round.number)
        .ext(distinct_on(Annotation.example_id))
        .join(Example, Example.id == Annotation.example_id)
        .join(Round, Round.id == Annotation.round_id)
        .where(Annotation.project_id == project_id, Annotation.counted, Round.number <= closing)
        .order_by(Annotation.example_id, Annotation.id.desc())
    )
    rows = sorted(
        (pool_index, _label(verdict, class_id, output_of), number)
        for pool_index, verdict, class_id, number in session.execute(latest)
        if verdict is not Verdict.SKIP
    )
    table = np.array(rows, dtype=np.int64).reshape(-1, 3)
    return table[:, 0], table[:, 1], table[:, 2]


def _label(verdict: Verdict, class_id: int | None, output_of: dict[int, int]) -> int:
    if verdict is Verdict.CLASS:
        assert class_id is not None
        return output_of[class_id]
    return OOD if verdict is Verdict.OOD else _UNSURE
