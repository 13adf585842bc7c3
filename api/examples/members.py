"""What subsets and outlines hold, as pool indices: 4 bytes a label in memory, the latest few."""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

import numpy as np
from anyio import to_thread
from sqlalchemy.ext.asyncio import AsyncSession

from api.artifacts.subsets import find_subset, gone
from api.examples.schemas import Filters
from api.examples.scores import Positions
from api.maps.planes import outlined
from api.transfers.files import artifact_file
from core.artifacts.subsets import subset_members
from core.files.storage import Storage
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
    """(N,) int32 pool indices, ascending, of what filters ask of subsets and of the map; or None.

    Raises:
        NotFound: The project has no such subset.
        Conflict: A file is gone, or the outline is of another map than there is.
        Invalid: The outline is none.
    """
    asked: list[Positions] = []
    if filters.kept_by is not None:
        asked.append((await _members(session, project, storage, filters.kept_by)).kept)
    if filters.dropped_by is not None:
        asked.append((await _members(session, project, storage, filters.dropped_by)).dropped)
    if filters.outline is not None:
        asked.append(await outlined(session, storage, project.id, filters.outline))
    if not asked:
        return None
    found = asked[0]
    for other in asked[1:]:
        found = found[np.isin(found, other)]
    return found


async def _members(
    session: AsyncSession, project: Project, storage: Storage, subset_id: int
) -> Members:
    artifact = await find_subset(session, project.id, subset_id)
    path = await artifact_file(storage, artifact.storage_key)
    try:
        return await to_thread.run_sync(_load, path, artifact.sha256)
    except FileNotFoundError as error:
        raise gone(artifact) from error


@lru_cache(maxsize=_KEPT_SUBSETS)
def _load(path: Path, _sha256: str) -> Members:
    kept, dropped = subset_members(path)
    return Members(kept.astype(np.int32), dropped.astype(np.int32))
