from fastapi import APIRouter

from api.access import LockedProject, ManagedProject
from api.deps import SessionDep
from api.pagination import Items
from api.principal import CurrentUser
from api.rounds import service
from api.rounds.schemas import RoundOut

router = APIRouter(prefix="/projects/{project_id}/rounds", tags=["rounds"])


@router.get("")
async def list_rounds(session: SessionDep, project: ManagedProject) -> Items[RoundOut]:
    return Items(items=await service.list_rounds(session, project))


@router.get("/{number}")
async def show_round(session: SessionDep, project: ManagedProject, number: int) -> RoundOut:
    return await service.show_round(session, project, number)


@router.post("/{number}/close")
async def close_round(
    session: SessionDep, user: CurrentUser, project: LockedProject, number: int
) -> RoundOut:
    return await service.close(session, user, project, number)


@router.post("/{number}/retry")
async def retry_round(
    session: SessionDep, user: CurrentUser, project: LockedProject, number: int
) -> RoundOut:
    return await service.retry(session, user, project, number)
