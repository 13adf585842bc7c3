"""What rows are alike by."""

import hashlib
import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from models.catalog.params.select_instructions import SelectInstructionsParams
from models.errors import ModelError
from models.features.chosen import embed_rows
from models.files.arrays import write_array
from models.numerics.similarity import unit_rows
from models.protocols import Float32Array, Indices, Progress
from workers.instructions.capped import embedding_paused
from workers.instructions.gather import Rows, texts_of
from workers.instructions.judging import Judging
from workers.jobs.context import JobContext
from workers.judges.embeddings import EMBEDDED_AT_ONCE, joined
from workers.judges.errors import OverBudget, Unanswered
from workers.judges.orders import Ask

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
            self._ask(which, out, progress)
            return
        embed_rows(
            self.rows.store(self.context),
            self.rows.indices[which],
            self.params.features,
            {},
            seed=self.rows.seed,
            out=out,
            progress=progress,
        )

    def _ask(self, which: Indices, out: Path, progress: Progress) -> None:
        """Let the judge's server embed, in blocks that are each kept as soon as they are there."""
        judging = Judging.open(self.context, self.params)
        # Nothing is mixed: those of another model lie elsewhere.
        model = json.dumps([judging.settings.base_url, judging.settings.embedding_model])
        digest = hashlib.sha256(model.encode()).hexdigest()[:12]
        blocks = out.with_suffix(f".blocks-{digest}")
        blocks.mkdir(parents=True, exist_ok=True)
        files = {start: blocks / f"{start}.npy" for start in range(0, len(which), EMBEDDED_AT_ONCE)}

        def done() -> int:
            there = [start for start, file in files.items() if file.exists()]
            return sum(min(EMBEDDED_AT_ONCE, len(which) - start) for start in there)

        def asks() -> Iterator[Ask]:
            for start, file in files.items():
                if not file.exists():
                    ids = self.rows.examples[which[start : start + EMBEDDED_AT_ONCE]].tolist()
                    found = texts_of(self.context.sessions, ids)
                    yield Ask(start, "embed", [found[one] for one in ids], file=str(file))

        counted = done()

        def note(start: int, _: object) -> None:
            nonlocal counted
            counted += len(which[start : start + EMBEDDED_AT_ONCE])

        try:
            judging.dispatch(asks(), note, lambda: progress(min(counted, len(which)), len(which)))
        except OverBudget as error:
            if self.context.dry_run:
                raise
            raise embedding_paused(judging, error, self.rows, which, done()) from error
        except Unanswered as error:
            raise ModelError(
                f"The judge's server did not embed some texts: {error}. Retry, or take other "
                "features."
            ) from error
        write_array(out, joined([np.load(file) for file in files.values()]))
        shutil.rmtree(blocks)
        progress(len(which), len(which))


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
