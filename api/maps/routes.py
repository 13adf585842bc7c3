from typing import Annotated

from fastapi import APIRouter, Path, Query, Request
from fastapi.responses import Response

from api.access import ManagedProject
from api.deps import SessionDep, StorageDep
from api.maps import service
from api.maps.schemas import MapImage, MapImages, MapOut, MapQueries, MapSurface, Polygon
from api.pagination import Cursor, Items, Limit

router = APIRouter(prefix="/projects/{project_id}/maps", tags=["maps"])

Number = Annotated[int, Path(ge=0, lt=2**31)]
Level = Annotated[int, Path(ge=0, le=16)]
Place = Annotated[int, Path(ge=0, lt=2**16)]
PoolIndex = Annotated[int, Path(ge=0, lt=2**63)]
# Of one version nothing ever changes.
_FOREVER = "private, max-age=31536000, immutable"
_ASK_AGAIN = "private, no-cache"


@router.get("")
async def list_maps(
    session: SessionDep, storage: StorageDep, project: ManagedProject
) -> Items[MapOut]:
    """Rounds whose whole pool was scored before they began, and the ranges of their scores."""
    return Items(items=await service.list_maps(session, storage, project))


@router.get("/{number}/surface")
async def map_surface(
    session: SessionDep, storage: StorageDep, project: ManagedProject, number: Number
) -> MapSurface:
    """The value that the round's strategy gave to each purity and informativeness."""
    return await service.surface(storage, await service.artifact_of(session, project, number))


@router.get("/{number}/queries")
async def map_queries(session: SessionDep, project: ManagedProject, number: Number) -> MapQueries:
    """The round's query set, with the verdicts; at most the first 20,000."""
    return await service.queries(session, project, number)


@router.get(
    "/{number}/tiles/{level}/{column}/{row}",
    response_class=Response,
    responses={200: {"content": {"application/octet-stream": {}}}},
)
async def map_tile(
    request: Request,
    session: SessionDep,
    storage: StorageDep,
    project: ManagedProject,
    number: Number,
    level: Level,
    column: Place,
    row: Place,
    version: str | None = None,
) -> Response:
    """One tile of the plane as binary: single images, or their density where they are many.

    Level 0 is everything. See docs/api.md for the layout.
    """
    artifact = await service.artifact_of(session, project, number)
    tag = f'"{artifact.sha256[:16]}"'
    known = version == artifact.sha256[:16]
    headers = {"ETag": tag, "Cache-Control": _FOREVER if known else _ASK_AGAIN}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    content = await service.tile(storage, artifact, level, column, row)
    return Response(content, media_type="application/octet-stream", headers=headers)


@router.get("/{number}/images")
async def map_images(
    session: SessionDep,
    storage: StorageDep,
    project: ManagedProject,
    number: Number,
    polygon: Annotated[Polygon, Query(description="purity,informativeness;... of each corner")],
    cursor: Cursor = None,
    limit: Limit = 60,
) -> MapImages:
    """Images within an outline that was drawn on the map."""
    artifact = await service.artifact_of(session, project, number)
    return await service.images_inside(
        session, storage, artifact, polygon, cursor=cursor, limit=limit
    )


@router.get("/{number}/images/{pool_index}")
async def map_image(
    session: SessionDep,
    storage: StorageDep,
    project: ManagedProject,
    number: Number,
    pool_index: PoolIndex,
) -> MapImage:
    """One image of the map."""
    artifact = await service.artifact_of(session, project, number)
    return await service.image(session, storage, artifact, pool_index)
