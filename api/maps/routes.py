from typing import Annotated

from anyio import to_thread
from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import Response

from api.callers.access import ProjectId, ReviewedProject, reviewing
from api.callers.principal import CurrentUser
from api.deps import SessionDep, StorageDep
from api.maps import service
from api.maps.planes import Level, Place, PoolIndex, tile_response
from api.maps.schemas import MapImage, MapImages, MapOut, MapQueries, MapSurface, Polygon
from api.schemas.contents import sends
from api.schemas.pagination import Cursor, Items, Limit
from api.schemas.parameters import RoundNumber
from core.tables import Artifact

router = APIRouter(prefix="/projects/{project_id}/maps", tags=["maps"])

Number = RoundNumber


async def _scores(
    request: Request, user: CurrentUser, project_id: ProjectId, number: Number
) -> Artifact:
    # In a transaction of its own: none stays open while the file is brought from a bucket.
    async with reviewing(request, user, project_id) as (session, _):
        return await service.artifact_of(session, project_id, number)


Scores = Annotated[Artifact, Depends(_scores)]


@router.get("")
async def list_maps(
    request: Request, user: CurrentUser, storage: StorageDep, project_id: ProjectId
) -> Items[MapOut]:
    """Rounds whose whole pool was scored before they began, and the ranges of their scores."""
    async with reviewing(request, user, project_id) as (session, _):
        files = await service.files_of(session, project_id)
    return Items(items=await to_thread.run_sync(service.described, storage, files))


@router.get("/{number}/surface")
async def map_surface(storage: StorageDep, scores: Scores) -> MapSurface:
    """The value that the round's strategy gave to each purity and informativeness."""
    return await service.surface(storage, scores)


@router.get("/{number}/queries")
async def map_queries(session: SessionDep, project: ReviewedProject, number: Number) -> MapQueries:
    """The round's query set, with the verdicts; at most the first 20,000."""
    return await service.queries(session, project, number)


@router.get(
    "/{number}/tiles/{level}/{column}/{row}",
    response_class=Response,
    responses=sends("application/octet-stream"),
)
async def map_tile(
    request: Request,
    storage: StorageDep,
    scores: Scores,
    level: Level,
    column: Place,
    row: Place,
    version: str | None = None,
) -> Response:
    """One tile of the plane as binary: single images, or their density where they are many.

    Level 0 is everything. See docs/api.md for the layout.
    """

    async def content() -> bytes:
        return await service.tile(storage, scores, level, column, row)

    return await tile_response(request, scores, version, content)


@router.get("/{number}/images")
async def map_images(
    request: Request,
    storage: StorageDep,
    scores: Scores,
    polygon: Annotated[Polygon, Query(description="purity,informativeness;... of each corner")],
    cursor: Cursor = None,
    limit: Limit = 60,
) -> MapImages:
    """Images within an outline that was drawn on the map."""
    sessions = request.app.state.sessions
    return await service.images_inside(
        sessions, storage, scores, polygon, cursor=cursor, limit=limit
    )


@router.get("/{number}/images/{pool_index}")
async def map_image(
    request: Request, storage: StorageDep, scores: Scores, pool_index: PoolIndex
) -> MapImage:
    """One image of the map."""
    return await service.image(request.app.state.sessions, storage, scores, pool_index)
