"""What takes how much room, from rows and a few files' sizes: nothing walks the disk."""

import os
import shutil
from collections import defaultdict
from pathlib import Path
from typing import Any, Final

from anyio import to_thread
from sqlalchemy import func, select, text
from sqlalchemy.ext.asyncio import AsyncSession

from api.admin.schemas import ProjectStorage, RemovalOut, StorageOut
from core.files.storage import Storage
from core.states import ArtifactKind
from core.tables import Artifact, Removal, Weights

_REMOVALS: Final = 20

# pool_index counts a project's images without gaps, so steps through it are a fair sample, and
# the last one tells how many there are: both by the index, whatever the size of the pool.
_IMAGES = text(
    """
    SELECT p.id, p.name, n.images, n.step > 1 AS estimated,
        CAST(coalesce(avg(e.bytes), 0) * n.images AS bigint) AS bytes
    FROM projects p
    CROSS JOIN LATERAL (
        SELECT images, greatest(1, (images + 1999) / 2000) AS step
        FROM (
            SELECT coalesce(max(pool_index) + 1, 0) AS images
            FROM examples WHERE project_id = p.id
        ) counted
    ) n
    LEFT JOIN LATERAL generate_series(0, n.images - 1, n.step) AS s(index) ON true
    LEFT JOIN LATERAL (
        SELECT CASE WHEN location IS NULL THEN bytes ELSE 0 END AS bytes
        FROM examples WHERE project_id = p.id AND pool_index = s.index
    ) e ON true
    GROUP BY p.id, p.name, n.images, n.step
    ORDER BY p.id
    """
)


async def usage(session: AsyncSession, storage: Storage) -> StorageOut:
    """Room that each project takes, the database, and what is left of the disk."""
    images = (await session.execute(_IMAGES)).all()
    artifacts: dict[int, dict[ArtifactKind, int]] = defaultdict(dict)
    statement = select(Artifact.project_id, Artifact.kind, func.sum(Artifact.bytes)).group_by(
        Artifact.project_id, Artifact.kind
    )
    for project_id, kind, size in await session.execute(statement):
        artifacts[project_id][kind] = int(size)
    database = select(func.pg_database_size(func.current_database()))
    # How far a withdrawal is, its project says.
    projects = select(Removal).where(Removal.withdrawal_id.is_(None))
    removals = projects.order_by(Removal.id.desc()).limit(_REMOVALS)
    removed = (await session.scalars(removals)).all()
    files, disk = await to_thread.run_sync(_files, storage, [row.id for row in images])
    return StorageOut(
        projects=[_project(row, artifacts[row.id], files[row.id]) for row in images],
        removals=[RemovalOut.model_validate(one) for one in removed],
        upload_bytes=await to_thread.run_sync(_sizes, storage.root / "uploads"),
        weights_bytes=int(await session.scalar(select(func.sum(Weights.bytes))) or 0),
        database_bytes=await session.scalar(database) or 0,
        disk_free=disk.free,
        disk_total=disk.total,
    )


def _project(
    row: Any, artifacts: dict[ArtifactKind, int], files: tuple[int, int]
) -> ProjectStorage:
    pixels, features = files
    return ProjectStorage(
        project_id=row.id,
        project=row.name,
        images=row.images,
        image_bytes=row.bytes,
        estimated=row.estimated,
        pixel_bytes=pixels,
        feature_bytes=features,
        artifact_bytes=artifacts,
    )


def _files(storage: Storage, ids: list[int]) -> tuple[dict[int, tuple[int, int]], Any]:
    """Sizes of each project's pixel store and embeddings, and the state of the disk."""
    sizes = {
        one: (sum(map(_size, storage.all_pixels(one))), _sizes(storage.features(one)))
        for one in ids
    }
    root = storage.root.absolute()
    while not root.exists():
        root = root.parent
    return sizes, shutil.disk_usage(root)


def _size(path: Path) -> int:
    """Blocks that a file takes: a pixel store has room for images that are not there."""
    try:
        return path.stat().st_blocks * 512
    except FileNotFoundError:
        return 0


def _sizes(directory: Path) -> int:
    try:
        with os.scandir(directory) as files:
            return sum(one.stat().st_size for one in files if one.is_file())
    except FileNotFoundError:
        return 0
