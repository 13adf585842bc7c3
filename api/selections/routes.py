from collections.abc import AsyncIterator
from typing import Annotated

from anyio import to_thread
from fastapi import APIRouter, Query, Request
from fastapi.responses import Response, StreamingResponse

from api.audit import record
from api.callers.access import ProjectId, ReviewedProject, managing, reviewing
from api.callers.principal import CurrentUser
from api.deps import SessionDep, StorageDep
from api.schemas.contents import JSON_LINES, PARQUET, sends
from api.schemas.pagination import Cursor, Page
from api.schemas.parameters import PathId, QueryId
from api.selections import exports, service
from api.selections.schemas import (
    ClusterPageOut,
    SelectedRow,
    SelectionComparison,
    SelectionFormat,
    SelectionOut,
)
from core.artifacts.selections import SelectionReason, Shown

router = APIRouter(
    prefix="/projects/{project_id}/jobs/{job_id}/selection", tags=["selections of instructions"]
)

JobId = PathId
Clusters = Annotated[int, Query(ge=1, le=100)]
With = Annotated[QueryId, Query(alias="with", description="The other job.")]


@router.get("")
async def show_selection(
    session: SessionDep, project: ReviewedProject, job_id: JobId
) -> SelectionOut:
    """What a job has chosen, in numbers. Where people have ranked clusters since, theirs counts."""
    return service.summary(await service.find_selection(session, project.id, job_id))


@router.get("/clusters")
async def list_clusters(
    request: Request,
    user: CurrentUser,
    storage: StorageDep,
    project_id: ProjectId,
    job_id: JobId,
    show: Shown = "all",
    cursor: Cursor = None,
    limit: Clusters = 20,
) -> ClusterPageOut:
    """Clusters with all their rows, the best first.

    `undecided` and `unranked` are those of which the judge was unsure or said nothing, `people`
    those that people were asked about. A page ends sooner where rows are long; of very long texts
    it has the beginning.
    """
    async with reviewing(request, user, project_id) as (session, _):
        found = await service.find_selection(session, project_id, job_id)
        return await service.clusters(
            session, storage, found, shown=show, cursor=cursor, limit=limit
        )


@router.get("/rows")
async def list_selected(
    request: Request,
    user: CurrentUser,
    storage: StorageDep,
    project_id: ProjectId,
    job_id: JobId,
    kept: bool | None = None,
    reason: SelectionReason | None = None,
    cursor: Cursor = None,
    limit: Clusters = 50,
) -> Page[SelectedRow]:
    """Rows, and what became of each."""
    async with reviewing(request, user, project_id) as (session, _):
        found = await service.find_selection(session, project_id, job_id)
        items, after = await service.listed(
            session, storage, found, kept=kept, reason=reason, cursor=cursor, limit=limit
        )
    return Page(items=items, next_cursor=after)


@router.get("/compare")
async def compare_selections(
    request: Request,
    user: CurrentUser,
    storage: StorageDep,
    project_id: ProjectId,
    job_id: JobId,
    other: With,
) -> SelectionComparison:
    """Two selections side by side: what both keep, and what only one does."""
    async with reviewing(request, user, project_id) as (session, _):
        one, two = [
            (await service.find_selection(session, project_id, it)).artifact
            for it in (job_id, other)
        ]
    found = await to_thread.run_sync(service.sides, storage, one, two)
    async with reviewing(request, user, project_id) as (session, _):
        return await service.comparison(session, one, two, found)


@router.get(
    "/export",
    response_class=Response,
    responses=sends(JSON_LINES, "text/plain", PARQUET),
)
async def export_selection(
    request: Request,
    user: CurrentUser,
    storage: StorageDep,
    project_id: ProjectId,
    job_id: JobId,
    format: SelectionFormat = SelectionFormat.ALPACA,
    everything: Annotated[
        bool, Query(description="`parquet`: also what is dropped, with the reason.")
    ] = False,
) -> Response:
    """What is kept: JSONL of instruction, input and output, JSONL of chats, Parquet, or ids.

    Parquet has all of it, and what became of each row: its cluster, rank, score and reason.
    """
    async with managing(request, user, project_id) as (session, _):
        found = await service.find_selection(session, project_id, job_id)
        record(session, user, "export", "selection", job_id, project_id=project_id, format=format)
    path = await to_thread.run_sync(service.path_of, storage, found.artifact)
    sessions = await request.app.state.reader.sessions()
    body: AsyncIterator[str] | AsyncIterator[bytes]
    media, suffix = JSON_LINES, "jsonl"
    if format is SelectionFormat.ALPACA:
        body = exports.as_alpaca_lines(sessions, path)
    elif format is SelectionFormat.MESSAGES:
        body = exports.as_message_lines(sessions, path)
    elif format is SelectionFormat.PARQUET:
        body = exports.as_parquet(sessions, path, everything=everything)
        media, suffix = PARQUET, "parquet"
    else:
        body, media, suffix = exports.as_ids(path), "text/plain", "txt"
    name = f"karat-instructions-{job_id}.{suffix}"
    return StreamingResponse(
        body, media_type=media, headers={"Content-Disposition": f'attachment; filename="{name}"'}
    )
