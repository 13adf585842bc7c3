from collections.abc import Sequence

from anyio import to_thread
from sqlalchemy import delete, func, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from api.audit import record
from api.credentials import hash_password
from api.principal import Principal
from api.users.schemas import UserCreate, UserUpdate
from core.errors import Conflict, NotFound
from core.states import Role
from core.tables import LoginSession, User


async def list_users(session: AsyncSession) -> Sequence[User]:
    return (await session.scalars(select(User).order_by(User.id))).all()


async def create(session: AsyncSession, actor: Principal | None, body: UserCreate) -> User:
    user = User(
        email=body.email,
        name=body.name,
        role=body.role,
        password_hash=await to_thread.run_sync(hash_password, body.password),
        active=True,
    )
    session.add(user)
    try:
        await session.flush()
    except IntegrityError as error:
        raise Conflict(
            "email_taken", "There is already a user with this address.", field="email"
        ) from error
    if actor is not None:
        record(session, actor, "create", "user", user.id, email=user.email, role=user.role)
    return user


async def update(session: AsyncSession, actor: Principal, user_id: int, body: UserUpdate) -> User:
    hashed = body.password and await to_thread.run_sync(hash_password, body.password)
    # All admins are locked in one order, so that two of them cannot demote each other at once.
    admins = select(User).where(User.role == Role.ADMIN).order_by(User.id).with_for_update()
    await session.execute(admins)
    user = await session.get(User, user_id, with_for_update=True)
    if user is None:
        raise NotFound("user")
    changed = body.model_dump(exclude_none=True, exclude={"password"})
    for field, value in changed.items():
        setattr(user, field, value)
    if hashed is not None:
        user.password_hash = hashed
    if hashed is not None or body.active is False:
        await session.execute(delete(LoginSession).where(LoginSession.user_id == user.id))
    await session.flush()
    await _require_an_admin(session)
    record(session, actor, "update", "user", user.id, **changed)
    return user


async def _require_an_admin(session: AsyncSession) -> None:
    admins = select(func.count()).where(User.role == Role.ADMIN, User.active)
    if not await session.scalar(admins):
        raise Conflict(
            "last_admin", "This is the last active admin; make somebody else an admin first."
        )
