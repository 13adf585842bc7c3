"""Features of a project's images as their readers see them: a file of rows by pool index."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.lib.format import open_memmap
from numpy.typing import NDArray

from core.errors import Conflict
from core.storage import Storage


@dataclass(frozen=True)
class Features:
    """Features of a project's images.

    Attributes:
        name: What made them.
        path: (N, D) float32 .npy, rows by pool index.
        stamp: Changes with the file.
        count: N.
        width: How many leading columns say how alike two images are.
    """

    name: str
    path: Path
    stamp: int
    count: int
    width: int

    def row(self, pool_index: int) -> NDArray[np.float32]:
        """What is compared of one image: (width,)."""
        rows = open_memmap(self.path, mode="r")
        return np.array(rows[pool_index, : self.width], dtype=np.float32)


def features_of(
    storage: Storage, project_id: int, model: str, compared_width: Callable[[str, int], int]
) -> Features:
    """The features of a project's images that were made last.

    Args:
        storage: Where they are.
        project_id: The project.
        model: What its model is called, to say why there are none.
        compared_width: How many columns are compared, of a model's name and their number.

    Raises:
        Conflict: ``no_features``.
    """
    files = [path for path in storage.features(project_id).glob("*.npy") if path.is_file()]
    if not files:
        raise Conflict(
            "no_features",
            f"Images are compared by features, and none are kept of this pool yet. Where the model "
            f"works with frozen features, the first round makes them; the model {model} may not: "
            "then start the job learn_features.",
        )
    newest = max(files, key=lambda path: path.stat().st_mtime_ns)
    stamp = newest.stat().st_mtime_ns
    name = newest.stem.rpartition("-")[0]
    count, width = open_memmap(newest, mode="r").shape
    return Features(name, newest, stamp, count, compared_width(name, width))
