"""What a pruning job begins with, and what it refuses before it takes hours."""

from typing import Any

import numpy as np

from models.catalog.params.prune import PruneParams
from models.errors import SHOWN_NAMES, ModelError, listed
from models.media.images.store import images_of
from models.protocols import Float32Array, Indices
from models.pruning.frozen_warm_up import FrozenWarmUp
from models.pruning.run import finite_rows
from models.pruning.view import PruningView
from models.pruning.warm_up import WarmUp
from workers.features.stored import LearnedFeatures, latest
from workers.jobs.context import JobContext
from workers.labels.job_inputs import JobInputs, example_ids, freeze


def gather(context: JobContext, params: PruneParams) -> JobInputs:
    """Freeze the labels.

    Raises:
        ModelError: They could not be pruned, or learned features of theirs are NaN or infinite.
        NotReady: The method looks at learned features, and there are none.
    """
    known = freeze(context)
    indices, labels = known.snapshot.inside()
    if len(np.unique(labels)) < 2:
        raise ModelError(
            "Fewer than two classes have a labeled image; label some images of each class first."
        )
    params.keep_of(len(indices))
    if params.method == "ssp" and not params.frozen:
        features = learned_features(context, indices)
        view = PruningView(labels, known.snapshot.classes, self_supervised=features)
        _require_finite(context, view.given("self_supervised"), indices)
    return known


def warm_up_of(context: JobContext, known: JobInputs, params: PruneParams) -> WarmUp | FrozenWarmUp:
    """Return the training of a job, whose files are with its unfinished work."""
    indices, labels = known.snapshot.inside()
    if params.frozen:
        return FrozenWarmUp(
            known.store,
            indices,
            labels,
            classes=known.snapshot.classes,
            params=params,
            seed=known.seed,
            work=context.work / "warm-up",
            evaluation=known.snapshot.evaluation,
        )
    return WarmUp(
        images_of(known.store),
        indices,
        labels,
        classes=known.snapshot.classes,
        params=params,
        seed=known.seed,
        work=context.work / "warm-up",
    )


def _require_finite(context: JobContext, features: Float32Array, indices: Indices) -> None:
    """Refuse NaN and infinity in (N, E) features of the examples at (N,) pool indices."""
    bad = indices[~finite_rows(features)]
    if len(bad):
        shown = listed(example_ids(context, bad[:SHOWN_NAMES]), len(bad))
        raise ModelError(
            f"The learned features are not finite for {len(bad)} of {len(indices)} labeled images "
            f"(id {shown}); start the job learn_features again."
        )


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
