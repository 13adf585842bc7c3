import pathlib
import time
from datetime import UTC, datetime
from enum import IntEnum
from typing import Annotated, Final

from anyio import to_thread
from fastapi import APIRouter, Query, Request
from fastapi.responses import FileResponse, Response
from pydantic import StringConstraints

from api.audit import record
from api.callers.access import (
    ManagedId,
    ManagedProject,
    ProjectId,
    Staff,
    managed_project,
    managing,
)
from api.callers.principal import CurrentUser, Principal
from api.deps import OriginalsDep, Room, SessionDep, SettingsDep, StorageDep, transaction
from api.jobs.schemas import JobOut
from api.jobs.service import shown
from api.pools import images, in_place, links, plans, service
from api.pools.schemas import (
    BucketImport,
    FirstNumber,
    ImageLink,
    ImportStart,
    LocationOut,
    ModelName,
    Packed,
)
from api.pools.uploads import (
    check_annotations,
    check_columns,
    check_predictions,
    checked_name,
    receive,
    require_copied,
)
from api.schemas.contents import sends, takes
from api.schemas.pagination import Cursor, Items, Limit, Page
from api.schemas.parameters import PathId
from api.transfers.files import present_file
from core.errors import Invalid
from core.jobs.imports import ImportParams
from core.states import Split

router = APIRouter(tags=["pools"])

_PICTURE: Final = sends("image/*", "text/plain") | {
    304: {"description": "As the caller has it."},
    307: {"description": "It lies in a bucket; `Location` is a link to it."},
}

ColumnName = Annotated[str | None, Query(max_length=200)]
AnnotationColumn = Annotated[str, StringConstraints(min_length=1, max_length=200)]
FolderSplit = Annotated[str, StringConstraints(min_length=3, max_length=600)]
JobId = PathId
ExampleId = PathId
PictureVersion = Annotated[
    int | None,
    Query(
        ge=0,
        lt=2**31,
        description="As in `image_url`: with the present one the answer may be kept for good.",
    ),
]


class ThumbnailSize(IntEnum):
    """Longer side in pixels."""

    SMALL = 64
    MEDIUM = 128
    LARGE = 256
    HUGE = 512
    SCREEN = 2000


@router.post(
    "/projects/{project_id}/imports",
    status_code=202,
    openapi_extra=takes("application/octet-stream"),
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
    text_column: ColumnName = None,
    label_column: ColumnName = None,
    split_column: ColumnName = None,
    key_column: ColumnName = None,
    annotation_column: Annotated[list[AnnotationColumn] | None, Query(max_length=50)] = None,
    predictions: ModelName | None = None,
    probability_column: ColumnName = None,
    location: Annotated[str | None, Query(max_length=2000)] = None,
    packed: Packed | None = None,
    folder_split: Annotated[list[FolderSplit] | None, Query(max_length=200)] = None,
    count_from: FirstNumber | None = None,
    dry_run: bool = False,
) -> JobOut:
    """Upload an archive, a Parquet file, a table or one example as the request body, and import it.

    What stands in each `annotation_column` (of the Parquet file, or of a zip's metadata, where
    `label` also means the folder) becomes an annotation of the image: a class by name or number,
    `ood`, `unsure` or `skip`. A `.csv`, `.tsv` or `.jsonl`, or a Parquet file without images,
    annotates images that the project has: by the column `example_id`, `sha256`, `file` or another
    that `key_column` names. Our own exports, and JSON of Label Studio or COCO, alone or in a zip
    with the images, need no column named: what they say becomes annotations. No address is fetched.

    With a `location`, a `.csv`, `.tsv`, `.jsonl` or `.parquet` file names images that stay in that
    bucket or folder: by the column `key`, `file` or another that `key_column` names. `packed` says
    what a zip was made of for the upload.

    Texts come from `.csv`, `.tsv`, `.jsonl`, `.json` and `.parquet` files, a row each, by the
    column `text_column`, which need not be named where only one can be meant, and from `.txt` and
    `.md` files, alone, in folders or in archives. What is a zip here may be a `.tar`, and each file
    compressed: `.gz`, `.bz2`, `.xz`. The JSON of Label Studio and doccano needs no names.

    With `predictions`, the name of a model, the file brings what that model predicts, and no label:
    boxes as its format has them, with their scores, or the class in the one `annotation_column`,
    with how sure the model is of it in the `probability_column`. Images may come along or be there.
    `predictions` of Label Studio's tasks come in without it, by their `model_version`, and so do
    results of COCO beside their document, by the name of their file.

    Each `folder_split`, as `FOLDER=SPLIT`, says of a folder, or of a value of the split column,
    what it is: a split, `leave_out`, or `class`. `count_from` says which number the first class has
    in columns of numbers that do not say it by themselves, 0 or 1. With `dry_run` nothing is stored
    but the upload: the job's result is the plan of the import, which `start` then starts without
    sending it again, and which is forgotten after 24 hours.
    """
    async with managing(request, user, project_id) as (_, project):
        medium, task = project.medium, project.task
    annotations = list(dict.fromkeys(annotation_column or ()))
    choices = plans.parse_choices(folder_split or ())
    if location is not None:
        require_copied(medium)
        in_place.require_table(filename, "filename")
        location = str(in_place.allowed_location(location, settings))
    name = checked_name(filename, medium)
    check_annotations(name, annotations, split, medium)
    given = {
        "image": image_column,
        "text": text_column,
        "label": label_column,
        "split": split_column,
        "key": key_column,
        "probability": probability_column,
    }
    columns = {role: column for role, column in given.items() if column}
    check_columns(columns, medium)
    check_predictions(predictions, columns, annotations, task)
    upload = await receive(request.stream(), name, storage, settings)
    params = ImportParams(
        upload=upload,
        filename=name,
        split=split,
        columns=columns,
        annotations=annotations,
        predictions=predictions,
        folder_split=choices,
        count_from=count_from,
        location=location,
        packed=packed,
    )
    return await _started(request, user, project_id, params, dry_run, storage.upload(upload))


@router.get("/import-locations")
async def import_locations(user: Staff, settings: SettingsDep) -> Items[LocationOut]:
    """Where images may be imported from without being copied; none unless the operator says so."""
    del user
    return Items(items=[LocationOut(location=str(place)) for place in settings.import_places])


@router.post("/projects/{project_id}/imports/bucket", status_code=202, dependencies=[Room])
async def import_bucket(
    request: Request,
    user: CurrentUser,
    settings: SettingsDep,
    project_id: ProjectId,
    asked: BucketImport,
    dry_run: bool = False,
) -> JobOut:
    """Take in images that stay in a bucket or a shared folder; each is read once, and not kept.

    With `dry_run` the job's result is the plan of the import, as for an upload.
    """
    async with managing(request, user, project_id) as (_, project):
        require_copied(project.medium)
    params = await to_thread.run_sync(in_place.import_params, asked, settings)
    return await _started(request, user, project_id, params, dry_run)


@router.post("/projects/{project_id}/imports/{job_id}/start", status_code=202)
async def start_import(
    session: SessionDep,
    user: CurrentUser,
    project: ManagedProject,
    job_id: JobId,
    chosen: ImportStart,
) -> JobOut:
    """Start a planned import from what was sent for its plan, with what was chosen."""
    return JobOut.model_validate(await plans.start(session, user, project, job_id, chosen))


@router.delete("/projects/{project_id}/imports/{job_id}", status_code=204)
async def discard_import(
    request: Request,
    user: CurrentUser,
    storage: StorageDep,
    project_id: ManagedId,
    job_id: JobId,
) -> None:
    """Forget the plan of an import, and remove what was sent for it."""
    async with transaction(request) as session:
        upload = await plans.discard(session, user, project_id, job_id)
    if upload is not None:
        await to_thread.run_sync(storage.remove_upload, upload)


async def _started(
    request: Request,
    user: Principal,
    project_id: int,
    params: ImportParams,
    dry_run: bool,
    upload: pathlib.Path | None = None,
) -> JobOut:
    """Queue an import in a transaction of its own; the upload is removed if that is refused."""
    async with transaction(request) as session:
        try:
            await managed_project(session, user, project_id)
            job = await service.start_import(session, user, project_id, params, dry_run=dry_run)
        except Exception:
            # Nothing will ever read it. A failed commit may have happened: it is not in here.
            if upload is not None:
                upload.unlink(missing_ok=True)
            raise
        return JobOut.model_validate(job)


@router.get("/projects/{project_id}/imports")
async def list_imports(
    session: SessionDep,
    settings: SettingsDep,
    project: ManagedProject,
    cursor: Cursor = None,
    limit: Limit = 100,
) -> Page[JobOut]:
    """Imports, the newest first; with the first page come all plans that wait for an answer."""
    jobs, following = await service.list_imports(session, project, cursor=cursor, limit=limit)
    return Page(items=await shown(session, settings, jobs), next_cursor=following)


@router.head("/projects/{project_id}/imports/{job_id}/report.csv", include_in_schema=False)
@router.get(
    "/projects/{project_id}/imports/{job_id}/report.csv",
    response_class=FileResponse,
    responses=sends("text/csv"),
)
async def import_report(
    request: Request, user: CurrentUser, storage: StorageDep, project_id: ProjectId, job_id: PathId
) -> FileResponse:
    """Every file that was refused or was a duplicate, with the reason."""
    async with managing(request, user, project_id) as (session, _):
        artifact = await service.import_report(session, project_id, job_id)
    return FileResponse(
        await present_file(storage, artifact.storage_key),
        media_type="text/csv",
        filename=f"import-{job_id}.csv",
    )


@router.head("/examples/{example_id}/image", include_in_schema=False)
@router.get("/examples/{example_id}/image", response_class=Response, responses=_PICTURE)
async def example_image(
    request: Request,
    user: CurrentUser,
    storage: StorageDep,
    originals: OriginalsDep,
    example_id: ExampleId,
    size: ThumbnailSize | None = None,
    v: PictureVersion = None,
    original: bool = False,
) -> Response:
    """The picture that everybody sees, with `size` a WebP no larger than that.

    It is the original file where every browser shows that as the model sees it, else a PNG or JPEG
    made of it: upright, in sRGB, opaque on white, the first of several frames. With `original` it
    is the file as it came, whatever it is: of a text, which has no picture (404 `no_picture`), the
    text in UTF-8.

    An original that lies in a bucket is answered with a redirect (307) to a link into the bucket,
    good for a short while; 409 says that it is gone, or has changed since it was imported.
    """
    if original and size is not None:
        raise Invalid("invalid_value", "The original has no small version.", field="size")
    async with transaction(request) as session:
        image = await service.image(session, user, example_id)
    return await images.send(
        request,
        storage,
        originals,
        example_id,
        image,
        size=size,
        version=v,
        as_it_came=original,
    )


@router.get("/examples/{example_id}/link")
async def example_link(
    session: SessionDep,
    user: CurrentUser,
    example_id: ExampleId,
    seconds: Annotated[int, Query(ge=60, le=7 * 24 * 3600)] = 3600,
) -> ImageLink:
    """A link to an image that opens without logging in, for so long."""
    project_id = await service.project_of(session, example_id)
    await managed_project(session, user, project_id, what="image")
    expires = int(time.time()) + seconds
    url = links.signed(await links.signing_key(session), example_id, expires)
    record(session, user, "link", "image", example_id, project_id=project_id, seconds=seconds)
    return ImageLink(url=url, expires_at=datetime.fromtimestamp(expires, UTC))


@router.head("/images/{example_id}", include_in_schema=False)
@router.get("/images/{example_id}", response_class=Response, responses=_PICTURE)
async def linked_image(
    request: Request,
    storage: StorageDep,
    originals: OriginalsDep,
    example_id: ExampleId,
    expires: Annotated[int, Query(ge=0, lt=2**40)],
    signature: Annotated[str, Query(max_length=100)],
    size: ThumbnailSize | None = None,
) -> Response:
    """The image or text that a link leads to, for whoever has the link."""
    async with transaction(request) as session:
        await links.require_signed(session, example_id, expires, signature)
        original = await service.image(session, None, example_id)
    # Of a text there is nothing but its words, in no size.
    whole = original.is_text and size is None
    response = await images.send(
        request, storage, originals, example_id, original, size=size, as_it_came=whole
    )
    if whole:
        # No longer than the link holds: nobody has logged in.
        response.headers["Cache-Control"] = images.ASK_AGAIN
    # Pages of other tools show it; no cookie of ours is involved.
    response.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
    response.headers["Access-Control-Allow-Origin"] = "*"
    return response
