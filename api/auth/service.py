from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from sqlalchemy import delete, func, select
from sqlalchemy.ext.asyncio import AsyncSession, async_sessionmaker

from api import login_limits as limits
from api.audit import record
from api.auth import devices
from api.auth.schemas import Login, PasswordChange
from api.credentials import (
    hash_in_thread,
    match_in_thread,
    new_secret,
    secret_hash,
)
from api.passwords import set_password
from api.principal import COOKIE, Principal
from core.errors import Invalid, Unauthenticated
from core.settings import Settings
from core.tables import Audit, LoginSession, User

# Failures of one account that are written down in a minute: enough to see somebody guess.
_NOTED: Final = 30

Sessions = async_sessionmaker[AsyncSession]


@dataclass(frozen=True)
class Admitted:
    """Somebody who has logged in.

    Attributes:
        user: Who it is.
        secret: Of the session, for the cookie.
        device: What the browser keeps, to be known the next time.
    """

    user: User
    secret: str
    device: str


async def log_in(
    sessions: Sessions,
    settings: Settings,
    body: Login,
    *,
    host: str | None,
    cookies: Mapping[str, str],
) -> Admitted:
    """Check the password and start a session, in place of the one that the browser had.

    Args:
        sessions: Where short transactions come from: none is open while argon2 computes.
        settings: How often one may fail, and how long the session lasts.
        body: What was typed.
        host: Where the caller comes from.
        cookies: What the browser has sent.

    Raises:
        TooManyAttempts: The account or the address has to wait.
        Unauthenticated: The address or the password is wrong.
    """
    async with sessions.begin() as session:
        device = await devices.known(session, body.email, cookies)
        keys = await limits.login_keys(session, settings, body.email, host, device)
        await limits.count(session, settings, keys)
        statement = select(User).where(func.lower(User.email) == body.email.lower(), User.active)
        user = (await session.scalars(statement)).one_or_none()
    matches = await match_in_thread(body.password, user.password_hash if user else None)
    async with sessions.begin() as session:
        if user is not None and matches:
            # Neither deactivated nor given another password while argon2 computed.
            same = (User.id == user.id, User.password_hash == user.password_hash, User.active)
            found = select(User).where(*same).with_for_update(read=True)
            user = (await session.scalars(found)).one_or_none()
        if user is not None and matches:
            await limits.forgive(session, keys)
            present = cookies.get(COOKIE)
            secret = await _start_session(session, user, settings.session_days, present)
            return Admitted(user, secret, await devices.introduced(session, body.email))
        await _note_failure(session, user)
    raise Unauthenticated("bad_credentials", "The address or the password is wrong.")


async def _start_session(session: AsyncSession, user: User, days: int, cookie: str | None) -> str:
    """A secret that nobody has seen before; what the browser had until now ends."""
    if cookie:
        await log_out(session, cookie)
    record(session, Principal(user.id, user.role), "log_in", "user", user.id)
    secret = new_secret()
    now = datetime.now(UTC)
    session.add(
        LoginSession(
            token_hash=secret_hash(secret), user_id=user.id, expires_at=now + timedelta(days=days)
        )
    )
    await session.execute(delete(LoginSession).where(LoginSession.expires_at < now))
    return secret


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
        detail: dict[str, Any] = {} if user else {"reason": "unknown address"}
        record(session, None, "log_in_failed", "user", user.id if user else None, **detail)


async def change_password(
    sessions: Sessions,
    settings: Settings,
    principal: Principal,
    body: PasswordChange,
    cookie: str | None,
) -> User:
    """Replace the caller's own password, and end their other sessions.

    Raises:
        Invalid: The old password is wrong, or the new one is the old one or too easy to guess.
        TooManyAttempts: The old password was wrong too often.
    """
    guesses = [limits.password_key(principal.id)]
    async with sessions.begin() as session:
        await limits.count(session, settings, guesses)
        old = (await session.get_one(User, principal.id)).password_hash
    if not await match_in_thread(body.old_password, old):
        raise Invalid("wrong_password", "That is not your present password.", field="old_password")
    if body.password == body.old_password:
        raise Invalid("same_password", "That is the password you have.", field="password")
    hashed = await hash_in_thread(body.password)
    async with sessions.begin() as session:
        await limits.forgive(session, guesses)
        user = await session.get_one(User, principal.id, with_for_update=True)
        if user.password_hash != old:
            raise Invalid(
                "wrong_password", "Your password was just replaced.", field="old_password"
            )
        await set_password(
            session, user, body.password, hashed, keep=cookie and secret_hash(cookie)
        )
        record(session, principal, "change_password", "user", user.id)
    return user


async def log_out(session: AsyncSession, secret: str) -> None:
    await session.execute(
        delete(LoginSession).where(LoginSession.token_hash == secret_hash(secret))
    )
