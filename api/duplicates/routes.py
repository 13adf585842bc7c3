from typing import Annotated

from fastapi import APIRouter, Query

from api.callers.access import LockedProject, ReviewedProject
from api.callers.principal import CurrentUser
from api.deps import SessionDep, StorageDep
from api.duplicates import service
from api.duplicates.schemas import Duplicates, HoldCopies, Which
from api.examples.schemas import Changed
from api.schemas.pagination import Cursor

router = APIRouter(prefix="/projects/{project_id}/duplicates", tags=["duplicates"])


@router.get("")
async def list_duplicates(
    session: SessionDep,
    storage: StorageDep,
    project: ReviewedProject,
    which: Which = "all",
    cursor: Cursor = None,
    limit: Annotated[int, Query(ge=1, le=100)] = 50,
) -> Duplicates:
    """Groups of images that show the same picture, the largest first."""
    return await service.list_groups(session, project, storage, which, cursor, limit)


@router.post("/hold-out")
async def hold_out_copies(
    session: SessionDep,
    user: CurrentUser,
    storage: StorageDep,
    project: LockedProject,
    body: HoldCopies,
) -> Changed:
    """Keep one image of each group, and hold its unlabeled copies in the pool out."""
    return await service.hold_copies(session, user, project, storage, body)
