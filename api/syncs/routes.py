from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request

from api.callers.access import ManagedProject, ProjectId, managed_project, managing
from api.callers.principal import CurrentUser
from api.deps import Room, SessionDep, SettingsDep, transaction
from api.pools.uploads import require_copied
from api.schemas.pagination import Items
from api.schemas.parameters import PathId
from api.syncs import service
from api.syncs.schemas import SyncCreate, SyncObjectOut, SyncOut, SyncRun, SyncUpdate
from core.states import SyncFinding
from core.tables import Sync

router = APIRouter(prefix="/projects/{project_id}/syncs", tags=["pools"])


async def _found(
    session: SessionDep, user: CurrentUser, project_id: ProjectId, sync_id: PathId
) -> Sync:
    return await service.find(session, user, project_id, sync_id, lock=False)


async def _locked(
    session: SessionDep, user: CurrentUser, project_id: ProjectId, sync_id: PathId
) -> Sync:
    return await service.find(session, user, project_id, sync_id, lock=True)


Followed = Annotated[Sync, Depends(_found, scope="function")]
LockedSync = Annotated[Sync, Depends(_locked, scope="function")]


@router.get("")
async def list_syncs(session: SessionDep, project: ManagedProject) -> Items[SyncOut]:
    """Places of buckets that the pool follows, and what was last found there."""
    return Items(items=await service.list_syncs(session, project.id))


@router.post("", status_code=201, dependencies=[Room])
async def create_sync(
    request: Request,
    user: CurrentUser,
    settings: SettingsDep,
    project_id: ProjectId,
    body: SyncCreate,
) -> SyncOut:
    """Follow a place: what is new there is imported as ever, now and whenever it is looked at.

    What has changed or is gone is said, and nothing is replaced or deleted for it.
    """
    async with managing(request, user, project_id) as (_, project):
        require_copied(project.medium)
    # Between the transactions: a bucket may take its time.
    params = await service.import_params(body, settings)
    async with transaction(request) as session:
        project = await managed_project(session, user, project_id, lock=True)
        return await service.create(session, user, project, params, body.every_minutes)


@router.patch("/{sync_id}")
async def update_sync(
    session: SessionDep, user: CurrentUser, sync: LockedSync, body: SyncUpdate
) -> SyncOut:
    """Look more or less often, or only when asked to."""
    await service.update(session, user, sync, body.every_minutes)
    return await service.describe(session, sync)


@router.delete("/{sync_id}", status_code=204)
async def delete_sync(session: SessionDep, user: CurrentUser, sync: LockedSync) -> None:
    """Follow a place no more; what was imported from it stays."""
    await service.remove(session, user, sync)


@router.post("/{sync_id}/run", status_code=202)
async def run_sync(
    session: SessionDep, user: CurrentUser, sync: LockedSync, body: SyncRun
) -> SyncOut:
    """Look now; what an import left undone that failed or was cancelled is begun anew."""
    await service.run(session, user, sync, again=body.again)
    return await service.describe(session, sync)


@router.get("/{sync_id}/objects")
async def list_sync_objects(
    session: SessionDep,
    sync: Followed,
    finding: SyncFinding,
    after: Annotated[str, Query(max_length=2000)] = "",
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
) -> Items[SyncObjectOut]:
    """Objects about which there is something to say, by path; the next page comes `after`."""
    return Items(items=await service.objects(session, sync, finding, after, limit))
