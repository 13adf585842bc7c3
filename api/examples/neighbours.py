"""The nearest images by features that rounds and jobs keep: exact, in blocks, without torch."""

from pathlib import Path
from typing import Any, Final

import numpy as np

from core.errors import Conflict
from core.project_settings import ProjectSettings
from core.storage import Storage
from core.tables import Project

_BLOCK: Final = 1 << 15


def embeddings_of(storage: Storage, project: Project) -> tuple[str, Path]:
    """The features of a project's images that were made last, and what made them.

    Raises:
        Conflict: There are none.
    """
    files = [path for path in storage.features(project.id).glob("*.npy") if path.is_file()]
    if not files:
        model = ProjectSettings.model_validate(project.settings).model.name
        raise Conflict(
            "no_features",
            f"Images are compared by features, and none are kept of this pool yet. Where the model "
            f"works with frozen features, the first round makes them; the model {model} may not: "
            "then start the job learn_features.",
        )
    newest = max(files, key=lambda path: path.stat().st_mtime_ns)
    return newest.stem.rpartition("-")[0], newest


def nearest(path: Path, pool_index: int, count: int) -> dict[int, float]:
    """Find the rows that are most similar to one.

    Args:
        path: (N, D) float32 .npy.
        pool_index: The row.
        count: How many others.

    Returns:
        For each row found its cosine similarity, -1..1, the highest first.

    Raises:
        Conflict: There is no such row yet.
    """
    rows: Any = np.load(path, mmap_mode="r")
    if pool_index >= len(rows):
        raise Conflict(
            "no_features_yet",
            "This image was imported after the features were made; the next round adds its own.",
        )
    wanted = np.array(rows[pool_index], dtype=np.float32)
    wanted /= max(float(np.linalg.norm(wanted)), 1e-12)
    similarity = np.empty(len(rows), dtype=np.float32)
    for start in range(0, len(rows), _BLOCK):
        block = np.asarray(rows[start : start + _BLOCK])
        lengths = np.sqrt(np.einsum("ij,ij->i", block, block))
        similarity[start : start + _BLOCK] = (block @ wanted) / np.maximum(lengths, 1e-12)
    similarity[pool_index] = -np.inf
    count = min(count, len(rows) - 1)
    if count <= 0:
        return {}
    best = np.argpartition(-similarity, count - 1)[:count]
    best = best[np.lexsort((best, -similarity[best]))]
    return {int(one): float(np.clip(similarity[one], -1, 1)) for one in best}
