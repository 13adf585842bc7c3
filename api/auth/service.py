from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from anyio import to_thread
from sqlalchemy import delete, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from api.audit import record
from api.auth.schemas import Login, TokenCreate
from api.credentials import TOKEN_PREFIX, new_secret, password_matches, secret_hash
from api.principal import Principal
from core.errors import NotFound, Unauthenticated
from core.tables import ApiToken, LoginSession, User


async def log_in(session: AsyncSession, body: Login, *, days: int) -> tuple[User, str]:
    """Check the password and start a session; returns the user and the cookie's secret."""
    statement = select(User).where(func.lower(User.email) == body.email.lower(), User.active)
    user = (await session.scalars(statement)).one_or_none()
    # argon2 takes tens of milliseconds by design; annotators must not wait behind a login.
    matches = await to_thread.run_sync(
        password_matches, body.password, user.password_hash if user else None
    )
    if user is None or not matches:
        raise Unauthenticated("bad_credentials", "The address or the password is wrong.")
    secret = new_secret()
    now = datetime.now(UTC)
    session.add(
        LoginSession(
            token_hash=secret_hash(secret), user_id=user.id, expires_at=now + timedelta(days=days)
        )
    )
    await session.execute(delete(LoginSession).where(LoginSession.expires_at < now))
    return user, secret


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
    token = await session.get(ApiToken, token_id)
    if token is None or token.user_id != principal.id:
        raise NotFound("token")
    token.revoked_at = token.revoked_at or datetime.now(UTC)
    record(session, principal, "revoke", "token", token.id)
