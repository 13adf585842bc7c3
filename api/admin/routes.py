from functools import partial
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import StreamingResponse
from sqlalchemy import delete

from api.admin import audit, audit_lines, storage, tokens, workers
from api.admin.audit import AuditFilter
from api.admin.schemas import AuditOut, OwnedToken, StorageOut, WorkersOut
from api.audit import record
from api.callers.principal import Admin, get_admin, identified, settled
from api.deps import SessionDep, SettingsDep, StorageDep
from api.schemas.contents import JSON_LINES, sends
from api.schemas.pagination import Cursor, Limit, Page
from api.schemas.parameters import QueryId
from core.errors import DomainError, NotFound
from core.tables import Worker

router = APIRouter(prefix="/admin", tags=["admin"])

Filter = Annotated[AuditFilter, Depends()]


@router.get("/tokens")
async def list_all_tokens(
    session: SessionDep,
    settings: SettingsDep,
    _: Admin,
    user_id: QueryId | None = None,
    cursor: Cursor = None,
    limit: Limit = 50,
) -> Page[OwnedToken]:
    """API tokens of everybody, the newest first; `DELETE /tokens/{id}` revokes one."""
    found = await tokens.list_tokens(session, settings, user_id=user_id, cursor=cursor, limit=limit)
    return Page(items=found, next_cursor=found[-1].id if len(found) == limit else None)


@router.get("/workers")
async def list_workers(session: SessionDep, settings: SettingsDep, _: Admin) -> WorkersOut:
    """Workers, queues, jobs that wait or run in all projects, and what is wrong with them."""
    return await workers.overview(session, settings)


@router.delete("/workers/{name}", status_code=204)
async def forget_worker(session: SessionDep, admin: Admin, name: str) -> None:
    """Take a worker off the list; one that lives comes back by itself."""
    gone = await session.scalar(delete(Worker).where(Worker.name == name).returning(Worker.name))
    if gone is None:
        raise NotFound("worker")
    record(session, admin, "forget", "worker", None, name=name)


@router.get("/storage")
async def show_storage(session: SessionDep, storage_: StorageDep, _: Admin) -> StorageOut:
    """Room taken by projects and by the database, and what is left of the disk."""
    return await storage.usage(session, storage_)


@router.get("/audit")
async def list_audit(
    session: SessionDep, _: Admin, wanted: Filter, cursor: Cursor = None, limit: Limit = 50
) -> Page[AuditOut]:
    """Who did what, the latest first."""
    found = await audit.entries(session, wanted, cursor=cursor, limit=limit)
    return Page(items=found, next_cursor=found[-1].id if len(found) == limit else None)


@router.get("/audit.csv", response_class=StreamingResponse, responses=sends("text/csv"))
async def export_audit(
    request: Request, session: SessionDep, admin: Admin, wanted: Filter
) -> StreamingResponse:
    """The same as CSV, whole."""
    asked = {name: str(value) for name, value in vars(wanted).items() if value is not None}
    record(session, admin, "export", "audit", None, filters=asked)
    return StreamingResponse(
        audit.as_csv(request.app.state.sessions, wanted),
        media_type="text/csv",
        headers={"Content-Disposition": 'attachment; filename="karat-audit.csv"'},
    )


@router.get("/audit.jsonl", response_class=StreamingResponse, responses=sends(JSON_LINES))
async def stream_audit(
    request: Request,
    session: SessionDep,
    admin: Admin,
    after: Annotated[int, Query(ge=0, lt=2**63, description="The last number you have.")] = 0,
    follow: Annotated[bool, Query(description="Go on with what comes, for good.")] = False,
) -> StreamingResponse:
    """The log as JSON Lines, the oldest first: what a copy elsewhere is kept by.

    `number` has no gaps. `hash` is the SHA-256 of the hash before, as bytes, and the text `sealed`;
    in that stands, for address and agent, the SHA-256 of `salt` and both. A log that ends before
    `after` is refused.
    """
    await audit_lines.require_there(session, after)
    record(session, admin, "export", "audit", None, after=after, follow=follow)
    return StreamingResponse(
        audit_lines.lines(
            request.app.state.sessions, after, partial(_still_admin, request) if follow else None
        ),
        media_type=JSON_LINES,
        headers={"Content-Disposition": 'attachment; filename="karat-audit.jsonl"'},
    )


async def _still_admin(request: Request) -> bool:
    try:
        await get_admin(settled(await identified(request)))
    except DomainError:
        return False
    return True
