"""What a map would take."""

import time
from typing import Final

import numpy as np

from core.errors import Conflict
from models.catalog.params.embedding_map import EmbeddingMapParams
from models.dry_run import extended_seconds
from models.features.embedding_map import (
    COMPONENTS,
    ITERATIONS,
    Layout,
    find_neighbours,
    neighbours_wanted,
    reduce,
)
from workers.dry_run import Cost, DryRun
from workers.embedding_map.features import Features, pool_of, source_of
from workers.jobs.context import JobContext

_SAMPLE: Final = 512
_TRIED: Final = 2_048
_FEW: Final = 10
_FLOAT: Final = 4


def prepare(context: JobContext) -> DryRun:
    """Gather as the job does, and say what to measure."""
    source = source_of(context)
    with context.sessions() as session:
        pool = pool_of(session, context.project_id)
    if len(pool) == 0:
        raise Conflict("no_images", "The pool is empty; import images first.")
    timing = _Timing(context, Features(context, source), len(pool))
    notes: tuple[str, ...] = ()
    if missing := timing.features.missing:
        notes = (f"{missing:,} images have no embeddings yet; the next round uses these.",)
    phases = {
        "embed": timing.embed,
        "reduce": timing.reduce,
        "neighbours": timing.neighbours,
        "layout": timing.layout,
        "place": timing.place,
    }
    return DryRun(images=len(pool), phases=phases, notes=notes)


class _Timing:
    """The pool of one project; but for embedding, made-up points take as long as its own."""

    def __init__(self, context: JobContext, features: Features, count: int) -> None:
        self.context, self.features, self.count = context, features, count
        self.params = EmbeddingMapParams.of(context)
        self.laid_out = min(self.params.laid_out, count)
        self.width = 1280
        self._random = np.random.default_rng(0)

    def embed(self) -> Cost:
        """Time the first images."""
        missing = self.features.missing
        out = self.context.work / "sample" / "embeddings.npy"

        def embed(size: int) -> None:
            for file in out.parent.glob("*"):
                file.unlink()
            self.features.embed(self.features.store(size), out, self._check)
            self.width = int(np.load(out, mmap_mode="r").shape[1])

        if missing == 0:
            self.width = int(self.features.rows().shape[1])
            return Cost(0.0)
        return Cost(extended_seconds(embed, min(_SAMPLE, self.features.source.images), missing))

    def reduce(self) -> Cost:
        """Time the components of some images."""
        rows = self._random.random((_TRIED, self.width), dtype=np.float32)
        out = self.context.work / "components.npy"
        tried = min(_TRIED, self.count)

        def run(size: int) -> None:
            reduce(rows, np.arange(size), [(0, self.width)], out=out, progress=self._check)

        return Cost(extended_seconds(run, tried, self.count), self.count * 2 * COMPONENTS * _FLOAT)

    def neighbours(self) -> Cost:
        """Time the neighbours of some images."""
        return Cost(self._find(self.laid_out, neighbours_wanted(self.params, self.laid_out)))

    def place(self) -> Cost:
        """Time the places of some images."""
        others = self.count - self.laid_out
        return Cost(self._find(others, 10) if others else 0.0)

    def _find(self, count: int, wanted: int) -> float:
        if wanted < 1:
            return 0.0
        among = self._points(self.laid_out)
        tried = min(_TRIED, count)
        folder = self.context.work / f"near-{wanted}"
        started = time.perf_counter()
        find_neighbours(
            among[:tried], among, min(wanted, len(among)), folder=folder, own=False,
            progress=self._check,
        )  # fmt: skip
        return (time.perf_counter() - started) * count / tried

    def layout(self) -> Cost:
        """Time some iterations with as many points, near each other as at first and as at last."""
        count = self.laid_out
        wanted = neighbours_wanted(self.params, count)
        if count <= wanted:
            return Cost(0.0)
        rows = self._random.integers(0, count, (count, wanted), dtype=np.int32)
        apart = np.sort(self._random.random((count, wanted), dtype=np.float32), axis=1)
        seconds = 0.0
        # At last the layout is about as wide as this, in its own measure.
        for width in (1e-4, 25.0):
            begin = self._random.normal(scale=width, size=(count, 2))
            layout = Layout(rows, apart, begin, perplexity=self.params.perplexity)
            self._check(0, 0)
            started = time.perf_counter()
            layout.step(_FEW)
            # The last of the iterations is looked at once more.
            seconds += (time.perf_counter() - started) * ITERATIONS / _FEW / 2
        return Cost(seconds, 3 * count * wanted * 3 * _FLOAT)

    def _points(self, count: int) -> "np.ndarray[tuple[int, int], np.dtype[np.float32]]":
        return self._random.standard_normal((count, COMPONENTS), dtype=np.float32)

    def _check(self, step: int, steps: int) -> None:
        del step, steps
        self.context.check()
