from fastapi import APIRouter

from api.callers.access import LockedProject, ManagedProject
from api.callers.principal import Admin
from api.deps import SessionDep
from api.retention import service
from api.retention.schemas import RetentionIn, RetentionOut
from api.schemas.pagination import Items

router = APIRouter(prefix="/projects/{project_id}/retention", tags=["projects"])
admin_router = APIRouter(prefix="/admin", tags=["admin"])


@router.get("")
async def show_retention(session: SessionDep, project: ManagedProject) -> RetentionOut:
    """How long the project is kept after it is finished."""
    return (await service.described(session, [project]))[0]


@router.put("")
async def set_retention(
    session: SessionDep, admin: Admin, project: LockedProject, body: RetentionIn
) -> RetentionOut:
    """Have a project deleted so many days after it is finished, or keep it.

    Not within a week of saying so; until then everybody who manages it is told the day.
    """
    await service.retain(session, admin, project, body.days)
    await session.flush()
    return (await service.described(session, [project]))[0]


@admin_router.get("/retention")
async def list_retention(session: SessionDep, _: Admin) -> Items[RetentionOut]:
    """What will be deleted when, of all projects that are not kept: nothing is done by asking."""
    return Items(items=await service.all_limited(session))
