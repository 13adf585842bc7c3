"""What a round knows, frozen when its job begins.

Annotators go on while the job runs. Everything that is computed reads this snapshot, so that a job
that was killed and resumed computes the same as one that was not.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import exists, func, or_, select
from sqlalchemy.orm import Session, aliased

from core.states import ExampleState, Source, Split, Verdict
from core.tables import Annotation, Example, Project, ProjectClass, Round
from core.tasks.classification import CLASSIFICATION
from core.tasks.registry import task_type
from models.files.arrays import read_arrays, write_arrays
from models.protocols import OOD, OpenSetLabels
from models.tasks.base import Targets
from workers.labels.draws import read_draws
from workers.labels.learners import learner_of
from workers.labels.verdicts import Verdicts, read_labeled_by_models, read_truths, read_verdicts

_TARGETS: Final = ("targets", "evaluation_targets", "audited_targets")
# Of a million rows, no more are objects at a time.
_ROWS: Final = 10_000
# No output of a model stands for the class.
_UNKNOWN: Final = -1

Array = NDArray[np.int64]


@dataclass(frozen=True)
class Snapshot:
    """The state of a project's knowledge at one instant.

    Attributes:
        count: Examples of the project, over all splits: rows of its pixel store.
        task: The project's task type.
        class_ids: (C,) int64, class of each model output; empty where labels know no classes.
        unlabeled: (N,) int64 pool indices without a verdict, ascending.
        labeled: (L,) int64 pool indices of every verdict with a label and of OOD, ascending.
        is_ood: (L,) bool, which of them are OOD.
        targets: L, what the others are; of OOD the rows mean nothing.
        label_rounds: (L,) int64 number of the round that each was first said in, whenever it was
            asked about again; ``BEFORE_ROUNDS`` for an imported one.
        evaluation: (E,) int64 pool indices of the evaluation split.
        evaluation_targets: E, what they are.
        auxiliary: (A,) int64 pool indices of the auxiliary OOD split.
        reviewed: (R,) int64 pool indices whose verdict is a reviewer's, ascending.
        requested: (Q,) int64 pool indices that somebody chose, and no strategy, to be asked about
            first, ascending.
        typical: (T,) pool indices that the first queue chose, and that were not drawn at random
            from the pool, ascending; labeled ones only.
        outside: (S,) int64 pool indices of what was labeled since the first round opened, and first
            in none: by hand, under a certificate, or by an import of labels, ascending.
        outside_is_ood: (S,) bool, which of them are OOD by now.
        dropped: (D,) int64 pool indices whose label a subset leaves out of training.
        audited: (R,) int64 pool indices of random draws that have an answer, ascending; nothing
            learns from them, and no strategy knows that they are answered (``docs/adr``, 0055).
        audited_is_ood: (R,) bool, which of them are OOD.
        audited_is_unsure: (R,) bool, of which nobody could say what they are.
        audited_targets: R, what the others are.
    """

    task: str
    count: int
    class_ids: Array
    unlabeled: Array
    labeled: Array
    is_ood: NDArray[np.bool_]
    targets: Targets
    label_rounds: Array
    evaluation: Array
    evaluation_targets: Targets
    auxiliary: Array = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    reviewed: Array = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    requested: Array = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    typical: Array = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    outside: Array = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    outside_is_ood: NDArray[np.bool_] = field(default_factory=lambda: np.empty(0, dtype=np.bool_))
    dropped: Array = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    audited: Array = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    audited_is_ood: NDArray[np.bool_] = field(default_factory=lambda: np.empty(0, dtype=np.bool_))
    audited_is_unsure: NDArray[np.bool_] = field(
        default_factory=lambda: np.empty(0, dtype=np.bool_)
    )
    audited_targets: Targets | None = None

    @property
    def candidates(self) -> Array:
        """(M,) pool indices that a strategy ranks: unlabeled, or drawn and as good as unlabeled."""
        return np.union1d(self.unlabeled, self.audited)

    @property
    def classes(self) -> int:
        """C, how many outputs a model has: one where labels know no classes."""
        return len(self.class_ids) if task_type(self.task).fewest_classes else 1

    @property
    def labels(self) -> OpenSetLabels:
        """The L verdicts as scores and strategies take them.

        OOD is, too, what has a label that says that nothing is in it.
        """
        said = self.targets.outputs()
        return OpenSetLabels.of(said.classes, self.is_ood | said.is_ood)

    @property
    def evaluation_labels(self) -> Array:
        """(E,) int64 in 0..C-1."""
        return self.evaluation_targets.outputs().classes

    @property
    def ood(self) -> Array:
        """Pool indices of the OOD verdicts, ascending."""
        return self.labeled[self.is_ood]

    def inside(self) -> tuple[Array, Array]:
        """Pool indices and classes of the in-distribution verdicts."""
        known = ~self.is_ood
        return self.labeled[known], self.targets.outputs().classes[known]

    def trained(self) -> tuple[Array, Targets]:
        """Pool indices and targets of those that no subset leaves out."""
        kept = np.flatnonzero(~self.is_ood & ~np.isin(self.labeled, self.dropped))
        return self.labeled[kept], self.targets.take(kept)

    def answered_in(self, number: int) -> Array:
        """(n,) positions in ``labeled`` of what the strategy of round ``number`` asked about first.

        What somebody sent was not chosen, and says nothing of what would have been.
        """
        chosen = ~np.isin(self.labeled, self.requested)
        return np.flatnonzero(chosen & (self.label_rounds == number))

    def known_to(self, class_ids: Sequence[int], positions: Array) -> tuple[Array, OpenSetLabels]:
        """What a model that was trained with other classes, or in another order, knows of verdicts.

        Args:
            class_ids: Class of each of its outputs; empty where labels know no classes.
            positions: (n,) in ``labeled``.

        Returns:
            (K,) those of the positions that are OOD or of one of its classes; K labels, by its
            outputs.
        """
        labels = self.labels[positions]
        if len(self.class_ids) == 0:
            return positions, labels
        then = {class_id: output for output, class_id in enumerate(class_ids)}
        of = np.array([then.get(one, _UNKNOWN) for one in self.class_ids.tolist()])
        labels = OpenSetLabels.of(of[labels.classes], labels.is_ood)
        known = np.flatnonzero(labels.is_ood | (labels.classes != _UNKNOWN))
        return positions[known], labels[known]

    def said_of_draws(self, indices: Array) -> tuple[OpenSetLabels, NDArray[np.bool_]]:
        """What people say of (n,) random draws, and which of these are unsure.

        An unsure one, and one without an answer, which is as good, is neither of a class nor OOD,
        whatever stands there.
        """
        classes, is_ood = np.zeros(len(indices), dtype=np.int64), np.ones(len(indices), dtype=bool)
        unsure = np.ones(len(indices), dtype=np.bool_)
        known = np.flatnonzero(np.isin(indices, self.audited))
        if len(known):
            assert self.audited_targets is not None
            at = np.searchsorted(self.audited, indices[known])
            said = self.audited_targets.take(at).outputs()
            classes[known], is_ood[known] = said.classes, self.audited_is_ood[at] | said.is_ood
            unsure[known] = self.audited_is_unsure[at]
        return OpenSetLabels.of(classes, is_ood), unsure

    def save(self, path: Path) -> None:
        """Write all arrays to one file, atomically."""
        values = dict(self.__dict__)
        for name in _TARGETS:
            held: Targets | None = values.pop(name)
            if held is None:
                continue
            values |= {f"{name}/{key}": array for key, array in held.arrays().items()}
        write_arrays(path, values)

    @classmethod
    def load(cls, path: Path) -> "Snapshot":
        """Read what ``save`` wrote, of an earlier version too."""
        values: dict[str, Any] = read_arrays(path)
        if "task" not in values:
            _renew(values)
        task = str(values.pop("task"))
        learner = learner_of(task)
        for name in _TARGETS:
            keys = [key for key in values if key.startswith(f"{name}/")]
            if not keys:
                continue
            arrays = {key.removeprefix(f"{name}/"): values.pop(key) for key in keys}
            values[name] = learner.load(arrays)
        return cls(task=task, **{**values, "count": int(values["count"])})


def _renew(values: dict[str, Any]) -> None:
    """Bring up to date what a version wrote that knew classes only, and OOD among them."""
    labels = values.pop("labels")
    values["task"], values["is_ood"] = CLASSIFICATION.name, labels == OOD
    values["targets/classes"] = np.where(labels == OOD, 0, labels)
    values["evaluation_targets/classes"] = values.pop("evaluation_labels")


def take(
    session: Session,
    project_id: int,
    closing: int | None,
    released: Collection[int] = (),
    *,
    models: bool = False,
) -> Snapshot:
    """Read the snapshot of a project for the job that closes round ``closing``.

    Of an example with several verdicts the snapshot holds what they amount to. Answers that count
    to later rounds (zero-wait answers) are left out: their images are still what they were as far
    as this round is concerned, and those that had no verdict become the next round's validation
    set. Labels that were imported are always known.

    What models have labeled under certificates is neither labeled nor unlabeled, unless ``models``
    are to be learned from.

    Args:
        session: To read with.
        project_id: The project.
        closing: Number of the round; without one, before the first.
        released: Pool indices of draws that are learned from as of this round.
        models: Whether what models have labeled is learned from.
    """
    name = session.scalars(select(Project.task).where(Project.id == project_id)).one()
    task = task_type(name)
    class_ids = session.scalars(
        select(ProjectClass.id)
        .where(ProjectClass.project_id == project_id)
        .order_by(ProjectClass.position)
    ).all()
    found = read_verdicts(session, project_id, task, class_ids, closing, models=models)
    known_otherwise = np.union1d(found.indices, read_labeled_by_models(session, project_id))
    evaluation, truths = read_truths(session, project_id, task, class_ids)
    pool = pool_indices(session, project_id, Split.POOL)
    count = session.scalar(select(func.count()).where(Example.project_id == project_id)) or 0
    draws = read_draws(session, project_id, closing, released)
    drawn = np.isin(found.indices, draws.indices)
    known = np.flatnonzero(~found.is_unsure & ~drawn)
    labeled = found.indices[known]
    # What the strategy would have asked about counts as of when it would have.
    as_of = np.maximum(found.rounds[known], draws.learned_as_of(labeled))
    released = np.isin(labeled, draws.released)
    return Snapshot(
        task=name,
        count=count,
        class_ids=np.array(class_ids if task.fewest_classes else (), dtype=np.int64),
        unlabeled=np.setdiff1d(pool, known_otherwise, assume_unique=True),
        labeled=labeled,
        is_ood=found.is_ood[known],
        targets=found.targets.take(known),
        label_rounds=as_of,
        evaluation=evaluation,
        evaluation_targets=truths,
        auxiliary=pool_indices(session, project_id, Split.AUXILIARY_OOD),
        reviewed=labeled[found.reviewed[known]],
        requested=labeled[found.requested[known] & ~released],
        typical=labeled[found.typical[known] | released],
        **_audited(found, np.flatnonzero(drawn)),
    )


def _audited(found: Verdicts, at: Array) -> dict[str, Any]:
    """The fields of what was drawn and has a verdict: (R,) positions ``at`` among those."""
    return {
        "audited": found.indices[at],
        "audited_is_ood": found.is_ood[at],
        "audited_is_unsure": found.is_unsure[at],
        "audited_targets": found.targets.take(at),
    }


def labeled_outside(session: Session, project_id: int) -> dict[str, Any]:
    """Read ``outside`` and ``outside_is_ood`` of a snapshot, which closing rounds alone look at."""
    opened = select(Round.opened_at).where(Round.project_id == project_id, Round.number == 0)
    said = aliased(Annotation)
    before = exists().where(
        said.example_id == Annotation.example_id,
        said.id < Annotation.id,
        said.counted,
        said.verdict != Verdict.SKIP,
    )
    statement = (
        select(Example.pool_index, Example.state == ExampleState.OOD)
        .join(Annotation, Annotation.example_id == Example.id)
        .where(
            Annotation.project_id == project_id,
            Annotation.round_id.is_(None),
            Annotation.counted,
            Annotation.verdict != Verdict.SKIP,
            Annotation.created_at >= opened.scalar_subquery(),
            ~before,
            # What came in with its label has never been without one.
            or_(Annotation.source != Source.IMPORT, Annotation.job_id != Example.import_id),
            Example.state.in_((ExampleState.LABELED, ExampleState.OOD)),
        )
        .order_by(Example.pool_index)
        .execution_options(yield_per=_ROWS)
    )
    rows = (tuple(row) for row in session.execute(statement))
    found = np.fromiter(rows, dtype=np.dtype((np.int64, 2)))
    return {"outside": found[:, 0], "outside_is_ood": found[:, 1] == 1}


def pool_indices(session: Session, project_id: int, split: Split) -> Array:
    """Pool indices of a project's examples of one split that are not held out, ascending: int64."""
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
