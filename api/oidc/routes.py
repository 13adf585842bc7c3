"""Single sign-on by OpenID Connect: to the provider, and back with a code."""

import logging
from http import HTTPStatus
from typing import TYPE_CHECKING, Annotated
from urllib.parse import parse_qs, urlencode

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import RedirectResponse
from sqlalchemy.ext.asyncio import AsyncSession, async_sessionmaker

from api import login_sessions
from api.callers import login_limits as limits
from api.callers.principal import COOKIE
from api.deps import SessionDep, SettingsDep
from api.login_sessions import note_failure
from api.oidc import flow as flows
from api.oidc.ending import PAGE, base, end_sessions_of, sid_of
from api.oidc.flow import Flow
from api.oidc.people import signed_in
from api.oidc.refusals import Refused
from core.errors import Invalid, TooManyAttempts
from core.settings import Settings
from core.states import SignInMethod

if TYPE_CHECKING:
    from api.oidc.client import ProviderClient

logger = logging.getLogger(__name__)

router = APIRouter(prefix="/auth/oidc", tags=["auth"])

_FORM = "application/x-www-form-urlencoded"
_LOGOUT = {
    "type": "object",
    "required": ["logout_token"],
    "properties": {"logout_token": {"type": "string"}},
}
# Longer than any that is sent; a code may be a token itself.
Word = Annotated[str | None, Query(max_length=8000)]


@router.get("/start", status_code=HTTPStatus.SEE_OTHER, response_class=RedirectResponse)
async def start_single_sign_on(
    request: Request,
    session: SessionDep,
    settings: SettingsDep,
    next_: Annotated[str | None, Query(alias="next", max_length=2000)] = None,
) -> RedirectResponse:
    """Send the browser to the provider; `next` is the page to come back to."""
    flow = flows.begun(next_)
    try:
        url = await _client(request).authorization_url(
            state=flow.state,
            nonce=flow.nonce,
            verifier=flow.verifier,
            redirect_uri=_redirect_uri(request, settings),
        )
    except Refused as refused:
        return _refused(refused, flow.next)
    response = RedirectResponse(url, HTTPStatus.SEE_OTHER)
    response.set_cookie(
        flows.COOKIE,
        await flows.packed(session, flow),
        max_age=flows.SECONDS,
        path=flows.PATH,
        httponly=True,
        # The provider sends the browser back from another site.
        samesite="lax",
        secure=login_sessions.is_secure(request, settings),
    )
    return response


@router.get("/callback", status_code=HTTPStatus.SEE_OTHER, response_class=RedirectResponse)
async def finish_single_sign_on(
    request: Request,
    settings: SettingsDep,
    code: Word = None,
    state: Word = None,
    iss: Word = None,
    error: Word = None,
) -> RedirectResponse:
    """Where the provider sends the browser back; whoever does not get in is told so on the page."""
    sessions, next_ = request.app.state.sessions, "/"
    try:
        client = _client(request)
        async with sessions.begin() as session:
            flow = await flows.resumed(session, request.cookies.get(flows.COOKIE), state)
            next_ = flow.next
            await flows.use(session, flow)
        secret = await _admitted(request, settings, client, flow, code=code, iss=iss, error=error)
    except Refused as refused:
        return _refused(refused, next_)
    response = RedirectResponse(flow.next, HTTPStatus.SEE_OTHER)
    login_sessions.set_cookie(request, response, settings, secret)
    response.delete_cookie(flows.COOKIE, path=flows.PATH, httponly=True, samesite="lax")
    return response


@router.post(
    "/backchannel-logout",
    openapi_extra={"requestBody": {"required": True, "content": {_FORM: {"schema": _LOGOUT}}}},
)
async def end_single_sign_on(request: Request, settings: SettingsDep, response: Response) -> None:
    """Where the provider says that somebody has signed out there: their sessions end here as well.

    OpenID Connect Back-Channel Logout 1.0. API tokens go on: whoever made them is still there.
    """
    response.headers["Cache-Control"] = "no-store"
    sessions = request.app.state.sessions
    try:
        client = _client(request)
        # Counted first, apart from sign-ins: one with an unknown key asks the provider for its own.
        keys = [limits.sign_off_key(request.client and request.client.host)]
        await _count(sessions, settings, keys)
        given = parse_qs((await request.body()).decode(errors="replace"))
        claims = await client.ended(given.get("logout_token", [""])[0])
    except Refused as refused:
        logger.warning(
            "a sign-out of the provider was refused (%s): %s", refused.code, refused.detail
        )
        raise Invalid(refused.code, refused.detail) from refused
    async with sessions.begin() as session:
        await limits.forgive(session, keys)
        await end_sessions_of(session, client.provider, claims)


async def _admitted(
    request: Request,
    settings: Settings,
    client: "ProviderClient",
    flow: Flow,
    *,
    code: str | None,
    iss: str | None,
    error: str | None,
) -> str:
    """The secret of a new session of whoever the provider says it is."""
    sessions, user = request.app.state.sessions, None
    # Counted first: each asks the provider, with the name of this installation.
    keys = [limits.sign_on_key(request.client and request.client.host)]
    await _count(sessions, settings, keys)
    try:
        metadata = await client.metadata()
        # The answer of another provider must not be taken for this one's (RFC 9207).
        if (metadata.names_issuer or iss is not None) and iss != client.provider.issuer:
            raise Refused("sso_token", "The answer is another provider's.")
        if code is None or error is not None:
            raise Refused("sso_declined", "The provider sent them back without a code.")
        said = await client.redeemed(
            code,
            verifier=flow.verifier,
            nonce=flow.nonce,
            redirect_uri=_redirect_uri(request, settings),
        )
        async with sessions.begin() as session:
            user, refused = await signed_in(session, client.provider, said.claims)
            if user is not None and refused is None:
                await limits.forgive(session, keys)
                return await login_sessions.begin(
                    session,
                    settings,
                    user,
                    cookie=request.cookies.get(COOKIE),
                    id_token=said.id_token,
                    sid=sid_of(said.claims),
                )
        assert refused is not None
        raise refused
    except Refused as refused:
        async with sessions.begin() as session:
            await note_failure(session, user, refused.detail, by=SignInMethod.OIDC)
        raise


async def _count(
    sessions: async_sessionmaker[AsyncSession], settings: Settings, keys: list[str]
) -> None:
    try:
        async with sessions.begin() as session:
            await limits.count(session, settings, keys)
    except TooManyAttempts as error:
        raise Refused("sso_too_many", "Too many sign-ins from there have failed.") from error


def _client(request: Request) -> "ProviderClient":
    client: ProviderClient | None = request.app.state.provider
    if client is None:
        raise Refused("sso_off", "There is no single sign-on here; see KARAT_OIDC_ISSUER.")
    return client


def _redirect_uri(request: Request, settings: Settings) -> str:
    return f"{base(request, settings)}{flows.PATH}/callback"


def _refused(refused: Refused, next_: str) -> RedirectResponse:
    """Back to the page for signing in, which has words for it in the person's language."""
    logger.warning("single sign-on refused (%s): %s", refused.code, refused.detail)
    asked = {"refused": refused.code, **({"next": next_} if next_ != "/" else {})}
    response = RedirectResponse(f"{PAGE}?{urlencode(asked)}", HTTPStatus.SEE_OTHER)
    response.delete_cookie(flows.COOKIE, path=flows.PATH, httponly=True, samesite="lax")
    return response
