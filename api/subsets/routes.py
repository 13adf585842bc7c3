from collections.abc import AsyncIterator
from typing import Annotated

from anyio import to_thread
from fastapi import APIRouter, Query, Request
from fastapi.responses import Response, StreamingResponse

from api.artifacts.subsets import find_subset, gone
from api.audit import record
from api.callers.access import ProjectId, ReviewedProject, managing, reviewing
from api.callers.principal import CurrentUser
from api.deps import OriginalsDep, SessionDep, StorageDep
from api.schemas.contents import PARQUET, sends
from api.schemas.pagination import Items
from api.schemas.parameters import PathId
from api.subsets import exports, service
from api.subsets.schemas import SubsetComparison, SubsetFormat, SubsetOut
from api.transfers.files import artifact_file
from core.errors import Invalid
from core.states import Medium

router = APIRouter(prefix="/projects/{project_id}/subsets", tags=["subsets"])

SubsetId = PathId
Compared = Annotated[int, Query(ge=1, lt=2**63, description="Id of a subset.")]

ByteOrderMark = Annotated[
    bool,
    Query(description="`csv`: begin with a byte order mark, so that Excel reads it as UTF-8."),
]


@router.get("")
async def list_subsets(session: SessionDep, project: ReviewedProject) -> Items[SubsetOut]:
    """Every subset that jobs have found, newest first."""
    return Items(items=await service.list_subsets(session, project))


@router.get("/compare")
async def compare_subsets(
    request: Request,
    user: CurrentUser,
    storage: StorageDep,
    project_id: ProjectId,
    a: Compared,
    b: Compared,
) -> SubsetComparison:
    """Two subsets side by side: what both keep, and what only one does."""
    async with reviewing(request, user, project_id) as (session, project):
        one, other = [await service.described_subset(session, project, it) for it in (a, b)]
    return await to_thread.run_sync(service.compared, storage, one, other)


@router.get(
    "/{subset_id}/export",
    response_class=Response,
    responses=sends("text/csv", "text/plain", "application/zip", PARQUET),
)
async def export_subset(
    request: Request,
    user: CurrentUser,
    storage: StorageDep,
    originals: OriginalsDep,
    project_id: ProjectId,
    subset_id: SubsetId,
    format: SubsetFormat = SubsetFormat.CSV,
    bom: ByteOrderMark = False,
) -> Response:
    """All rows as CSV or Parquet (no rank: dropped); what is kept as ids, or as a zip of folders.

    CSV and Parquet have the same columns, with names beside the ids, and the texts where examples
    are texts. The folders, of images, are named by the labels that the subset was made from.
    """
    async with managing(request, user, project_id) as (session, project):
        texts = project.medium is Medium.TEXT
        if texts and format is SubsetFormat.IMAGEFOLDER:
            raise Invalid(
                "wrong_medium",
                "Folders are made of files of pictures, and this project holds texts; take csv, "
                "parquet or ids.",
                field="format",
            )
        artifact = await find_subset(session, project_id, subset_id)
        record(session, user, "export", "subset", subset_id, project_id=project_id, format=format)
    path = await artifact_file(storage, artifact.storage_key)
    if not path.exists():
        raise gone(artifact)
    name = f"karat-subset-{subset_id}"
    sessions = await request.app.state.reader.sessions()
    body: AsyncIterator[str] | AsyncIterator[bytes]
    if format is SubsetFormat.CSV:
        body = exports.as_csv(sessions, project_id, path, bom=bom, texts=texts)
        media, suffix = "text/csv", "csv"
    elif format is SubsetFormat.PARQUET:
        body = exports.as_parquet(sessions, project_id, path, texts=texts)
        media, suffix = PARQUET, "parquet"
    elif format is SubsetFormat.IDS:
        body, media, suffix = exports.as_ids(path), "text/plain", "txt"
    else:
        body = exports.as_image_folder(sessions, project_id, path, originals)
        media, suffix = "application/zip", "zip"
    return StreamingResponse(
        body,
        media_type=media,
        headers={"Content-Disposition": f'attachment; filename="{name}.{suffix}"'},
    )
