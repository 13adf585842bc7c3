from fastapi import APIRouter, Request
from fastapi.responses import StreamingResponse

from api.audit import record
from api.callers.access import Staff
from api.callers.principal import Admin
from api.deps import SessionDep, SettingsDep
from api.schemas.contents import JSON_LINES, sends
from api.schemas.pagination import Cursor, Limit, Page
from api.schemas.parameters import PathId
from api.users import erasure, held, service
from api.users.schemas import (
    PasswordReset,
    PasswordResetOut,
    UserActivity,
    UserCreate,
    UserOut,
    UserUpdate,
)

router = APIRouter(prefix="/users", tags=["users"])


@router.get("")
async def list_users(
    session: SessionDep, _: Staff, cursor: Cursor = None, limit: Limit = 500
) -> Page[UserOut]:
    users = await service.list_users(session, cursor=cursor, limit=limit)
    return Page(
        items=[UserOut.model_validate(user) for user in users],
        next_cursor=users[-1].id if len(users) == limit else None,
    )


@router.post("", status_code=201)
async def create_user(session: SessionDep, admin: Admin, body: UserCreate) -> UserOut:
    return UserOut.model_validate(await service.create(session, admin, body))


@router.get("/activity")
async def list_activity(
    session: SessionDep,
    settings: SettingsDep,
    _: Admin,
    cursor: Cursor = None,
    limit: Limit = 500,
) -> Page[UserActivity]:
    """Everybody, with their projects, open sessions and valid tokens."""
    found = await service.activity(session, settings, cursor=cursor, limit=limit)
    return Page(items=found, next_cursor=found[-1].id if len(found) == limit else None)


@router.patch("/{user_id}")
async def update_user(
    session: SessionDep, admin: Admin, user_id: PathId, body: UserUpdate
) -> UserOut:
    return UserOut.model_validate(await service.update(session, admin, user_id, body))


@router.post("/{user_id}/reset-password")
async def reset_password(
    session: SessionDep, admin: Admin, user_id: PathId, body: PasswordReset
) -> PasswordResetOut:
    """A temporary password, shown this once: whoever uses it has to choose another."""
    user, password, revoked = await service.reset_password(session, admin, user_id, body)
    return PasswordResetOut(
        user=UserOut.model_validate(user), password=password, revoked_tokens=revoked
    )


@router.post("/{user_id}/reset-second-factor")
async def reset_second_factor(session: SessionDep, admin: Admin, user_id: PathId) -> UserOut:
    """Take somebody's second factor away, as when a phone is lost; their sessions end."""
    return UserOut.model_validate(await service.reset_second_factor(session, admin, user_id))


@router.post("/{user_id}/unlock")
async def unlock_user(session: SessionDep, admin: Admin, user_id: PathId) -> UserOut:
    """Let somebody log in again at once, who has to wait after too many failed logins."""
    return UserOut.model_validate(await service.unlock(session, admin, user_id))


@router.post("/{user_id}/erase")
async def erase_user(session: SessionDep, admin: Admin, user_id: PathId) -> UserOut:
    """Erase who somebody is, for good: name, address, sessions, tokens and memberships go.

    What they labeled stays, under the number of the user, and so does what they did in the audit
    log, without the addresses that they came from.
    """
    return UserOut.model_validate(await erasure.erase(session, admin, user_id))


@router.get("/{user_id}/export", response_class=StreamingResponse, responses=sends(JSON_LINES))
async def export_user(
    request: Request, session: SessionDep, admin: Admin, user_id: PathId
) -> StreamingResponse:
    """All that is held of somebody, as JSON Lines; `kind` says what a line is."""
    await service.find(session, user_id)
    record(session, admin, "export", "user", user_id)
    return StreamingResponse(
        held.lines(request.app.state.sessions, user_id),
        media_type=JSON_LINES,
        headers={"Content-Disposition": f'attachment; filename="karat-user-{user_id}.jsonl"'},
    )
