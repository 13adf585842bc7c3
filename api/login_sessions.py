"""Browser sessions: how they begin and end, whoever said who it is, and who has which."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from fastapi import Request, Response
from sqlalchemy import delete, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from api.audit import record
from api.callers.credentials import new_secret, secret_hash
from api.callers.principal import COOKIE, Principal
from api.callers.sources import address, agent
from core.errors import NotFound
from core.security.sealing import Sealer
from core.settings import Settings
from core.states import SignInMethod
from core.tables import Audit, LoginSession, User

# Failures of one account that are written down in a minute: enough to see somebody guess.
_NOTED: Final = 30


async def begin(
    session: AsyncSession,
    settings: Settings,
    user: User,
    *,
    cookie: str | None,
    id_token: str | None = None,
    sid: str | None = None,
) -> str:
    """A secret that nobody has seen before; what the browser had until now ends.

    Args:
        session: A transaction.
        settings: How long it lasts, and what ``id_token`` is sealed with.
        user: Who has signed in.
        cookie: What the browser had.
        id_token: What the provider of single sign-on said, if it was that.
        sid: What it calls the session, if it said so.
    """
    if cookie:
        await end(session, cookie)
    method = SignInMethod.PASSWORD if id_token is None else SignInMethod.OIDC
    # Who typed a password is told from who came by single sign-on; entries of before say nothing.
    detail: dict[str, Any] = {} if id_token is None else {"by": method.value}
    record(session, Principal(user.id, user.role), "log_in", "user", user.id, **detail)
    secret = new_secret()
    hashed = secret_hash(secret)
    now = datetime.now(UTC)
    sealed = None
    if id_token is not None:
        sealed = Sealer.of(settings, make=True).seal(id_token, id_token_of(hashed))
    expires = now + timedelta(days=settings.session_days)
    if settings.oidc_only and id_token is None and user.password_until is not None:
        # An account that the server's command line has opened is open for an hour, no longer.
        expires = min(expires, user.password_until)
    session.add(
        LoginSession(
            token_hash=hashed,
            user_id=user.id,
            method=method,
            address=address.get(),
            agent=agent(),
            expires_at=expires,
            id_token_sealed=sealed,
            oidc_sid=sid,
        )
    )
    await session.execute(delete(LoginSession).where(LoginSession.expires_at < now))
    return secret


def id_token_of(token_hash: str) -> str:
    """What an ID token is sealed for."""
    return f"id_token:{token_hash}"


def set_cookie(request: Request, response: Response, settings: Settings, secret: str) -> None:
    """Give the browser its session."""
    response.set_cookie(
        COOKIE,
        secret,
        max_age=settings.session_days * 86_400,
        httponly=True,
        samesite="lax",
        secure=is_secure(request, settings),
    )


def is_secure(request: Request, settings: Settings) -> bool:
    """Whether cookies go over https alone."""
    return settings.secure_cookies or request.url.scheme == "https"


async def end(session: AsyncSession, secret: str) -> None:
    """End the session with this secret, if there is one."""
    await session.execute(
        delete(LoginSession).where(LoginSession.token_hash == secret_hash(secret))
    )


async def of_user(session: AsyncSession, user_id: int) -> Sequence[LoginSession]:
    """The open sessions of somebody, the one seen last first."""
    statement = (
        select(LoginSession)
        .where(LoginSession.user_id == user_id, LoginSession.expires_at > func.now())
        .order_by(LoginSession.last_seen_at.desc(), LoginSession.id.desc())
    )
    return (await session.scalars(statement)).all()


async def end_own(session: AsyncSession, principal: Principal, session_id: int) -> None:
    """End one of the caller's own sessions.

    Raises:
        NotFound: It is not theirs, or has ended.
    """
    gone = await session.scalar(
        delete(LoginSession)
        .where(LoginSession.id == session_id, LoginSession.user_id == principal.id)
        .returning(LoginSession.id)
    )
    if gone is None:
        raise NotFound("session")
    record(session, principal, "revoke", "session", session_id)


async def end_others(session: AsyncSession, principal: Principal, cookie: str | None) -> int:
    """End the caller's sessions but the one with this cookie; how many there were."""
    statement = delete(LoginSession).where(LoginSession.user_id == principal.id)
    if cookie:
        statement = statement.where(LoginSession.token_hash != secret_hash(cookie))
    ended = len((await session.scalars(statement.returning(LoginSession.id))).all())
    if ended:
        record(session, principal, "revoke", "session", None, sessions=ended)
    return ended


async def note_failure(
    session: AsyncSession, user: User | None, reason: str | None, *, by: SignInMethod | None = None
) -> None:
    """Write down a failed sign-in, unless a minute has seen too many of an account, or of none.

    Those of single sign-on are counted for themselves, so that they hide no others.

    What was typed is left out: people type passwords where the address belongs.
    """
    minute = datetime.now(UTC) - timedelta(minutes=1)
    known = Audit.object_id == user.id if user else Audit.object_id.is_(None)
    recent = (
        select(Audit.id)
        .where(Audit.object_type == "user", Audit.verb == "log_in_failed", Audit.at > minute, known)
        .where(Audit.detail["by"].astext.is_not_distinct_from(by and by.value))
        .limit(_NOTED)
        .subquery()
    )
    noted = await session.scalar(select(func.count()).select_from(recent)) or 0
    if noted < _NOTED:
        detail: dict[str, Any] = {} if reason is None else {"reason": reason}
        detail |= {} if by is None else {"by": by.value}
        record(session, None, "log_in_failed", "user", user.id if user else None, **detail)
