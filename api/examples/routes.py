from typing import Annotated

from fastapi import APIRouter, Query, Request

from api.callers.access import LockedProject, LockedToReview, ProjectId, ReviewedId, ReviewedProject
from api.callers.principal import CurrentUser
from api.deps import Room, SessionDep, SettingsDep, StorageDep
from api.examples import (
    actions,
    by_words,
    fields,
    look_alikes,
    looking_at,
    looking_up,
    service,
    verdicts,
)
from api.examples.schemas import (
    Changed,
    ExampleCount,
    ExampleDetail,
    ExamplePage,
    Filters,
    Judged,
    Judgement,
    Listing,
    LookAlikes,
    LookAt,
    Neighbours,
    Promoted,
    Promotion,
    Selection,
    ValuesOf,
    Words,
    WordsOut,
)
from api.jobs.schemas import JobOut
from api.schemas.contents import takes
from api.schemas.fields import Fields, FieldValues

router = APIRouter(prefix="/projects/{project_id}/examples", tags=["examples"])


@router.get("")
async def list_examples(
    session: SessionDep,
    storage: StorageDep,
    project: ReviewedProject,
    listing: Annotated[Listing, Query()],
) -> ExamplePage:
    """Images that match, in order of import or by a score, with their labels and scores."""
    return await service.list_examples(session, project, storage, listing)


@router.get("/count")
async def count_examples(
    session: SessionDep,
    storage: StorageDep,
    project: ReviewedProject,
    filters: Annotated[Filters, Query()],
) -> ExampleCount:
    return await service.count_examples(session, project, storage, filters)


@router.get("/fields")
async def list_fields(session: SessionDep, project: ReviewedProject) -> Fields:
    """What came with 1,000 examples, spread over the project, each with a value of one of them.

    Those that `shown_fields` of the settings names, annotators see; by all of them images are found
    with `fields`.
    """
    return Fields(items=await fields.brought_fields(session, project.id))


@router.get("/fields/values")
async def list_field_values(
    session: SessionDep,
    storage: StorageDep,
    project: ReviewedProject,
    asked: Annotated[ValuesOf, Query()],
) -> FieldValues:
    """What a field is, and of how many of the images that match."""
    return await service.field_values(session, project, storage, asked)


@router.get("/look-alikes")
async def list_look_alikes(session: SessionDep, project: ReviewedProject) -> LookAlikes:
    """OOD images that look like a class: each group can be looked at, and promoted to one."""
    return await look_alikes.look_alikes(session, project)


@router.post(
    "/look-up",
    status_code=202,
    dependencies=[Room],
    openapi_extra=takes("application/octet-stream"),
)
async def look_up(
    request: Request,
    user: CurrentUser,
    settings: SettingsDep,
    storage: StorageDep,
    project_id: ReviewedId,
) -> JobOut:
    """Send one image as the request body, to find what is like it: nothing is added to the pool.

    Of a project of texts it is a text in UTF-8: one that was typed in, or a `.txt` file.

    When the job that is returned has succeeded, its number is what `similar_file` asks for.
    """
    return await looking_up.start(request, user, project_id, storage, settings)


@router.get("/by-words")
async def show_words(session: SessionDep, project: ReviewedProject) -> WordsOut:
    """Whether the images can be searched by words; admins upload the weights that are needed."""
    return await by_words.offered(session, project)


@router.post("/by-words", status_code=202, dependencies=[Room])
async def find_by_words(
    session: SessionDep, user: CurrentUser, project: ReviewedProject, body: Words
) -> JobOut:
    """Look for images that show what words say.

    When the job that is returned has succeeded, its number is what `similar_file` asks for. The
    first one sees all images, and takes as long; later ones those that were imported since.
    """
    return await by_words.start(session, user, project, body.words)


@router.post("/queue")
async def send_to_queue(
    session: SessionDep,
    user: CurrentUser,
    storage: StorageDep,
    project: LockedProject,
    body: Selection,
) -> Changed:
    """Put images at the head of the open round's queue; a verdict on them is asked for again."""
    return await actions.send_to_queue(session, user, project, storage, body)


@router.post("/unqueue")
async def take_from_queue(
    session: SessionDep,
    user: CurrentUser,
    storage: StorageDep,
    project: LockedProject,
    body: Selection,
) -> Changed:
    """Take back what was sent to the queue and has not been looked at."""
    return await actions.take_from_queue(session, user, project, storage, body)


@router.post("/hold-out")
async def hold_out(
    session: SessionDep,
    user: CurrentUser,
    storage: StorageDep,
    project: LockedProject,
    body: Selection,
) -> Changed:
    """Leave unlabeled images of the pool out of all rounds to come."""
    return await actions.hold_out(session, user, project, storage, body)


@router.post("/release")
async def release_examples(
    session: SessionDep,
    user: CurrentUser,
    storage: StorageDep,
    project: LockedProject,
    body: Selection,
) -> Changed:
    """Give images that were held out back to the pool."""
    return await actions.release(session, user, project, storage, body)


@router.post("/verdict")
async def judge_examples(
    session: SessionDep,
    user: CurrentUser,
    storage: StorageDep,
    project: LockedToReview,
    body: Judgement,
) -> Judged:
    """Give images of the pool a verdict, as a review that settles them; a skip takes it back."""
    return await verdicts.judge(session, user, project, storage, body)


@router.post("/promote", status_code=201)
async def promote_examples(
    session: SessionDep,
    user: CurrentUser,
    storage: StorageDep,
    project: LockedProject,
    body: Promotion,
) -> Promoted:
    """Make a class for a group of OOD images, and ask about them again."""
    return await actions.promote(session, user, project, storage, body)


@router.get("/{example_id}")
async def show_example(
    session: SessionDep, storage: StorageDep, project: ReviewedProject, example_id: ProjectId
) -> ExampleDetail:
    """One image with its scores, all that was said of it, and its places in rounds."""
    return await service.show_example(session, project, storage, example_id)


@router.get("/{example_id}/neighbours")
async def example_neighbours(
    session: SessionDep,
    storage: StorageDep,
    project: ReviewedProject,
    example_id: ProjectId,
    limit: Annotated[int, Query(ge=1, le=100)] = 24,
) -> Neighbours:
    """The most similar images of the project."""
    return await service.neighbours(session, project, storage, example_id, limit)


@router.post("/{example_id}/look-at", status_code=202, dependencies=[Room])
async def look_at_example(
    session: SessionDep,
    user: CurrentUser,
    project: ReviewedProject,
    example_id: ProjectId,
    body: LookAt,
) -> JobOut:
    """Have the model of the last round show where on an image it sees a class.

    The `result` of the job that is returned holds `map`, rows of 0 to 255 over the `square` that
    the model sees (left, top, right, bottom in pixels of the image); `box` around the largest part
    that stands out, null where nothing does; `class_id`, its `probability` and the
    `predicted_class_id`; and the `round` of the model.
    """
    return await looking_at.start(session, user, project, example_id, body.class_id)
