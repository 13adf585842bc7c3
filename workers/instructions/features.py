"""What rows are alike by."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from models.params.select_instructions import SelectInstructionsParams
from models.protocols import Float32Array, Indices, Progress
from models.relabeling.features import embed_rows
from models.similarity import unit_rows
from workers.context import JobContext
from workers.instructions.gather import Rows

_FILE: Final = "features.npy"


@dataclass(frozen=True)
class Embedder:
    """What computes features of rows.

    Attributes:
        context: Of the job.
        params: What it is asked.
        rows: What is chosen from.
    """

    context: JobContext
    params: SelectInstructionsParams
    rows: Rows

    def write(self, which: Indices, out: Path, progress: Progress) -> None:
        """Write features of rows to a file; a call that was cut off goes on there.

        Args:
            which: (n,) positions.
            out: (n, D) float32 .npy.
            progress: Counts rows; may raise what stops the job.
        """
        if self.params.features == "judge":
            raise NotImplementedError
        embed_rows(
            self.rows.store(self.context),
            self.rows.indices[which],
            self.params.features,
            flip=False,
            seed=self.rows.seed,
            out=out,
            progress=progress,
        )


def embed(
    context: JobContext, params: SelectInstructionsParams, rows: Rows, progress: Progress
) -> None:
    """Compute features of all rows."""
    embedder = Embedder(context, params, rows)
    embedder.write(np.arange(len(rows)), context.work / _FILE, progress)


def features_of(context: JobContext) -> Float32Array:
    """What ``embed`` has left: (N, D) float32 of unit length."""
    found: Float32Array = np.load(context.work / _FILE)
    return unit_rows(found)


def sample_of(rows: Rows, most: int) -> Indices:
    """Positions of a random sample of the rows, ascending."""
    mixed = np.random.default_rng(rows.seed).permutation(len(rows))
    found: Indices = np.sort(mixed[:most])
    return found
