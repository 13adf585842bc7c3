"""Orders of a pool that features give: by likeness to some images, and by isolation.

A ranking is one number an image, by pool index: 4 bytes of it in memory, and 4 more once it is
asked for in order; the latest few are kept, so that pages after the first cost next to nothing.
"""

import base64
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np
from anyio import CapacityLimiter, to_thread
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from api.examples.neighbours import NOT_YET, features_of
from api.examples.schemas import Filters
from api.examples.scores import Floats, Positions
from api.transfers.files import artifact_file
from core.artifacts.alike import Alike, read_alike
from core.artifacts.features import Features, looked_up_in
from core.artifacts.nearness import similarities, unit_mean
from core.errors import Conflict, Invalid, NotFound
from core.files.storage import Storage
from core.states import ArtifactKind, JobKind, JobState
from core.tables import Artifact, Example, Job, Project

Ranked = Literal["similarity", "isolation"]

_KEPT: Final = 8
# Each reads much of the features of a pool.
SEARCHES: Final = CapacityLimiter(2)


@dataclass(frozen=True, eq=False)
class Ranking:
    """N images by a number.

    Attributes:
        name: What the number is.
        values: (N,) float32 by pool index, NaN where it is not known.
    """

    name: Ranked
    values: Floats
    _orders: dict[bool, Positions] = field(default_factory=dict)

    def of(self, pool_index: int) -> float | None:
        """The number of one image, if it is known."""
        value = float(self.values[pool_index]) if pool_index < len(self.values) else np.nan
        return None if value != value else value

    def ordered(self, *, falls: bool) -> Positions:
        """(M,) pool indices of what has the number, the least first, or the greatest if it falls.

        Of equals the one that was imported first comes first.
        """
        if falls not in self._orders:
            values = -self.values if falls else self.values
            order = np.argsort(values, kind="stable")[: len(values) - _missing(values)]
            self._orders[falls] = order.astype(np.int32)
        return self._orders[falls]

    def at_least(self, value: float) -> Positions:
        """(M,) pool indices, ascending, of what reaches ``value``."""
        return np.flatnonzero(self.values >= np.float32(value)).astype(np.int32)


def _missing(values: Floats) -> int:
    return int(np.isnan(values).sum())


async def similarity(
    session: AsyncSession, project: Project, storage: Storage, filters: Filters
) -> Ranking | None:
    """How similar each image is to those that ``filters`` name, -1..1; None if they name none.

    Raises:
        NotFound: An image, or a file, is none of the project's.
        Conflict: No features are kept, or none of these images or of this file.
        Invalid: A least similarity is asked for, to nothing.
    """
    if filters.similar_to is None and filters.similar_file is None:
        if filters.similarity_min is not None:
            raise unsaid("similarity_min")
        return None
    rows = await _rows(session, project, filters.examples)
    vector = None
    if filters.similar_file is None:
        features = features_of(storage, project)
    else:
        found = await _looked_up(session, project, filters.similar_file)
        features = looked_up_in(
            storage, project.id, found["features"], lambda: features_of(storage, project)
        )
        vector = base64.b64decode(found["vector"])
    return await to_thread.run_sync(_ranked, features, rows, vector, limiter=SEARCHES)


def unsaid(name: str) -> Invalid:
    """That similarity is asked for, and not to what."""
    return Invalid(
        "similar_to_what",
        f"{name} needs an image to compare with: give similar_to, or similar_file.",
        field=name,
    )


async def _rows(session: AsyncSession, project: Project, ids: Sequence[int]) -> tuple[int, ...]:
    """Pool indices of examples, ascending."""
    statement = select(Example.pool_index).where(
        Example.project_id == project.id, Example.id.in_(ids)
    )
    found = sorted(await session.scalars(statement))
    if len(found) < len(set(ids)):
        raise NotFound("image")
    return tuple(found)


async def _looked_up(session: AsyncSession, project: Project, job_id: int) -> dict[str, Any]:
    """What a job has made of a file, or of words, and what that is compared with."""
    job = await session.get(Job, job_id)
    if job is None or job.project_id != project.id or job.kind is not JobKind.LOOK_UP:
        raise NotFound("file")
    if job.state is not JobState.SUCCEEDED:
        raise Conflict(
            "file_not_looked_up",
            f"Job {job.id}, which looks at the file, is {job.state}; wait for it, or send the file "
            "again.",
            field="similar_file",
        )
    return job.checkpoint


@lru_cache(maxsize=_KEPT)
def _ranked(features: Features, rows: tuple[int, ...], vector: bytes | None) -> Ranking:
    wanted = [features.row(row) for row in rows if row < features.count]
    if vector is not None:
        wanted.append(np.frombuffer(vector, dtype=np.float32)[: features.width])
    if not wanted:
        raise Conflict(*NOT_YET)
    return Ranking("similarity", similarities(features.path, unit_mean(wanted), features.width))


async def isolation(session: AsyncSession, project: Project, storage: Storage) -> Ranking:
    """How far each image is from its nearest others, 0..2.

    Raises:
        Conflict: Nobody has compared the images yet, or the file is gone.
    """
    statement = (
        select(Artifact)
        .where(Artifact.project_id == project.id, Artifact.kind == ArtifactKind.ALIKE)
        .order_by(Artifact.id.desc())
        .limit(1)
    )
    artifact = await session.scalar(statement)
    if artifact is None:
        raise Conflict(
            "not_compared",
            "The images of this pool have not been compared yet: start the job compare.",
            field="sort",
        )
    path = await artifact_file(storage, artifact.storage_key)
    try:
        found = await to_thread.run_sync(_load, path, artifact.sha256)
    except FileNotFoundError as error:
        raise Conflict(
            "comparison_file_missing",
            f"What job {artifact.job_id} has found is not in the data directory; restore it from "
            "a backup, or start the job compare again.",
        ) from error
    return found


@lru_cache(maxsize=2)
def _load(path: Path, _sha256: str) -> Ranking:
    alike: Alike = read_alike(path)
    return Ranking("isolation", alike.isolation)
