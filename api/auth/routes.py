from fastapi import APIRouter, Request, Response

from api.auth import devices, service
from api.auth.schemas import Login, PasswordChange
from api.deps import SessionDep, SettingsDep
from api.principal import COOKIE, Caller, require_same_origin
from api.users.schemas import UserOut
from core.tables import User

router = APIRouter(tags=["auth"])


@router.post("/auth/login")
async def log_in(
    request: Request, response: Response, settings: SettingsDep, body: Login
) -> UserOut:
    """Start a browser session. After too many failures 429, with the seconds in `Retry-After`."""
    require_same_origin(request)
    admitted = await service.log_in(
        request.app.state.sessions,
        settings,
        body,
        host=request.client and request.client.host,
        cookies=request.cookies,
    )
    secure = settings.secure_cookies or request.url.scheme == "https"
    response.set_cookie(
        COOKIE,
        admitted.secret,
        max_age=settings.session_days * 86_400,
        httponly=True,
        samesite="lax",
        secure=secure,
    )
    response.set_cookie(
        devices.cookie_name(body.email),
        admitted.device,
        max_age=devices.SECONDS,
        path=devices.PATH,
        httponly=True,
        samesite="strict",
        secure=secure,
    )
    return UserOut.model_validate(admitted.user)


@router.post("/auth/logout", status_code=204)
async def log_out(request: Request, response: Response, session: SessionDep) -> None:
    require_same_origin(request)
    if secret := request.cookies.get(COOKIE):
        await service.log_out(session, secret)
    response.delete_cookie(COOKIE, httponly=True, samesite="lax")


@router.get("/auth/me")
async def me(session: SessionDep, user: Caller) -> UserOut:
    return UserOut.model_validate(await session.get_one(User, user.id))


@router.post("/auth/password")
async def change_password(
    request: Request, settings: SettingsDep, user: Caller, body: PasswordChange
) -> UserOut:
    """Replace one's own password; all other sessions end, and API tokens stay."""
    sessions, cookie = request.app.state.sessions, request.cookies.get(COOKIE)
    changed = await service.change_password(sessions, settings, user, body, cookie)
    return UserOut.model_validate(changed)
