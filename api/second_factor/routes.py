"""The second factor of one's own account."""

from fastapi import APIRouter, Request

from api.callers.principal import COOKIE, Caller
from api.deps import SessionDep, SettingsDep
from api.second_factor import service
from api.second_factor.schemas import (
    RecoveryCodes,
    SecondFactorConfirm,
    SecondFactorOut,
    SecondFactorProof,
    SecondFactorSecret,
    SecondFactorStart,
)
from core.tables import User

# Before it is set up, who has to have one may do nothing else: hence any caller.
router = APIRouter(prefix="/auth/second-factor", tags=["auth"])


@router.get("")
async def show_second_factor(
    session: SessionDep, settings: SettingsDep, caller: Caller
) -> SecondFactorOut:
    return await service.described(session, settings, await session.get_one(User, caller.id))


@router.post("", status_code=201)
async def begin_second_factor(
    request: Request, settings: SettingsDep, caller: Caller, body: SecondFactorStart
) -> SecondFactorSecret:
    """A secret for an authenticator app; it takes the present password."""
    return await service.start(request.app.state.sessions, settings, caller, body.password)


@router.post("/confirm")
async def confirm_second_factor(
    request: Request, settings: SettingsDep, caller: Caller, body: SecondFactorConfirm
) -> RecoveryCodes:
    """From now on the password takes a code as well; all other sessions end."""
    sessions, cookie = request.app.state.sessions, request.cookies.get(COOKIE)
    codes = await service.confirm(sessions, settings, caller, body.code, cookie)
    return RecoveryCodes(recovery_codes=codes)


@router.post("/recovery-codes")
async def renew_recovery_codes(
    request: Request, settings: SettingsDep, caller: Caller, body: SecondFactorProof
) -> RecoveryCodes:
    """Ten new ones; those of before open nothing."""
    sessions = request.app.state.sessions
    codes = await service.renew_codes(sessions, settings, caller, body.password, body.code)
    return RecoveryCodes(recovery_codes=codes)


@router.post("/remove", status_code=204)
async def remove_second_factor(
    request: Request, settings: SettingsDep, caller: Caller, body: SecondFactorProof
) -> None:
    sessions = request.app.state.sessions
    await service.remove(sessions, settings, caller, body.password, body.code)
