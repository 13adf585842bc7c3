"""Images on a plane as they are sent to pages: tiles, outlines, and the map that a project has."""

import math
from collections.abc import Awaitable, Callable
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Final

import numpy as np
from anyio import to_thread
from fastapi import Path as FromPath
from fastapi import Request
from fastapi.responses import Response
from numpy.typing import NDArray
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from api.transfers.files import artifact_file
from core.artifacts.pool_map import AXES, Int64Array, Plane, Span, read_head, read_plane
from core.errors import Conflict, Invalid
from core.files.storage import Storage
from core.states import ArtifactKind
from core.tables import Artifact

WHOLE: Final = 100_000
"""Up to so many images are sent one by one; of larger pools, the density."""
_SINGLE: Final = 8_192
"""Zoomed in, a tile of a large pool with up to so many images sends them one by one."""
SIDE: Final = 128
POINTS: Final = 0
DENSITY: Final = 1
_CORNERS: Final = 200
_VERSION: Final = 16
# Of one version nothing ever changes.
_FOREVER: Final = "private, max-age=31536000, immutable"
_ASK_AGAIN: Final = "private, no-cache"

Level = Annotated[int, FromPath(ge=0, le=16)]
Place = Annotated[int, FromPath(ge=0, lt=2**16)]
PoolIndex = Annotated[int, FromPath(ge=0, lt=2**63)]


async def tile_response(
    request: Request,
    artifact: Artifact,
    version: str | None,
    content: Callable[[], Awaitable[bytes]],
) -> Response:
    """Answer with a tile, unless the browser has it; what names its version is kept for good.

    Args:
        request: Says what the browser has.
        artifact: What the tile is of.
        version: That was asked for, if any.
        content: Makes the tile.
    """
    tag = f'"{version_of(artifact)}"'
    known = version == version_of(artifact)
    headers = {"ETag": tag, "Cache-Control": _FOREVER if known else _ASK_AGAIN}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    return Response(await content(), media_type="application/octet-stream", headers=headers)


async def tile(shown: Plane, level: int, column: int, row: int) -> bytes:
    """One tile, little-endian.

    Four uint32: kind (0 images, 1 density), how many images, cells on a side, 0. Then of images
    float32 x, float32 y and uint32 pool index, each for all; of a density uint32 counts, row by
    row from the least y.

    Raises:
        Invalid: ``no_such_tile``.
    """
    require_tile(level, column, row)
    return await to_thread.run_sync(_encoded, shown, level, column, row)


def require_tile(level: int, column: int, row: int) -> None:
    """Refuse a tile that the level does not have.

    Raises:
        Invalid: ``no_such_tile``.
    """
    if not (column < 1 << level and row < 1 << level):
        raise Invalid(
            "no_such_tile",
            f"Level {level} has {1 << level} columns and rows, counted from 0.",
            field="column" if column >= 1 << level else "row",
        )


def is_single(count: int, level: int) -> bool:
    """Whether the ``count`` images of a tile are sent one by one."""
    return count <= (WHOLE if level == 0 else _SINGLE)


def _encoded(shown: Plane, level: int, column: int, row: int) -> bytes:
    found = shown.tile(level, column, row)
    if is_single(len(found), level):
        head = np.array([POINTS, len(found), 0, 0], dtype="<u4").tobytes()
        x = shown.x[found].astype("<f4").tobytes()
        y = shown.y[found].astype("<f4").tobytes()
        return head + x + y + shown.indices[found].astype("<u4").tobytes()
    bins = shown.bins(found, level, column, row, SIDE)
    head = np.array([DENSITY, len(found), SIDE, 0], dtype="<u4").tobytes()
    return head + bytes(bins.astype("<u4").tobytes())


def corners(polygon: str, axes: str = "x,y") -> list[tuple[float, float]]:
    """Parse ``x,y;...``.

    Args:
        polygon: What was given.
        axes: What they are called in the error.

    Raises:
        Invalid: Not at least three pairs of finite numbers, or too many.
    """
    try:
        pairs = [tuple(float(part) for part in pair.split(",")) for pair in polygon.split(";")]
    except ValueError:
        pairs = []
    found = [
        (pair[0], pair[1]) for pair in pairs if len(pair) == 2 and all(map(math.isfinite, pair))
    ]
    if len(found) != len(pairs) or not 3 <= len(found) <= _CORNERS:
        raise Invalid(
            "invalid_polygon", f"Give 3 to {_CORNERS} corners as {axes};{axes};...", field="polygon"
        )
    return found


async def embedding_map(session: AsyncSession, project_id: int) -> Artifact | None:
    """The map that the job ``embedding_map`` has made last of a project."""
    statement = (
        select(Artifact)
        .where(Artifact.project_id == project_id, Artifact.kind == ArtifactKind.EMBEDDING_MAP)
        .order_by(Artifact.id.desc())
        .limit(1)
    )
    return (await session.scalars(statement)).first()


def version_of(artifact: Artifact) -> str:
    """What changes when a map is made anew and is another one."""
    return artifact.sha256[:_VERSION]


async def plane_of(storage: Storage, artifact: Artifact) -> Plane:
    """Read a map.

    Raises:
        Conflict: ``map_file_missing``.
    """
    path = await artifact_file(storage, artifact.storage_key)
    try:
        return await to_thread.run_sync(_loaded, path, artifact.sha256)
    except FileNotFoundError as error:
        raise Conflict(
            "map_file_missing",
            "The file of the map is not in the data directory; restore it from a backup, or make "
            "the map anew.",
        ) from error


def head_of(
    storage: Storage, key: str, sha256: str, axes: tuple[str, str] = AXES
) -> tuple[int, Span, Span] | None:
    """How many images are on a plane, and their ranges; None if its file is gone. Blocks.

    Args:
        storage: Where it is.
        key: Of its artifact.
        sha256: Of its artifact.
        axes: Columns of the file.
    """
    try:
        return _head(storage.fetch(key), sha256, axes)
    except FileNotFoundError:
        # Not to be kept in mind: it may be restored.
        return None


@lru_cache(maxsize=4096)
def _head(path: Path, _sha256: str, axes: tuple[str, str]) -> tuple[int, Span, Span] | None:
    return read_head(path, axes)


@lru_cache(maxsize=4)
def _loaded(path: Path, _sha256: str) -> Plane:
    return read_plane(path)


async def outlined(
    session: AsyncSession, storage: Storage, project_id: int, outline: str
) -> NDArray[np.int32]:
    """Pool indices of what lies within an outline, ascending.

    Args:
        session: Of the request.
        storage: Where the map is.
        project_id: Whose.
        outline: ``version:x,y;x,y;...``, the version of the map that it was drawn on.

    Raises:
        Conflict: ``no_map``, or ``map_changed``: the outline is of another one.
        Invalid: ``invalid_polygon``.
    """
    version, _, polygon = outline.partition(":")
    outer = corners(polygon)
    artifact = await embedding_map(session, project_id)
    if artifact is None:
        raise no_map()
    require_version(artifact, version)
    shown = await plane_of(storage, artifact)
    return await to_thread.run_sync(_indices, shown, outer)


def _indices(shown: Plane, outer: list[tuple[float, float]]) -> NDArray[np.int32]:
    found: Int64Array = shown.indices[shown.inside(outer)]
    return found.astype(np.int32)


def no_map() -> Conflict:
    """There is no map of the project's images yet."""
    return Conflict(
        "no_map", "There is no map of these images yet; start the job embedding_map first."
    )


def require_version(artifact: Artifact, version: str | None) -> None:
    """Refuse what is about another map than the one there is.

    Raises:
        Conflict: ``map_changed``.
    """
    if version is not None and version != version_of(artifact):
        raise Conflict(
            "map_changed",
            "The map was made anew since, and the images lie elsewhere on it: load it, and draw "
            "the outline again.",
        )
