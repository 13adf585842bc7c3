"""What a relabeling begins with, and what it refuses before it takes hours."""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from core.artifacts.subsets import UNKNOWN
from core.states import ArtifactKind
from core.tables import Artifact
from models.catalog.params.relabel import RelabelParams
from models.errors import ModelError
from models.files.arrays import read_arrays, write_arrays
from models.protocols import Indices
from models.relabeling.run import require_learnable
from workers.jobs.context import JobContext
from workers.labels.job_inputs import (
    JobInputs,
    before_review,
    class_names,
    freeze,
    frozen,
    true_classes,
)
from workers.labels.snapshot import Snapshot
from workers.labels.subset import dropped_of
from workers.relabel.votes import take_votes

_FILE: Final = "gathered.npz"


@dataclass(frozen=True)
class Gathered:
    """The labels of a project, frozen for one job.

    Attributes:
        known: Answers, pixels and the seed.
        trained: (N,) bool, which of the labeled images are learned from.
        true_ids: (N,) int64, ids of the true classes, ``UNKNOWN`` where they are not known.
        before_ids: (L,) int64, of all labeled images: ids of the classes that they were given
            before a review of suggestions, ``UNKNOWN`` where none has decided.
    """

    known: JobInputs
    trained: NDArray[np.bool_]
    true_ids: Indices
    before_ids: Indices

    @property
    def trained_on(self) -> Indices:
        """(n,) positions of the images that are learned from, ascending."""
        return np.flatnonzero(self.trained)


def gather(context: JobContext, params: RelabelParams) -> Gathered:
    """Freeze the labels.

    Raises:
        ModelError: Nothing could be learned from them.
        Conflict: The file of the subset is lost.
    """
    known = freeze(context)
    indices, labels = known.snapshot.inside()
    trained = np.ones(len(indices), dtype=np.bool_)
    if params.subset is not None:
        trained = ~np.isin(indices, _dropped(context, params.subset, known.snapshot))
    require_learnable(
        labels,
        known.snapshot.classes,
        np.flatnonzero(trained),
        class_names(context, known.snapshot.class_ids),
    )
    take_votes(context, known.snapshot)
    true_ids, before_ids = (
        true_classes(context, indices),
        before_review(context, known.snapshot, known.snapshot.labeled),
    )
    arrays = {"trained": trained, "true_ids": true_ids, "before_ids": before_ids}
    write_arrays(context.work / _FILE, arrays)
    return Gathered(known, trained, true_ids, before_ids)


def gathered_before(context: JobContext) -> Gathered:
    """Read what ``gather`` froze."""
    known, arrays = frozen(context), read_arrays(context.work / _FILE)
    # A job that was on its way before this was asked has a file without it.
    nobody = np.full(len(known.snapshot.labeled), UNKNOWN, dtype=np.int64)
    return Gathered(known, **{"before_ids": nobody, **arrays})


def _dropped(context: JobContext, subset: int, snapshot: Snapshot) -> Indices:
    with context.sessions() as session:
        artifact = session.get(Artifact, subset)
        if (
            artifact is None
            or artifact.project_id != context.project_id
            or artifact.kind is not ArtifactKind.SUBSET
        ):
            raise ModelError(
                f"The project has no subset {subset}; take the subset_id of a finished job prune, "
                "or leave subset empty."
            )
        return dropped_of(session, context.storage, subset, snapshot)
