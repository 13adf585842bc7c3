from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import StreamingResponse
from pydantic import AfterValidator

from api.audit import record
from api.callers.access import ManagedProject, ProjectId, managing
from api.callers.principal import CurrentUser
from api.deps import OriginalsDep, SessionDep, StorageDep
from api.exports import service
from api.exports.records import Images
from api.exports.schemas import ExportedClass, ExportFormat
from api.exports.service import Format
from api.exports.taken import find_taken, taken_images
from api.schemas.contents import JSON_LINES, PARQUET, sends
from api.schemas.pagination import Items
from api.transfers.files import present_file
from core.names import composed
from core.states import Medium
from core.tasks.instructions import INSTRUCTIONS

router = APIRouter(tags=["exports"])

Effective = Annotated[
    bool,
    Query(description="`csv`, `jsonl`: of annotations only the one of each image that holds now."),
]
Unlabeled = Annotated[
    bool,
    Query(
        description="`yolo`, `coco`, `label_studio`, `parquet`, `voc`, `cvat`: also images nobody "
        "has judged."
    ),
]
WithImages = Annotated[
    bool,
    Query(
        description="`coco`, `label_studio`: a zip with the images, or of texts with the interface "
        "for them, or else the JSON alone."
    ),
]
PeopleOnly = Annotated[
    bool,
    Query(description="Leave out what models have labeled under certificates."),
]
ByteOrderMark = Annotated[
    bool,
    Query(description="`csv`: begin with a byte order mark, so that Excel reads it as UTF-8."),
]


Snapshot = Annotated[
    str | None,
    Query(
        max_length=80,
        description="Name of a snapshot: what everything counted as when it was taken.",
    ),
    AfterValidator(lambda name: name and composed(name)),
]


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


@router.head("/projects/{project_id}/export", include_in_schema=False)
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
    format: Format = Format.CSV,
    effective: Effective = False,
    unlabeled: Unlabeled = False,
    images: WithImages = True,
    bom: ByteOrderMark = False,
    people_only: PeopleOnly = False,
    snapshot: Snapshot = None,
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
    """
    async with managing(request, user, project_id) as (session, project):
        service.require_served(format, project.medium, project.task)
        if sent := request.method == "GET":
            record(
                session,
                user,
                "export",
                "annotations",
                None,
                project_id=project_id,
                format=format,
                **({} if snapshot is None else {"snapshot": snapshot}),
            )
        classes = await service.class_names(session, project_id)
        medium, task = project.medium, project.task
        taken = None if snapshot is None else await find_taken(session, project_id, snapshot)
    sessions = await request.app.state.reader.sessions()
    which = Images(sessions, project_id, classes, all=unlabeled, people_only=people_only)
    if taken is not None:
        path = await present_file(storage, taken.key)
        which = taken_images(which, taken, path)
    if task == INSTRUCTIONS.name:
        found = service.as_rows(which, format)
    elif format in (Format.CSV, Format.JSONL):
        texts = medium is Medium.TEXT
        found = service.as_table(
            which, format, task, only_effective=effective, bom=bom, texts=texts
        )
    elif medium is Medium.TEXT:
        found = service.as_texts(which, format, with_config=images)
    elif format in (Format.COCO, Format.LABEL_STUDIO) and not images:
        address = request.app.state.settings.public_url or str(request.base_url)
        found = service.as_document(which, format, f"{address.rstrip('/')}/", task)
    else:
        found = await service.as_images(which, originals, format, task)
    headers = {"Content-Disposition": f'attachment; filename="{found.filename}"'}
    body = found.body if sent else ()
    return StreamingResponse(body, media_type=found.media_type, headers=headers)
