"""What a job that is started by hand works with: the answers of the moment it began."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from sqlalchemy import Row, func, select

from core.artifacts.subsets import UNKNOWN
from core.database.among import among
from core.settings.project import ProjectSettings
from core.tables import Example, Project, ProjectClass, Round, Suggestion
from core.tasks.class_lookup import ClassLookup, folded
from core.verdicts.class_names import naming
from models.media.base import Store
from models.protocols import Indices
from workers.jobs.context import JobContext
from workers.jobs.stores import frame_noted, frame_of, noted, open_store
from workers.labels.snapshot import Snapshot, take
from workers.labels.subset import dropped_of

_FILE = "snapshot.npz"


@dataclass(frozen=True)
class JobInputs:
    """Answers, examples and the seed of a project, frozen for one job."""

    snapshot: Snapshot
    store: Store
    seed: int


def freeze(context: JobContext, *, in_use: bool = False) -> JobInputs:
    """Take the snapshot that the job, and whoever resumes it, works with.

    Args:
        context: Of the job.
        in_use: Leave out of training what the subset drops that the project trains on.

    Raises:
        Conflict: ``subset_file_missing``, the file of that subset is gone.
    """
    with context.sessions() as session:
        project = session.get_one(Project, context.project_id)
        settings = ProjectSettings.model_validate(project.settings)
        last = select(func.max(Round.number)).where(Round.project_id == context.project_id)
        snapshot = take(session, context.project_id, session.scalar(last))
        if in_use:
            dropped = dropped_of(session, context.storage, settings.subset, snapshot)
            snapshot = replace(snapshot, dropped=dropped)
        frame = frame_of(project.medium, settings)
    snapshot.save(context.work / _FILE)
    context.save({"known": {**noted(frame), "seed": settings.seed}})
    return frozen(context)


def class_names(context: JobContext, class_ids: Indices) -> list[str]:
    """Return what the classes with (n,) ids are called, in order; of one that is gone the id."""
    statement = select(ProjectClass.id, ProjectClass.name).where(
        among(ProjectClass.id, class_ids.tolist())
    )
    with context.sessions() as session:
        names = dict(session.execute(statement).all())
    return [names.get(class_id, str(class_id)) for class_id in class_ids.tolist()]


def example_ids(context: JobContext, indices: Indices) -> Indices:
    """Return the ids of the examples at (N,) pool indices: (N,) int64."""
    with context.sessions() as session:
        statement = (
            select(Example.pool_index, Example.id)
            .where(
                Example.project_id == context.project_id,
                among(Example.pool_index, indices.tolist()),
            )
            .order_by(Example.pool_index)
        )
        table = np.array(session.execute(statement).all(), dtype=np.int64).reshape(-1, 2)
    examples: Indices = table[np.searchsorted(table[:, 0], indices), 1]
    return examples


def true_classes(context: JobContext, indices: Indices) -> Indices:
    """Return the classes that the examples at (N,) ascending pool indices came with.

    The truth of an example is known when the label in its metadata means a class of the project, by
    the name that this has, as an import reads it, or had before.

    Returns:
        (N,) int64 ids of classes, ``UNKNOWN`` where the truth is not known.
    """
    label = func.jsonb_extract_path_text(Example.meta, "label")
    statement = select(Example.pool_index, label).where(
        Example.project_id == context.project_id,
        among(Example.pool_index, indices.tolist()),
        label.is_not(None),
    )
    with context.sessions() as session:
        labels = session.execute(statement).all()
        mean = _meanings(session.execute(naming(context.project_id)).all())
    meant = {text: mean(text) for text in {text for _, text in labels}}
    found: Indices = np.full(len(indices), UNKNOWN, dtype=np.int64)
    rows = np.searchsorted(indices, np.array([index for index, _ in labels], dtype=np.int64))
    found[rows] = [meant[text] for _, text in labels]
    return found


def _meanings(names: Sequence[Row[int, str, int | None]]) -> Callable[[str], int]:
    """Return what tells the class that a text means; ``names`` are those of ``naming``."""
    present = ClassLookup({name: id_ for id_, name, until in names if until is None})
    former: dict[str, set[int]] = defaultdict(set)
    for class_id, name, until in names:
        if until is not None:
            former[folded(name)].add(class_id)
    there = set(present.values())

    def mean(text: str) -> int:
        if text in present:
            return present[text]
        # Of a name that several have had nobody knows whose it was when the example came.
        had = set() if present.rivals(text) else former.get(folded(text), set())
        return next(iter(had)) if len(had) == 1 and had <= there else UNKNOWN

    return mean


def before_review(context: JobContext, snapshot: Snapshot, indices: Indices) -> Indices:
    """Return the classes of labels that reviews of suggestions have decided on, as they were given.

    Returns:
        (N,) int64 ids of classes for (N,) pool indices, ``UNKNOWN`` where no review has decided.
    """
    result = np.full(len(indices), UNKNOWN, dtype=np.int64)
    statement = (
        select(Example.pool_index, Suggestion.given_class_id)
        .join(Example, Example.id == Suggestion.example_id)
        .where(
            Suggestion.project_id == context.project_id,
            Suggestion.job_id.is_not(None),
            Suggestion.decision.is_not(None),
            Suggestion.given_class_id.is_not(None),
        )
        # What the first of several was asked about is what was given.
        .order_by(Suggestion.job_id.desc())
    )
    with context.sessions() as session:
        found = {index: given or UNKNOWN for index, given in session.execute(statement)}
    for row in np.flatnonzero(np.isin(indices, snapshot.reviewed)).tolist():
        result[row] = found.get(int(indices[row]), UNKNOWN)
    return result


def frozen(context: JobContext) -> JobInputs:
    """Read what ``freeze`` took."""
    known = context.known
    snapshot = Snapshot.load(context.work / _FILE)
    store = open_store(context.storage, context.project_id, frame_noted(known), snapshot.count)
    return JobInputs(snapshot, store, known["seed"])
