from enum import IntEnum
from pathlib import Path
from typing import Annotated

from anyio import to_thread
from fastapi import APIRouter, Query, Request
from fastapi.responses import FileResponse, Response
from pydantic import StringConstraints

from api.access import ManagedProject, ProjectId, managed_project
from api.deps import SessionDep, SettingsDep, StorageDep
from api.jobs.schemas import JobOut
from api.pagination import Items
from api.pools import service
from api.pools.thumbnails import thumbnail
from api.pools.uploads import check_annotations, checked_name, receive
from api.principal import CurrentUser
from core.queue import deliver
from core.states import Split

router = APIRouter(tags=["pools"])

ColumnName = Annotated[str | None, Query(max_length=200)]
AnnotationColumn = Annotated[str, StringConstraints(min_length=1, max_length=200)]
# An example's image never changes, so a browser need not ask again.
_FOREVER = "private, max-age=31536000, immutable"


class ThumbnailSize(IntEnum):
    """Longer side in pixels."""

    SMALL = 64
    MEDIUM = 128
    LARGE = 256
    HUGE = 512


@router.post(
    "/projects/{project_id}/imports",
    status_code=202,
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {"application/octet-stream": {"schema": {"type": "string"}}},
        }
    },
)
async def import_images(
    request: Request,
    user: CurrentUser,
    settings: SettingsDep,
    storage: StorageDep,
    project_id: ProjectId,
    filename: Annotated[str, Query(max_length=1000)],
    split: Split = Split.POOL,
    image_column: ColumnName = None,
    label_column: ColumnName = None,
    split_column: ColumnName = None,
    key_column: ColumnName = None,
    annotation_column: Annotated[list[AnnotationColumn] | None, Query(max_length=50)] = None,
) -> JobOut:
    """Upload a zip, a Parquet file or one image as the request body, and import it.

    What stands in each `annotation_column` (of the Parquet file, or of a zip's metadata, where
    `label` also means the folder) becomes an annotation of the image: a class by name or number,
    `ood`, `unsure` or `skip`. A `.csv` or `.jsonl`, or a Parquet file without images, annotates
    images that the project has: by the column `example_id`, `sha256`, `file` or another that
    `key_column` names. Our own exports, and JSON of Label Studio or COCO, alone or in a zip with
    the images, need no column named: what they say becomes annotations. No address is fetched.
    """
    # Two short transactions instead of one that stays open while gigabytes arrive.
    sessions = request.app.state.sessions
    async with sessions() as session:
        await managed_project(session, user, project_id)
    annotations = list(dict.fromkeys(annotation_column or ()))
    check_annotations(checked_name(filename), annotations, split)
    upload = await receive(request.stream(), checked_name(filename), storage, settings)
    columns = {
        "image": image_column,
        "label": label_column,
        "split": split_column,
        "key": key_column,
    }
    async with sessions() as session:
        async with session.begin():
            try:
                await managed_project(session, user, project_id)
                job = await service.start_import(
                    session,
                    user,
                    project_id,
                    upload=upload,
                    filename=checked_name(filename),
                    split=split,
                    columns={key: value for key, value in columns.items() if value},
                    annotations=annotations,
                )
            except Exception:
                # Nothing will ever read it. A failed commit may have happened: it is not in here.
                storage.upload(upload).unlink(missing_ok=True)
                raise
            body = JobOut.model_validate(job)
        await to_thread.run_sync(deliver, session.info)
    return body


@router.get("/projects/{project_id}/imports")
async def list_imports(session: SessionDep, project: ManagedProject) -> Items[JobOut]:
    jobs = await service.list_imports(session, project)
    return Items(items=[JobOut.model_validate(job) for job in jobs])


@router.get("/projects/{project_id}/imports/{job_id}/report.csv", response_class=FileResponse)
async def import_report(
    session: SessionDep, project: ManagedProject, storage: StorageDep, job_id: int
) -> FileResponse:
    """Every file that was refused or was a duplicate, with the reason."""
    artifact = await service.import_report(session, project, job_id)
    return FileResponse(
        storage.artifact(artifact.storage_key),
        media_type="text/csv",
        filename=f"import-{job_id}.csv",
    )


@router.get("/examples/{example_id}/image", response_class=Response)
async def example_image(
    session: SessionDep,
    request: Request,
    user: CurrentUser,
    storage: StorageDep,
    example_id: int,
    size: ThumbnailSize | None = None,
) -> Response:
    """The original bytes, or with `size` a WebP no larger than that."""
    content_hash, media_type = await service.image(session, user, example_id)
    tag = f'"{content_hash.hex()}-{size or 0}"'
    headers = {"ETag": tag, "Cache-Control": _FOREVER, "X-Content-Type-Options": "nosniff"}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    path: Path = storage.image(content_hash)
    if size is not None:
        path = await to_thread.run_sync(thumbnail, storage, content_hash, size)
        media_type = "image/webp"
    return FileResponse(path, media_type=media_type, headers=headers)
