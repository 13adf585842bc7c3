"""The nearest images by features that rounds and jobs keep, without torch."""

from typing import Final

import numpy as np

from core.artifacts import features
from core.artifacts.features import Features
from core.artifacts.nearness import similarities, unit_mean
from core.errors import Conflict
from core.files.storage import Storage
from core.settings.project import ProjectSettings
from core.states import Medium
from core.tables import Project
from models.catalog.params.networks import compared_width

NOT_YET: Final = (
    "no_features_yet",
    "This image was imported after the features were made; the next round adds its own.",
)


def features_of(storage: Storage, project: Project) -> Features:
    """The features of a project's images that were made last.

    Raises:
        Conflict: There are none.
    """
    model = ProjectSettings.model_validate(project.settings).model.name
    try:
        return features.features_of(storage, project.id, model, compared_width)
    except Conflict as missing:
        if project.medium is not Medium.TEXT:
            raise
        # Every model of texts works with frozen features, and no job learns others.
        raise Conflict(
            missing.code,
            "Texts are compared by features, and none are kept of this pool yet: the first round "
            "makes them.",
        ) from missing


def nearest(kept: Features, pool_index: int, count: int) -> dict[int, float]:
    """Find the images that are most similar to one.

    Args:
        kept: Of the project.
        pool_index: The image.
        count: How many others.

    Returns:
        For each pool index found its cosine similarity, -1..1, the highest first.

    Raises:
        Conflict: There is no such row yet.
    """
    if pool_index >= kept.count:
        raise Conflict(*NOT_YET)
    wanted = unit_mean([kept.row(pool_index)])
    similarity = similarities(kept.path, wanted, kept.width)
    similarity[pool_index] = -np.inf
    count = min(count, len(similarity) - 1)
    if count <= 0:
        return {}
    best = np.argpartition(-similarity, count - 1)[:count]
    best = best[np.lexsort((best, -similarity[best]))]
    return {int(one): float(similarity[one]) for one in best}
