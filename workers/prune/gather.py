"""What a pruning job begins with, and what it refuses before it takes hours."""

from typing import Any

import numpy as np

from models.errors import ModelError
from models.params.prune import PruneParams
from models.protocols import Indices
from models.pruning.view import PruningView
from workers.features.stored import LearnedFeatures, latest
from workers.knowledge import Knowledge, freeze
from workers.runner import JobContext


def gather(context: JobContext) -> Knowledge:
    """Freeze the labels.

    Raises:
        ModelError: They could not be pruned.
    """
    known = freeze(context)
    indices, labels = known.snapshot.inside()
    if len(np.unique(labels)) < 2:
        raise ModelError(
            "Fewer than two classes have a labeled image; label some images of each class first."
        )
    params = PruneParams.model_validate(context.params)
    params.keep_of(len(indices))
    if params.method == "ssp":
        features = learned_features(context, indices)
        PruningView(labels, known.snapshot.classes, self_supervised=features).given(
            "self_supervised"
        )
    return known


def learned_features(context: JobContext, indices: Indices) -> Any:
    """Features of the labeled images by the job that learns them, or None."""
    with context.sessions() as session:
        job_id = latest(session, context.project_id)
    if job_id is None:
        return None
    features = LearnedFeatures.of(context.storage, context.project_id, job_id)
    rows = features.rows() if features.exist else np.empty((0, 0))
    # Images that were imported since have none until a round embeds them.
    return np.asarray(rows[indices]) if len(rows) > indices.max() else None
