from typing import Annotated

from anyio import to_thread
from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import Response

from api.callers.access import ProjectId, reviewing
from api.callers.principal import CurrentUser
from api.deps import StorageDep
from api.embedding_map import colours, service
from api.embedding_map.schemas import Colour, EmbeddingMapImage, EmbeddingMapState, Version
from api.examples.scores import scores_if_there
from api.maps import planes
from api.maps.planes import Level, Place, PoolIndex
from api.schemas.contents import sends
from api.schemas.parameters import QueryId
from api.selections import service as selections
from core.tables import Artifact

router = APIRouter(prefix="/projects/{project_id}/embedding-map", tags=["embedding map"])


async def _made(
    request: Request,
    user: CurrentUser,
    project_id: ProjectId,
    version: Annotated[
        Version | None, Query(description="Of the map that is meant; refused if it is another.")
    ] = None,
) -> Artifact:
    # In a transaction of its own: none stays open while the file is brought from a bucket.
    async with reviewing(request, user, project_id) as (session, _):
        return await service.made(session, project_id, version)


Made = Annotated[Artifact, Depends(_made)]


@router.get("")
async def show_embedding_map(
    request: Request, user: CurrentUser, storage: StorageDep, project_id: ProjectId
) -> EmbeddingMapState:
    """The map of the pool that the job `embedding_map` has made last, if there is one."""
    async with reviewing(request, user, project_id) as (session, project):
        artifact, pool = await service.state(session, project)
        table = await scores_if_there(session, project, storage)
    scores_round = None if table is None else table.number
    return await to_thread.run_sync(service.described, storage, artifact, pool, scores_round)


@router.get(
    "/tiles/{level}/{column}/{row}",
    response_class=Response,
    responses=sends("application/octet-stream"),
)
async def embedding_map_tile(
    request: Request, storage: StorageDep, made: Made, level: Level, column: Place, row: Place
) -> Response:
    """One tile of the plane as binary: single images, or their density where they are many.

    Level 0 is everything. See docs/api.md for the layout.
    """

    async def content() -> bytes:
        return await planes.tile(await planes.plane_of(storage, made), level, column, row)

    return await planes.tile_response(request, made, request.query_params.get("version"), content)


@router.get(
    "/colours/{by}/{level}/{column}/{row}",
    response_class=Response,
    responses=sends("application/octet-stream"),
)
async def embedding_map_colours(
    request: Request,
    user: CurrentUser,
    storage: StorageDep,
    made: Made,
    by: Colour,
    level: Level,
    column: Place,
    row: Place,
    job_id: Annotated[
        QueryId | None,
        Query(description="Of `selection`: the job that has chosen; the last one if left out."),
    ] = None,
) -> Response:
    """What the images of one tile are coloured by, as binary, in the order of the tile.

    See docs/api.md for the layout.
    """
    planes.require_tile(level, column, row)
    shown = await planes.plane_of(storage, made)
    place = (level, column, row)
    async with reviewing(request, user, made.project_id) as (session, project):
        if by != "selection":
            content = await colours.column(session, storage, project, shown, by, place)
            return Response(content, media_type="application/octet-stream")
        chosen = await selections.chosen(session, project.id, job_id)
    content = await to_thread.run_sync(colours.selected, storage, chosen, shown, place)
    return Response(content, media_type="application/octet-stream")


@router.get("/images/{pool_index}")
async def embedding_map_image(
    request: Request, storage: StorageDep, made: Made, pool_index: PoolIndex
) -> EmbeddingMapImage:
    """One image of the map."""
    return await service.image(request.app.state.sessions, storage, made, pool_index)
