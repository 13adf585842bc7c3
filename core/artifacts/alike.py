"""The file of what a job has found that compares all images: which are alone, which are twins."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from core.files.storage import write_atomically

NEAREST = 10
"""An image is as isolated as so many others are far from it, on the average."""


@dataclass(frozen=True)
class Alike:
    """What is known of N images, by pool index.

    Attributes:
        isolation: (N,) float32, mean cosine distance to the nearest others, 0..2, higher = more
            alone; NaN where it is not known.
        group: (N,) int64, of images that show the same picture the pool index of the one that
            stands for them; -1 for all others.
    """

    isolation: NDArray[np.float32]
    group: NDArray[np.int64]


def write_alike(path: Path, found: Alike) -> None:
    """Write what was found, atomically."""
    table = pa.table({"isolation": found.isolation, "group": found.group})
    write_atomically(path, lambda part: pq.write_table(table, part, compression="zstd"))


def read_alike(path: Path) -> Alike:
    """Read what was found.

    Raises:
        FileNotFoundError: There is no such file.
    """
    table: Any = pq.read_table(path)
    return Alike(
        table["isolation"].to_numpy().astype(np.float32), table["group"].to_numpy().astype(np.int64)
    )
