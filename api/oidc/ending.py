"""Signing out of the provider as well (OpenID Connect RP-Initiated Logout 1.0), and by it."""

import logging
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

import httpx
from fastapi import Request
from sqlalchemy import delete, false, or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from api.audit import record
from api.callers.credentials import secret_hash
from api.login_sessions import id_token_of
from api.oidc.refusals import Refused
from core.security.sealing import Sealer, Unreadable
from core.settings import Settings
from core.settings.sign_in import SKEW, Provider
from core.states import SignInMethod
from core.tables import Identity, LoginSession

if TYPE_CHECKING:
    from api.oidc.client import ProviderClient

logger = logging.getLogger(__name__)

PAGE: Final = "/login"
_LONGEST_SID: Final = 255
# With a longer token some providers refuse the address; without it they ask the person.
_LONGEST: Final = 6000


def base(request: Request, settings: Settings) -> str:
    """Where this installation is, without a slash at the end."""
    found = settings.public_url or f"{request.url.scheme}://{request.url.netloc}"
    return found.rstrip("/")


async def signed_on(session: AsyncSession, cookie: str) -> LoginSession | None:
    """The session of this cookie, if it began by single sign-on."""
    statement = select(LoginSession).where(
        LoginSession.token_hash == secret_hash(cookie), LoginSession.method == SignInMethod.OIDC
    )
    return (await session.scalars(statement)).one_or_none()


async def end_session_url(
    request: Request, settings: Settings, found: LoginSession | None
) -> str | None:
    """Where to send somebody who signs out; None if they came by password, or nothing is there.

    The provider may be slow: no transaction is to be open.
    """
    client: ProviderClient | None = request.app.state.provider
    if client is None or found is None:
        return None
    try:
        endpoint = await client.end_session_endpoint()
    except Refused:
        # Here they are signed out all the same.
        return None
    if endpoint is None:
        return None
    asked = {
        "client_id": client.provider.client_id,
        "post_logout_redirect_uri": f"{base(request, settings)}{PAGE}",
    }
    hint = _hint(settings, found)
    if hint is not None and len(hint) <= _LONGEST:
        asked["id_token_hint"] = hint
    return str(httpx.URL(endpoint).copy_merge_params(asked))


def _hint(settings: Settings, found: LoginSession) -> str | None:
    if found.id_token_sealed is None:
        return None
    try:
        return Sealer.of(settings).open(found.id_token_sealed, id_token_of(found.token_hash))
    except Unreadable as error:
        logger.warning("an ID token cannot be opened: %s", error.detail)
        return None


def sid_of(claims: Mapping[str, Any]) -> str | None:
    """What the provider calls a session, if it says so in a way that can be kept."""
    found = claims.get("sid")
    fits = isinstance(found, str) and 0 < len(found) <= _LONGEST_SID and "\0" not in found
    return found if fits else None


async def end_sessions_of(
    session: AsyncSession, provider: Provider, claims: Mapping[str, Any]
) -> None:
    """End the sessions that a logout token is about: the one it names, or all of a person.

    What began after the token was made goes on, so that the same one, brought again, ends nothing.

    Args:
        session: A transaction.
        provider: Whose token it is.
        claims: Of a logout token that was checked.
    """
    theirs = select(Identity.user_id).where(Identity.issuer == provider.issuer)
    if "sub" in claims:
        theirs = theirs.where(Identity.subject == str(claims["sub"]).replace("\0", ""))
    gone = delete(LoginSession).where(
        LoginSession.method == SignInMethod.OIDC,
        LoginSession.user_id.in_(theirs),
        LoginSession.created_at <= datetime.fromtimestamp(claims["iat"] + SKEW, UTC),
    )
    if "sid" in claims:
        sid = sid_of(claims)
        named = false() if sid is None else LoginSession.oidc_sid == sid
        # Any of the person's may be meant of which the provider has never said what it calls it.
        unnamed = LoginSession.oidc_sid.is_(None)
        gone = gone.where(or_(named, unnamed) if "sub" in claims else named)
    ended = (await session.scalars(gone.returning(LoginSession.user_id))).all()
    for user_id in sorted(set(ended)):
        by = SignInMethod.OIDC.value
        record(session, None, "sign_out", "user", user_id, sessions=ended.count(user_id), by=by)
