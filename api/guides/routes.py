from typing import Annotated

from fastapi import APIRouter, Query

from api.callers.access import LockedProject, VisibleProject
from api.callers.principal import CurrentUser
from api.deps import SessionDep
from api.guides import service
from api.guides.schemas import MOST_PINNED, Guides, PinnedExamples
from api.schemas.parameters import PathId

router = APIRouter(prefix="/projects/{project_id}", tags=["guides"])


@router.get("/guides")
async def show_guides(
    session: SessionDep,
    project: VisibleProject,
    examples: Annotated[int, Query(ge=0, le=MOST_PINNED)] = 6,
) -> Guides:
    """What belongs to each class, with images of it, and images that belong to none."""
    return await service.guides(session, project, examples)


@router.put("/classes/{class_id}/examples", status_code=204)
async def pin_examples(
    session: SessionDep,
    user: CurrentUser,
    project: LockedProject,
    class_id: PathId,
    body: PinnedExamples,
) -> None:
    """Choose the images that show annotators what the class is; none lets votes choose."""
    await service.pin(session, user, project, class_id, body.example_ids)
