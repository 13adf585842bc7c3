from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import StreamingResponse

from api.audit import record
from api.callers.access import ManagedProject, ProjectId, managing
from api.callers.principal import CurrentUser
from api.deps import OriginalsDep, SessionDep, StorageDep
from api.examples.service import matching_pool_indices
from api.exports import service
from api.exports.asked import Asked
from api.exports.part import Part
from api.exports.records import Images
from api.exports.schemas import ExportedClass, ExportFormat
from api.exports.service import Format
from api.exports.since import settled
from api.exports.taken import find_taken, taken_images
from api.schemas.contents import JSON_LINES, PARQUET, sends
from api.schemas.pagination import Items
from api.transfers.files import present_file
from core.states import Medium
from core.tasks.registry import task_type

router = APIRouter(tags=["exports"])


@router.get("/projects/{project_id}/export/classes")
async def list_exported_classes(
    session: SessionDep, project: ManagedProject
) -> Items[ExportedClass]:
    """The numbers and folders of the classes in exports, and how many images show each.

    A class without an evaluation image is not evaluated; without a labeled one nothing can be
    trained on it.
    """
    return Items(items=await service.exported_classes(session, project.id, project.task))


@router.get("/projects/{project_id}/export/formats")
async def list_export_formats(project: ManagedProject) -> Items[ExportFormat]:
    """The formats of `export`; those that cannot hold the project's examples say why."""
    return Items(items=service.formats(project.medium, project.task))


@router.get(
    "/projects/{project_id}/export",
    response_class=StreamingResponse,
    responses=sends("text/csv", JSON_LINES, "application/json", "application/zip", PARQUET),
)
async def export(
    request: Request,
    user: CurrentUser,
    originals: OriginalsDep,
    storage: StorageDep,
    project_id: ProjectId,
    asked: Annotated[Asked, Query()],
) -> StreamingResponse:
    """Annotations as CSV or JSONL, or images with what is known of them; an import reads them all.

    `imagefolder` is a zip with a folder for each class; `yolo` has `train` and `val` with such
    folders, every class in both, and beside them what has no class; `coco` and `label_studio` are
    images and a JSON document; `parquet` is what Hugging Face's `datasets` loads. Texts leave in
    `csv`, `jsonl`, `parquet`, `label_studio` and `doccano`, each beside what is known of it. Boxes
    leave in `csv`, `jsonl`, `parquet`, `label_studio` and `coco`, and as `yolo` (detection), `voc`
    and `cvat`, which hold boxes alone. Rows of instruction data leave as `alpaca` and `messages`,
    JSON Lines without what people called wrong or OOD, as `parquet` with all there is, and as
    `rankings`, a line for each group that people were asked to rank.

    What a model has labeled under a certificate says so: its source is `model`, beside its
    probability, the lot, and the share that may be wrong, at most, of all that was promised
    together: of the lots of the class, or of all lots; of a single lot more may be wrong.

    With any of the filters of the list of images only what matches leaves, as of when the export
    begins. The file says so: `-filtered` is in its name, a zip has `FILTERS.txt`, COCO `filters` in
    its `info`, and Parquet in its metadata under `karat`. What may be wrong at most of labels of a
    model is promised of all of them together, and not said of a part. File names and numbers of
    classes are those of the whole.

    With `after` a copy elsewhere is kept up with: annotations are only ever added, and none comes
    later with an id below the last of such a file.
    """
    asked.require_possible()
    format, filters = asked.format, asked.filters
    said = None if filters is None else filters.model_dump(mode="json", exclude_none=True)
    async with managing(request, user, project_id) as (session, project):
        service.require_served(format, project.medium, project.task)
        told = {"snapshot": asked.snapshot, "filters": said}
        record(
            session,
            user,
            "export",
            "annotations",
            None,
            project_id=project_id,
            format=format,
            **{name: value for name, value in told.items() if value is not None},
        )
        classes = await service.class_names(session, project_id)
        medium, task = project.medium, project.task
        taken = None
        if asked.snapshot is not None:
            taken = await find_taken(session, project_id, asked.snapshot)
    between = None
    if asked.after is not None:
        newest = await settled(request.app.state.sessions, project_id, asked.after)
        between = (asked.after, newest)
    # Asked last: a replica has what was committed by then.
    sessions = await request.app.state.reader.sessions()
    part = None
    if filters is not None:
        async with sessions() as session:
            found = await matching_pool_indices(session, project, storage, filters)
        part = Part(said or {}, found)
    which = Images(
        sessions,
        project_id,
        classes,
        all=asked.unlabeled,
        people_only=asked.people_only,
        part=part,
        with_imported=format is Format.LABEL_STUDIO,
    )
    if taken is not None:
        path = await present_file(storage, taken.key)
        which = taken_images(which, taken, path)
    if task_type(task).in_files == "rows":
        download = service.as_rows(which, format)
    elif format in (Format.CSV, Format.JSONL):
        texts = medium is Medium.TEXT
        download = service.as_table(
            which,
            format,
            task,
            only_effective=asked.effective,
            bom=asked.bom,
            texts=texts,
            between=between,
        )
    elif medium is Medium.TEXT:
        download = service.as_texts(which, format, with_config=asked.images)
    elif format in (Format.COCO, Format.LABEL_STUDIO) and not asked.images:
        address = request.app.state.settings.public_url or str(request.base_url)
        download = service.as_document(which, format, f"{address.rstrip('/')}/", task)
    else:
        download = await service.as_images(which, originals, format, task)
    headers = {"Content-Disposition": f'attachment; filename="{download.filename}"'}
    return StreamingResponse(download.body, media_type=download.media_type, headers=headers)
