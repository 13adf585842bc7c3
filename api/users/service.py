from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import exists, func, select
from sqlalchemy import update as change
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from api.audit import differences, record
from api.callers import login_limits as limits
from api.callers.credentials import hash_in_thread
from api.callers.passwords import end_sessions, require_good, set_password, temporary_password
from api.callers.principal import Principal, usable
from api.second_factor import service as second_factor
from api.users.roles import in_projects, lock_admins, set_role
from api.users.schemas import PasswordReset, UserActivity, UserCreate, UserOut, UserUpdate
from core.errors import Conflict, NotFound
from core.settings import Settings
from core.states import Role
from core.tables import ApiToken, Identity, LoginSession, Member, SecondFactor, User


async def list_users(session: AsyncSession, *, cursor: int | None, limit: int) -> Sequence[User]:
    """The first users after ``cursor``."""
    statement = select(User).where(User.id > (cursor or 0)).order_by(User.id).limit(limit)
    return (await session.scalars(statement)).all()


async def activity(
    session: AsyncSession, settings: Settings, *, cursor: int | None, limit: int
) -> list[UserActivity]:
    """The same, with what they can come in with."""
    now = func.now()
    waiting = await limits.waiting(session, settings)
    open_ = select(func.count()).where(LoginSession.user_id == User.id)
    statement = select(
        User,
        select(func.count()).where(Member.user_id == User.id).scalar_subquery(),
        open_.where(LoginSession.expires_at > now).scalar_subquery(),
        select(func.count()).where(ApiToken.user_id == User.id, usable(settings)).scalar_subquery(),
        select(func.max(LoginSession.created_at))
        .where(LoginSession.user_id == User.id)
        .scalar_subquery(),
        exists().where(Identity.user_id == User.id),
        exists().where(
            SecondFactor.user_id == User.id, SecondFactor.failures >= second_factor.MOST_FAILURES
        ),
    )
    statement = statement.where(User.id > (cursor or 0)).order_by(User.id).limit(limit)
    return [
        UserActivity(
            **{name: getattr(user, name) for name in UserOut.model_fields},
            projects=projects,
            sessions=sessions,
            tokens=tokens,
            signed_in_at=signed_in,
            locked=used_up or limits.account(user.email) in waiting,
            second_factor=user.second_factor,
            second_factor_required=user.second_factor_required,
            single_sign_on=known,
        )
        for user, projects, sessions, tokens, signed_in, known, used_up in (
            await session.execute(statement)
        )
    ]


async def find(session: AsyncSession, user_id: int, *, lock: bool = False) -> User:
    """A user, of which the row is locked if asked for.

    Raises:
        NotFound: There is none of this number.
    """
    user = await session.get(User, user_id, with_for_update=lock)
    if user is None:
        raise NotFound("user")
    return user


async def create(session: AsyncSession, actor: Principal | None, body: UserCreate) -> User:
    require_good(body.password, body.email, body.name)
    user = User(
        email=body.email,
        name=body.name,
        role=body.role,
        password_hash=await hash_in_thread(body.password),
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
        record(session, actor, "create", "user", user.id, role=user.role)
    return user


async def update(session: AsyncSession, actor: Principal, user_id: int, body: UserUpdate) -> User:
    hashed = "" if body.password is None else await hash_in_thread(body.password)
    await lock_admins(session)
    user = await find(session, user_id, lock=True)
    if user.erased_at is not None:
        raise _erased()
    changed = body.model_dump(exclude_none=True, exclude={"password"})
    before = {name: getattr(user, name) for name in changed}
    lowered: Sequence[int] = []
    for field, value in changed.items():
        if field == "role":
            lowered = await set_role(session, user, value)
        else:
            setattr(user, field, value)
    if body.password is not None:
        await set_password(session, user, body.password, hashed)
    revoked = 0
    if body.active is not None and not (body.active and before["active"]):
        # When somebody comes back as well: nothing that they had before opens anything again.
        await end_sessions(session, user)
        revoked = await revoke_tokens(session, user)
    await session.flush()
    await _require_an_admin(session)
    record(
        session,
        actor,
        "update",
        "user",
        user.id,
        changes=_unnamed(differences(before, changed)),
        password_set=body.password is not None,
        revoked_tokens=revoked,
        **in_projects(user.role, lowered),
    )
    return user


def _erased() -> Conflict:
    return Conflict("user_erased", "Who this was has been erased. Add them as a new user.")


def _unnamed(changes: dict[str, list[Any]]) -> dict[str, list[Any]]:
    """Changes as the audit log keeps them: that a name has changed, and not which it was."""
    return {**changes, "name": [None, None]} if "name" in changes else changes


async def reset_password(
    session: AsyncSession, actor: Principal, user_id: int, body: PasswordReset
) -> tuple[User, str, int]:
    """Replace a password by a temporary one, which opens nothing but the choice of another.

    Returns:
        The user, the temporary password, and how many API tokens were revoked.
    """
    password = temporary_password()
    hashed = await hash_in_thread(password)
    user = await find(session, user_id, lock=True)
    if user.erased_at is not None:
        raise _erased()
    if user.id == actor.id:
        raise Conflict("own_password", "Change your own password under Account.")
    await set_password(session, user, password, hashed, must_change=True)
    revoked = await revoke_tokens(session, user) if body.revoke_tokens else 0
    record(
        session,
        actor,
        "reset_password",
        "user",
        user.id,
        revoked_tokens=revoked,
    )
    return user, password, revoked


async def reset_second_factor(session: AsyncSession, actor: Principal, user_id: int) -> User:
    """Take somebody's second factor away, as when a phone is lost; their sessions end.

    Raises:
        Conflict: ``own_second_factor`` or ``no_second_factor``.
    """
    user = await find(session, user_id, lock=True)
    if user.id == actor.id:
        raise Conflict("own_second_factor", "Remove your own second factor under Account.")
    if not user.second_factor:
        raise Conflict("no_second_factor", "This user has no second factor.")
    await second_factor.forget(session, user)
    await end_sessions(session, user)
    record(session, actor, "remove", "second_factor", user.id)
    return user


async def unlock(session: AsyncSession, actor: Principal, user_id: int) -> User:
    """Let a user log in again at once, who has to wait after too many failed logins."""
    user = await find(session, user_id)
    await limits.lift(session, user)
    await second_factor.forgive(session, user)
    record(session, actor, "unlock", "user", user.id)
    return user


async def revoke_tokens(session: AsyncSession, user: User) -> int:
    """Make all API tokens of ``user`` invalid; how many were not yet."""
    statement = (
        change(ApiToken)
        .where(ApiToken.user_id == user.id, ApiToken.revoked_at.is_(None))
        .values(revoked_at=datetime.now(UTC))
        .returning(ApiToken.id)
    )
    return len((await session.scalars(statement)).all())


async def _require_an_admin(session: AsyncSession) -> None:
    admins = select(func.count()).where(User.role == Role.ADMIN, User.active)
    if not await session.scalar(admins):
        raise Conflict(
            "last_admin", "This is the last active admin; make somebody else an admin first."
        )
