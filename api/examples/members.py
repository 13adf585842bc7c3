"""What subsets keep and drop, as pool indices: 4 bytes a label in memory, the latest few."""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

import numpy as np
from anyio import to_thread
from sqlalchemy.ext.asyncio import AsyncSession

from api.examples.schemas import Filters
from api.examples.scores import Positions
from api.files import artifact_file
from api.subsets import service as subsets
from core.storage import Storage
from core.subsets import subset_members
from core.tables import Project

_KEPT_SUBSETS: Final = 4


@dataclass(frozen=True, eq=False)
class Members:
    """The labeled images that a subset was chosen from.

    Attributes:
        kept: (K,) int32 pool indices, ascending.
        dropped: (D,) int32 pool indices, ascending.
    """

    kept: Positions
    dropped: Positions


async def members(
    session: AsyncSession, project: Project, storage: Storage, filters: Filters
) -> Positions | None:
    """(N,) int32 pool indices, ascending, of what filters ask of subsets; None if nothing.

    Raises:
        NotFound: The project has no such subset.
        Conflict: Its file is gone.
    """
    kept = dropped = None
    if filters.kept_by is not None:
        kept = (await _members(session, project, storage, filters.kept_by)).kept
    if filters.dropped_by is not None:
        dropped = (await _members(session, project, storage, filters.dropped_by)).dropped
    if kept is None or dropped is None:
        return dropped if kept is None else kept
    return kept[np.isin(kept, dropped)]


async def _members(
    session: AsyncSession, project: Project, storage: Storage, subset_id: int
) -> Members:
    artifact = await subsets.find_subset(session, project.id, subset_id)
    path = await artifact_file(storage, artifact.storage_key)
    try:
        return await to_thread.run_sync(_load, path, artifact.sha256)
    except FileNotFoundError as error:
        raise subsets.gone(artifact) from error


@lru_cache(maxsize=_KEPT_SUBSETS)
def _load(path: Path, _sha256: str) -> Members:
    kept, dropped = subset_members(path)
    return Members(kept.astype(np.int32), dropped.astype(np.int32))
