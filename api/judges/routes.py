from fastapi import APIRouter

from api.callers.access import Staff
from api.callers.principal import Admin
from api.deps import SessionDep, SettingsDep
from api.judges import service
from api.judges.schemas import JudgeCreate, JudgeOut, JudgeUpdate
from api.schemas.pagination import Items
from api.schemas.parameters import PathId

router = APIRouter(tags=["judges"])


@router.get("/judges")
async def list_judges(session: SessionDep, _: Staff) -> Items[JudgeOut]:
    """Models behind an address that may rank instructions, by name."""
    return Items(items=await service.listed(session))


@router.post("/judges", status_code=201)
async def create_judge(
    session: SessionDep, settings: SettingsDep, user: Admin, body: JudgeCreate
) -> JudgeOut:
    """Add a judge. Its key is kept encrypted, and never shown again."""
    return await service.create(session, user, settings, body)


@router.get("/judges/{judge_id}")
async def show_judge(session: SessionDep, _: Staff, judge_id: PathId) -> JudgeOut:
    return service.described(await service.find(session, judge_id))


@router.patch("/judges/{judge_id}")
async def update_judge(
    session: SessionDep, settings: SettingsDep, user: Admin, judge_id: PathId, body: JudgeUpdate
) -> JudgeOut:
    """Change a judge. Its key goes to the server that it was given for and to no other."""
    judge = await service.find(session, judge_id, lock=True)
    return await service.update(session, user, settings, judge, body)


@router.delete("/judges/{judge_id}", status_code=204)
async def delete_judge(session: SessionDep, user: Admin, judge_id: PathId) -> None:
    """Delete a judge that no job asks, with its key and all answers of it that are kept."""
    await service.remove(session, user, await service.find(session, judge_id, lock=True))


@router.post("/judges/{judge_id}/try", status_code=202)
async def try_judge(session: SessionDep, user: Admin, judge_id: PathId) -> JudgeOut:
    """Have a worker ask it to rank two made-up rows; read `trial` until `tried_at` is set."""
    judge = await service.find(session, judge_id, lock=True)
    return await service.attempt(session, user, judge)
