from fastapi import APIRouter

from api.deps import SessionDep
from api.pagination import Items
from api.principal import Admin, Engineer
from api.users import service
from api.users.schemas import UserCreate, UserOut, UserUpdate

router = APIRouter(prefix="/users", tags=["users"])


@router.get("")
async def list_users(session: SessionDep, _: Engineer) -> Items[UserOut]:
    users = await service.list_users(session)
    return Items(items=[UserOut.model_validate(user) for user in users])


@router.post("", status_code=201)
async def create_user(session: SessionDep, admin: Admin, body: UserCreate) -> UserOut:
    return UserOut.model_validate(await service.create(session, admin, body))


@router.patch("/{user_id}")
async def update_user(session: SessionDep, admin: Admin, user_id: int, body: UserUpdate) -> UserOut:
    return UserOut.model_validate(await service.update(session, admin, user_id, body))
