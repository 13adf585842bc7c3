"""What rows are alike by."""

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from core.errors import Conflict
from models.errors import ModelError
from models.params.select_instructions import SelectInstructionsParams
from models.protocols import Float32Array, Indices, Progress
from models.relabeling.features import embed_rows
from models.similarity import unit_rows
from workers.arrays import write_array
from workers.context import JobContext
from workers.instructions.gather import Rows, texts_of
from workers.instructions.judging import Judging
from workers.judges.embeddings import embed as embed_texts
from workers.judges.errors import OverBudget, Unanswered

_FILE: Final = "features.npy"
_PART: Final = 512
"""Rows that a server embeds before they are kept."""


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
            self._ask(which, out, progress)
            return
        embed_rows(
            self.rows.store(self.context),
            self.rows.indices[which],
            self.params.features,
            flip=False,
            seed=self.rows.seed,
            out=out,
            progress=progress,
        )

    def _ask(self, which: Indices, out: Path, progress: Progress) -> None:
        """Let the judge's server embed, in parts that are each asked for once."""
        judging = Judging.open(self.context, self.params)
        parts: list[Float32Array] = []
        for start in range(0, len(which), _PART):
            progress(start, len(which))
            path = out.with_name(f"{out.stem}-{start}.npy")
            if not path.exists():
                ids = self.rows.examples[which[start : start + _PART]].tolist()
                found = texts_of(self.context.sessions, ids)
                write_array(path, asyncio.run(_embedded(judging, [found[one] for one in ids])))
            parts.append(np.load(path))
        write_array(out, np.concatenate(parts))
        progress(len(which), len(which))


async def _embedded(judging: Judging, texts: list[str]) -> Float32Array:
    async with judging.opened() as judge:
        try:
            return await embed_texts(judge, texts)
        except OverBudget as error:
            raise Conflict(
                "spending_cap",
                f"The judge has cost {error.spent:.4f}, and embedding more texts could take it "
                "over the cap. What is embedded is kept: retry to spend as much again, or cancel "
                "and take other features.",
                field="params.spend_at_most",
            ) from error
        except Unanswered as error:
            raise ModelError(
                f"The judge's server did not embed some texts: {error}. Retry, or take other "
                "features."
            ) from error


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
