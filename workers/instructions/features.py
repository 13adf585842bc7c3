"""What rows are alike by."""

from typing import Final

import numpy as np

from models.params.select_instructions import SelectInstructionsParams
from models.protocols import Float32Array, Indices, Progress
from models.relabeling.features import embed_rows
from models.similarity import unit_rows
from workers.context import JobContext
from workers.instructions.gather import Rows

_FILE: Final = "features.npy"


def embed(
    context: JobContext, params: SelectInstructionsParams, rows: Rows, progress: Progress
) -> None:
    """Compute features of the rows; one that was cut off goes on where it was."""
    if params.features == "judge":
        raise NotImplementedError
    embed_rows(
        rows.store(context),
        rows.indices,
        params.features,
        flip=False,
        seed=rows.seed,
        out=context.work / _FILE,
        progress=progress,
    )


def features_of(context: JobContext) -> Float32Array:
    """What ``embed`` has left: (N, D) float32 of unit length."""
    found: Float32Array = np.load(context.work / _FILE)
    return unit_rows(found)


def sample_of(rows: Rows, most: int) -> Indices:
    """Positions of a random sample of the rows, ascending."""
    mixed = np.random.default_rng(rows.seed).permutation(len(rows))
    found: Indices = np.sort(mixed[:most])
    return found
