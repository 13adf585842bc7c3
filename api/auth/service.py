from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession, async_sessionmaker

from api import login_sessions
from api.audit import record
from api.auth import devices
from api.auth.schemas import Login, PasswordChange
from api.callers import login_limits as limits
from api.callers.credentials import (
    hash_in_thread,
    match_in_thread,
    secret_hash,
)
from api.callers.passwords import set_password
from api.callers.principal import COOKIE, Principal
from api.second_factor import service as second_factor
from core.errors import Forbidden, Invalid, Unauthenticated
from core.settings import Settings
from core.tables import User

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
    """Check the password, and the second factor, and start a session in place of the browser's.

    Args:
        sessions: Where short transactions come from: none is open while argon2 computes.
        settings: How often one may fail, and how long the session lasts.
        body: What was typed.
        host: Where the caller comes from.
        cookies: What the browser has sent.

    Raises:
        Forbidden: Single sign-on is the only way.
        TooManyAttempts: The account or the address has to wait.
        Unauthenticated: The address or the password is wrong, or the code is wrong or missing.
    """
    async with sessions.begin() as session:
        device = await devices.known(session, body.email, cookies)
        keys = await limits.login_keys(session, settings, body.email, host, device)
        await limits.count(session, settings, keys)
        statement = select(User).where(func.lower(User.email) == body.email.lower(), User.active)
        user = (await session.scalars(statement)).one_or_none()
        require_passwords(settings, user)
    matches = await match_in_thread(body.password, user.password_hash if user else None)
    if user is not None and matches and user.second_factor:
        async with sessions.begin() as session:
            # It was no failure of the password; codes are counted for themselves.
            await limits.forgive(session, keys)
        keys = []
        await _require_code(sessions, settings, user, body.code, device)
    async with sessions.begin() as session:
        if user is not None and matches:
            # Neither deactivated nor given another password while argon2 computed.
            same = (
                User.id == user.id,
                User.password_hash == user.password_hash,
                User.second_factor == user.second_factor,
                User.active,
            )
            found = select(User).where(*same).with_for_update(read=True)
            user = (await session.scalars(found)).one_or_none()
        if user is not None and matches:
            await limits.forgive(session, keys)
            secret = await login_sessions.begin(session, settings, user, cookie=cookies.get(COOKIE))
            return Admitted(user, secret, await devices.introduced(session, body.email))
        reason = None if user else "unknown address"
        await login_sessions.note_failure(session, user, reason)
    raise Unauthenticated("bad_credentials", "The address or the password is wrong.")


async def _require_code(
    sessions: Sessions, settings: Settings, user: User, code: str | None, device: str | None
) -> None:
    try:
        await second_factor.require_code(sessions, settings, user, code, device)
    except Unauthenticated as error:
        if error.code == "wrong_code":
            async with sessions.begin() as session:
                await login_sessions.note_failure(session, user, "wrong code")
        raise


async def change_password(
    sessions: Sessions,
    settings: Settings,
    principal: Principal,
    body: PasswordChange,
    cookie: str | None,
) -> None:
    """Replace the caller's own password, and end their other sessions.

    Raises:
        Invalid: The old password is wrong, or the new one is the old one or too easy to guess.
        TooManyAttempts: The old password was wrong too often.
    """
    guesses = [limits.password_key(principal.id)]
    async with sessions.begin() as session:
        await limits.count(session, settings, guesses)
        user = await session.get_one(User, principal.id)
        require_passwords(settings, user)
        old = user.password_hash
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


def require_passwords(settings: Settings, user: User | None) -> None:
    """Refuse passwords where single sign-on is the only way.

    Raises:
        Forbidden: ``passwords_off``.
    """
    until = user.password_until if user else None
    if settings.oidc_only and (until is None or until < datetime.now(UTC)):
        raise Forbidden(
            "passwords_off",
            "Here one signs in by single sign-on alone, in the browser. Programs take an API token "
            "from Account.",
        )
