from dataclasses import replace
from typing import Any

from fastapi import APIRouter, Request, Response
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from api import login_sessions
from api.auth import devices, service
from api.auth.schemas import (
    LoggedOut,
    Login,
    Me,
    PasswordChange,
    SessionOut,
    SignInMethods,
    SingleSignOn,
)
from api.callers.credentials import secret_hash
from api.callers.principal import COOKIE, Caller, CurrentUser, Principal, require_same_origin
from api.deps import SessionDep, SettingsDep
from api.oidc.ending import end_session_url, signed_on
from api.schemas.pagination import Items
from api.schemas.parameters import PathId
from api.second_factor.service import is_required
from api.users.schemas import UserOut
from core.settings import Settings
from core.states import SignInMethod
from core.tables import LoginSession, User

router = APIRouter(tags=["auth"])


@router.get("/auth/methods")
async def sign_in_methods(settings: SettingsDep) -> SignInMethods:
    """How one may sign in here."""
    known = settings.provider is not None
    return SignInMethods(
        passwords=not settings.oidc_only,
        single_sign_on=SingleSignOn(name=settings.oidc_name) if known else None,
    )


@router.post("/auth/login")
async def log_in(request: Request, response: Response, settings: SettingsDep, body: Login) -> Me:
    """Start a browser session. After too many failures 429, with the seconds in `Retry-After`.

    Who has a second factor is told `code_required`, and sends the same with a `code`.
    """
    require_same_origin(request)
    admitted = await service.log_in(
        request.app.state.sessions,
        settings,
        body,
        host=request.client and request.client.host,
        cookies=request.cookies,
    )
    login_sessions.set_cookie(request, response, settings, admitted.secret)
    response.set_cookie(
        devices.cookie_name(body.email),
        admitted.device,
        max_age=devices.SECONDS,
        path=devices.PATH,
        httponly=True,
        samesite="strict",
        secure=login_sessions.is_secure(request, settings),
    )
    user, required = admitted.user, is_required(settings, admitted.user)
    return _me(
        user,
        settings,
        method=SignInMethod.PASSWORD,
        must_change_password=user.must_change_password,
        must_add_second_factor=required and not user.second_factor,
    )


@router.post("/auth/logout")
async def log_out(request: Request, response: Response, settings: SettingsDep) -> LoggedOut:
    """End this browser's session; who came by single sign-on is told where to end that as well."""
    require_same_origin(request)
    url = None
    if secret := request.cookies.get(COOKIE):
        async with request.app.state.sessions.begin() as session:
            found = await signed_on(session, secret)
            await login_sessions.end(session, secret)
        url = await end_session_url(request, settings, found)
    response.delete_cookie(COOKIE, httponly=True, samesite="lax")
    return LoggedOut(end_session_url=url)


@router.get("/auth/me")
async def me(request: Request, session: SessionDep, settings: SettingsDep, user: Caller) -> Me:
    return await _described(request, session, settings, user)


async def _described(
    request: Request, session: AsyncSession, settings: Settings, caller: Principal
) -> Me:
    cookie = request.cookies.get(COOKIE)
    own = (LoginSession.token_hash == secret_hash(cookie or ""), LoginSession.user_id == caller.id)
    by_token = "authorization" in request.headers
    method = None if by_token else await session.scalar(select(LoginSession.method).where(*own))
    return _me(
        await session.get_one(User, caller.id),
        settings,
        method=method,
        must_change_password=caller.must_change_password,
        must_add_second_factor=caller.must_add_second_factor,
    )


def _me(user: User, settings: Settings, **of_session: Any) -> Me:
    known = UserOut.model_validate(user).model_dump()
    return Me(
        **{**known, **of_session},
        has_password=bool(user.password_hash) and not settings.oidc_only,
        second_factor=user.second_factor,
    )


@router.post("/auth/password")
async def change_password(
    request: Request, session: SessionDep, settings: SettingsDep, user: Caller, body: PasswordChange
) -> Me:
    """Replace one's own password; all other sessions end, and API tokens stay."""
    sessions, cookie = request.app.state.sessions, request.cookies.get(COOKIE)
    await service.change_password(sessions, settings, user, body, cookie)
    chosen = replace(user, must_change_password=False)
    return await _described(request, session, settings, chosen)


@router.get("/auth/sessions")
async def list_sessions(
    request: Request, session: SessionDep, user: CurrentUser
) -> Items[SessionOut]:
    """The browsers that one is signed in with, the one seen last first."""
    own = secret_hash(request.cookies.get(COOKIE, ""))
    shown = SessionOut.model_fields.keys() - {"current"}
    return Items(
        items=[
            SessionOut(
                **{name: getattr(one, name) for name in shown}, current=one.token_hash == own
            )
            for one in await login_sessions.of_user(session, user.id)
        ]
    )


@router.delete("/auth/sessions", status_code=204)
async def end_other_sessions(request: Request, session: SessionDep, user: CurrentUser) -> None:
    """End all of one's sessions but this browser's."""
    await login_sessions.end_others(session, user, request.cookies.get(COOKIE))


@router.delete("/auth/sessions/{session_id}", status_code=204)
async def end_session(session: SessionDep, user: CurrentUser, session_id: PathId) -> None:
    """End one of one's own sessions, with the next request of that browser."""
    await login_sessions.end_own(session, user, session_id)
