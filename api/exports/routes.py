from collections.abc import AsyncIterator, Iterator
from enum import StrEnum
from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import StreamingResponse

from api.access import ProjectId, managed_project
from api.audit import record
from api.deps import OriginalsDep
from api.exports import service
from api.principal import CurrentUser

router = APIRouter(tags=["exports"])


class Format(StrEnum):
    CSV = "csv"
    JSONL = "jsonl"
    IMAGEFOLDER = "imagefolder"


Effective = Annotated[
    bool, Query(description="Of annotations only the one of each image that holds now.")
]


@router.get("/projects/{project_id}/export", response_class=StreamingResponse)
async def export(
    request: Request,
    user: CurrentUser,
    originals: OriginalsDep,
    project_id: ProjectId,
    format: Format = Format.CSV,
    effective: Effective = False,
) -> StreamingResponse:
    """Annotations as CSV or JSONL, or the images labeled with a class as an ImageFolder zip."""
    sessions = request.app.state.sessions
    body: AsyncIterator[str] | Iterator[bytes]
    async with sessions.begin() as session:
        await managed_project(session, user, project_id)
        record(session, user, "export", "annotations", None, project_id=project_id, format=format)
        if format is Format.IMAGEFOLDER:
            images = await service.labeled_images(session, project_id)
    if format is Format.CSV:
        body = service.as_csv(sessions, project_id, only_effective=effective)
        media, suffix = "text/csv", "csv"
    elif format is Format.JSONL:
        body = service.as_jsonl(sessions, project_id, only_effective=effective)
        media, suffix = "application/jsonl", "jsonl"
    else:
        body, media, suffix = service.as_image_folder(images, originals), "application/zip", "zip"
    name = f"karat-project-{project_id}.{suffix}"
    return StreamingResponse(
        body, media_type=media, headers={"Content-Disposition": f'attachment; filename="{name}"'}
    )
