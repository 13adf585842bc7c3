"""The ``embedding_map`` job: embed what is missing, lay the pool out, keep where each image is."""

from datetime import UTC, datetime
from functools import cached_property
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray
from sqlalchemy import select

from core.errors import Conflict
from core.states import ArtifactKind
from core.tables import Artifact
from models.catalog.params.embedding_map import EmbeddingMapParams
from models.features.embedding_map import (
    drawn,
    find_neighbours,
    is_flat,
    lay_out,
    load,
    neighbours_wanted,
    place_others,
    reduce,
    scaled,
)
from models.files.arrays import write_array
from models.protocols import Float32Array, Indices
from workers.dry_run import dry_run
from workers.embedding_map.dry_run import prepare
from workers.embedding_map.features import Features, Source, pool_of, source_of
from workers.jobs.artifacts import keep
from workers.jobs.context import JobContext, Phase
from workers.jobs.work import JobWork

_FILE: Final = "map.parquet"
_ROW_GROUP: Final = 1 << 16


def run(context: JobContext) -> dict[str, Any]:
    """Make the map of the pool as it is now; it takes the place of the one before."""
    if context.dry_run:
        return dry_run(context, prepare)
    params = EmbeddingMapParams.of(context)
    if Map(context, params).is_lost:
        context.start_over("the embeddings that it laid out are gone")
    return Map(context, params).run(PHASES)


class Map(JobWork[EmbeddingMapParams]):
    """One map, phase by phase; each leaves a file, and the map before stays until it is done."""

    @property
    def is_lost(self) -> bool:
        """Whether embeddings that are still needed are gone, or what makes them."""
        context = self.context
        if not context.done("gather") or context.done("reduce") or not self.features.missing:
            return False
        return context.done("embed") or not self.features.can_be_made

    @cached_property
    def source(self) -> Source:
        """What embeds the images."""
        return Source.of(self.context.known)

    @cached_property
    def features(self) -> Features:
        """Their embeddings."""
        return Features(self.context, self.source)

    @cached_property
    def pool(self) -> Indices:
        """(N,) which images the map is of."""
        return load(self.file("pool.npy"))

    def gather(self) -> None:
        """Note what is laid out, so that a resumed job lays out the same.

        Raises:
            Conflict: ``no_images``.
        """
        source = source_of(self.context)
        with self.context.sessions() as session:
            pool = pool_of(session, self.context.project_id)
        if len(pool) == 0:
            raise Conflict("no_images", "The pool is empty; import images first.")
        write_array(self.file("pool.npy"), pool)
        self.context.save({"known": source.noted()})

    def embed(self) -> None:
        """Embed what no round has embedded yet."""
        self.features.complete(self.progress)

    def reduce(self) -> None:
        """Find the principal components."""
        reduce(
            self.features.rows(),
            self.pool,
            self.features.spans(),
            out=self.file("components.npy"),
            progress=self.progress,
        )

    @property
    def points(self) -> Float32Array:
        """(n, d) float32 components."""
        return load(self.file("components.npy"))

    @property
    def chosen(self) -> Indices:
        """(m,) which images are laid out themselves."""
        return drawn(len(self.pool), self.params.laid_out, self.source.seed)

    def _near(self) -> tuple[NDArray[np.int32], Float32Array]:
        points = self.points[self.chosen]
        return find_neighbours(
            points,
            points,
            neighbours_wanted(self.params, len(points)),
            folder=self.file("neighbours"),
            own=True,
            progress=self.progress,
        )

    def neighbours(self) -> None:
        """Find the neighbours of what is laid out."""
        if not is_flat(self.points):
            self._near()

    def layout(self) -> None:
        """Lay out."""
        points = self.points[self.chosen]
        positions = np.zeros((len(points), 2))
        if not is_flat(points):
            positions = lay_out(
                points,
                *self._near(),
                self.params,
                seed=self.source.seed,
                checkpoint=self.file("layout.safetensors"),
                progress=self.progress,
            )
        write_array(self.file("layout.npy"), positions)

    def place(self) -> None:
        """Place the others, and write the map."""
        placed = place_others(
            self.points,
            self.chosen,
            load(self.file("layout.npy")),
            folder=self.file("others"),
            progress=self.progress,
        )
        at = scaled(placed)
        table = pa.table({"pool_index": self.pool, "x": at[:, 0], "y": at[:, 1]})
        pq.write_table(table, self.file(_FILE), row_group_size=_ROW_GROUP)

    def publish(self) -> None:
        """Keep the map, and let go of the one before."""
        context = self.context
        known = {
            "images": len(self.pool),
            "features": self.source.name,
            "input_size": self.source.input_size,
            "perplexity": self.params.perplexity,
            "laid_out": min(self.params.laid_out, len(self.pool)),
            "made_at": datetime.now(UTC).isoformat(),
        }
        made = keep(context, self.file(_FILE), ArtifactKind.EMBEDDING_MAP, known)
        with context.transaction() as (session, job):
            before = session.scalars(
                select(Artifact).where(
                    Artifact.project_id == context.project_id,
                    Artifact.kind == ArtifactKind.EMBEDDING_MAP,
                    Artifact.storage_key != made.storage_key,
                )
            ).all()
            for one in before:
                session.delete(one)
            session.add(made)
            session.flush()
            context.note(job, {"result": {**known, "map_id": made.id}})
        for one in before:
            context.storage.discard(one.storage_key)


PHASES: Final = (
    Phase("gather", Map.gather),
    Phase("embed", Map.embed),
    Phase("reduce", Map.reduce),
    Phase("neighbours", Map.neighbours),
    Phase("layout", Map.layout),
    Phase("place", Map.place),
)
