"""What a relabeling begins with, and what it refuses before it takes hours."""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from core.states import ArtifactKind
from core.tables import Artifact
from models.errors import ModelError
from models.params.relabel import RelabelParams
from models.protocols import Indices
from models.relabeling.run import require_learnable
from workers.arrays import read_arrays, write_arrays
from workers.knowledge import Knowledge, class_names, freeze, frozen, true_classes
from workers.relabel.votes import take_votes
from workers.runner import JobContext
from workers.snapshot import Snapshot
from workers.subset import dropped_of

_FILE: Final = "gathered.npz"


@dataclass(frozen=True)
class Gathered:
    """The labels of a project, frozen for one job.

    Attributes:
        known: Answers, pixels and the seed.
        trained: (N,) bool, which of the labeled images are learned from.
        true_ids: (N,) int64, ids of the true classes, ``UNKNOWN`` where they are not known.
    """

    known: Knowledge
    trained: NDArray[np.bool_]
    true_ids: Indices

    @property
    def trained_on(self) -> Indices:
        """(n,) positions of the images that are learned from, ascending."""
        return np.flatnonzero(self.trained)


def gather(context: JobContext) -> Gathered:
    """Freeze the labels.

    Raises:
        ModelError: Nothing could be learned from them.
        Conflict: The file of the subset is lost.
    """
    params = RelabelParams.model_validate(context.params)
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
    gathered = Gathered(known, trained, true_classes(context, indices))
    write_arrays(context.work / _FILE, {"trained": gathered.trained, "true_ids": gathered.true_ids})
    return gathered


def gathered_before(context: JobContext) -> Gathered:
    """Read what ``gather`` froze."""
    return Gathered(frozen(context), **read_arrays(context.work / _FILE))


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
