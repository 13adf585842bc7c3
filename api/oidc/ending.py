"""Signing out of the provider as well (OpenID Connect RP-Initiated Logout 1.0)."""

import logging
from typing import Final

import httpx
from fastapi import Request
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from api.credentials import secret_hash
from api.login_sessions import id_token_of
from api.oidc.client import ProviderClient
from api.oidc.refusals import Refused
from core.sealing import Sealer, Unreadable
from core.settings import Settings
from core.states import SignInMethod
from core.tables import LoginSession

logger = logging.getLogger(__name__)

PAGE: Final = "/login"
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
