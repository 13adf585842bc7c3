from typing import Annotated

from anyio import to_thread
from fastapi import APIRouter, Path, Query, Request
from pydantic import AfterValidator

from api.callers.access import ManagedProject, ProjectId, managed_project, managing
from api.callers.principal import CurrentUser
from api.deps import Room, SessionDep, StorageDep
from api.schemas.pagination import Cursor, Page
from api.snapshots import differing, service
from api.snapshots.schemas import SnapshotCreate, SnapshotDiff, SnapshotOut
from api.transfers.files import present_file
from core.artifacts.pool_snapshots import Change
from core.names import composed

router = APIRouter(prefix="/projects/{project_id}/snapshots", tags=["snapshots"])

Name = Annotated[str, Path(max_length=80), AfterValidator(composed)]
With = Annotated[
    str,
    Query(alias="with", max_length=80, description="The other snapshot."),
    AfterValidator(composed),
]
Listed = Annotated[int, Query(ge=1, le=100)]
Shown = Annotated[int, Query(ge=1, le=200)]


@router.post("", status_code=201, dependencies=[Room])
async def create_snapshot(
    request: Request,
    user: CurrentUser,
    storage: StorageDep,
    project_id: ProjectId,
    body: SnapshotCreate,
) -> SnapshotOut:
    """Keep what every example counts as now, under a name.

    It is exact: whoever labels goes on meanwhile, and none of that is in it.
    """
    async with managing(request, user, project_id) as (session, _):
        await service.require_free(session, project_id, body.name)
    async with request.app.state.sessions() as session:
        await session.connection(execution_options={"isolation_level": "REPEATABLE READ"})
        project = await managed_project(session, user, project_id)
        read = await service.read(session, project, storage, body.filters)
    try:
        sums = await to_thread.run_sync(service.summed, storage, read.key)
        async with managing(request, user, project_id) as (session, project):
            return await service.keep(session, user, project, body, read, sums)
    except BaseException:
        await to_thread.run_sync(storage.discard, read.key)
        raise


@router.get("")
async def list_snapshots(
    session: SessionDep, project: ManagedProject, cursor: Cursor = None, limit: Listed = 50
) -> Page[SnapshotOut]:
    """Snapshots of a project, the newest first."""
    items, after = await service.listed(session, project.id, cursor, limit)
    return Page(items=items, next_cursor=after)


@router.get("/{snapshot}")
async def show_snapshot(
    session: SessionDep, project: ManagedProject, snapshot: Name
) -> SnapshotOut:
    return await service.show(session, project.id, snapshot)


@router.delete("/{snapshot}", status_code=204)
async def delete_snapshot(
    request: Request, user: CurrentUser, storage: StorageDep, project_id: ProjectId, snapshot: Name
) -> None:
    """Remove a snapshot and its file. Labels stay as they are."""
    async with managing(request, user, project_id) as (session, project):
        key = await service.remove(session, user, project, snapshot)
    await to_thread.run_sync(storage.discard, key)


@router.get("/{snapshot}/diff")
async def compare_snapshots(
    request: Request,
    user: CurrentUser,
    storage: StorageDep,
    project_id: ProjectId,
    snapshot: Name,
    other: With,
    change: Change | None = None,
    cursor: Cursor = None,
    limit: Shown = 100,
) -> SnapshotDiff:
    """What changed from a snapshot to another: in numbers, and the examples, page by page."""
    async with managing(request, user, project_id) as (session, _):
        one, two = await service.pair(session, project_id, [snapshot, other])
    before, after = [await present_file(storage, key) for _, key in (one, two)]
    page = await to_thread.run_sync(differing.compared, before, after, change, cursor or 0, limit)
    async with managing(request, user, project_id) as (session, _):
        return await differing.described(session, one[0], two[0], page)
