from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from anyio import to_thread
from sqlalchemy import delete, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from api.audit import record
from api.auth.schemas import Login, PasswordChange, TokenCreate
from api.credentials import TOKEN_PREFIX, new_secret, password_matches, secret_hash
from api.passwords import set_password
from api.principal import Principal
from core.errors import Invalid, NotFound
from core.states import Role
from core.tables import ApiToken, Audit, LoginSession, User

# Failures of one account that are written down in a minute: enough to see somebody guess.
_NOTED: Final = 30


async def log_in(session: AsyncSession, body: Login, *, days: int) -> tuple[User, str] | None:
    """Check the password and start a session.

    Returns:
        The user and the cookie's secret; none if the address or the password is wrong, which is
        written down and therefore must be committed.
    """
    statement = select(User).where(func.lower(User.email) == body.email.lower(), User.active)
    user = (await session.scalars(statement)).one_or_none()
    # argon2 takes tens of milliseconds by design; annotators must not wait behind a login.
    matches = await to_thread.run_sync(
        password_matches, body.password, user.password_hash if user else None
    )
    if user is None or not matches:
        await _note_failure(session, user)
        return None
    record(session, Principal(user.id, user.role), "log_in", "user", user.id)
    secret = new_secret()
    now = datetime.now(UTC)
    session.add(
        LoginSession(
            token_hash=secret_hash(secret), user_id=user.id, expires_at=now + timedelta(days=days)
        )
    )
    await session.execute(delete(LoginSession).where(LoginSession.expires_at < now))
    return user, secret


async def _note_failure(session: AsyncSession, user: User | None) -> None:
    """Write down a failed login, unless a minute has seen too many.

    What was typed is left out: people type passwords where the address belongs.
    """
    minute = datetime.now(UTC) - timedelta(minutes=1)
    known = Audit.object_id == user.id if user else Audit.object_id.is_(None)
    recent = (
        select(Audit.id)
        .where(Audit.object_type == "user", Audit.verb == "log_in_failed", Audit.at > minute, known)
        .limit(_NOTED)
        .subquery()
    )
    noted = await session.scalar(select(func.count()).select_from(recent)) or 0
    if noted < _NOTED:
        detail: dict[str, Any] = {"email": user.email} if user else {"reason": "unknown address"}
        record(session, None, "log_in_failed", "user", user.id if user else None, **detail)


async def change_password(
    session: AsyncSession, principal: Principal, body: PasswordChange, cookie: str | None
) -> User:
    """Replace the caller's own password, and end their other sessions.

    Raises:
        Invalid: The old password is wrong, or the new one is the old one or the address.
    """
    user = await session.get_one(User, principal.id, with_for_update=True)
    if not await to_thread.run_sync(password_matches, body.old_password, user.password_hash):
        raise Invalid("wrong_password", "That is not your present password.", field="old_password")
    if body.password == body.old_password:
        raise Invalid("same_password", "That is the password you have.", field="password")
    await set_password(session, user, body.password, keep=cookie and secret_hash(cookie))
    record(session, principal, "change_password", "user", user.id)
    return user


async def log_out(session: AsyncSession, secret: str) -> None:
    await session.execute(
        delete(LoginSession).where(LoginSession.token_hash == secret_hash(secret))
    )


async def list_tokens(session: AsyncSession, principal: Principal) -> Sequence[ApiToken]:
    statement = select(ApiToken).where(ApiToken.user_id == principal.id).order_by(ApiToken.id)
    return (await session.scalars(statement)).all()


async def create_token(
    session: AsyncSession, principal: Principal, body: TokenCreate
) -> tuple[ApiToken, str]:
    secret = new_secret(TOKEN_PREFIX)
    expires = body.expires_in_days
    token = ApiToken(
        user_id=principal.id,
        name=body.name,
        prefix=secret[: len(TOKEN_PREFIX) + 4],
        token_hash=secret_hash(secret),
        expires_at=datetime.now(UTC) + timedelta(days=expires) if expires else None,
    )
    session.add(token)
    await session.flush()
    record(session, principal, "create", "token", token.id, name=token.name)
    return token, secret


async def revoke_token(session: AsyncSession, principal: Principal, token_id: int) -> None:
    """Make a token invalid: one's own, and for an admin anybody's."""
    token = await session.get(ApiToken, token_id)
    if token is None or (token.user_id != principal.id and principal.role is not Role.ADMIN):
        raise NotFound("token")
    if token.revoked_at is None:
        token.revoked_at = datetime.now(UTC)
        record(
            session, principal, "revoke", "token", token.id, name=token.name, user_id=token.user_id
        )
