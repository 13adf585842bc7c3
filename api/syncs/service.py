from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Final

from anyio import to_thread
from sqlalchemy import delete, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from api.audit import record
from api.callers.access import managed_project
from api.callers.principal import Principal
from api.pools import in_place
from api.pools.schemas import BucketImport
from api.syncs.schemas import SyncCreate, SyncImport, SyncObjectOut, SyncOut
from core.errors import Conflict, NotFound
from core.jobs import queue
from core.jobs.imports import ImportParams
from core.jobs.messages import SyncBucket
from core.settings import Settings
from core.states import SyncFinding
from core.tables import Job, Project, Sync, SyncObject
from core.tables.sync import SILENT

MOST: Final = 20


async def import_params(body: SyncCreate, settings: Settings) -> ImportParams:
    """What is new is imported with; looks into the bucket."""
    asked = BucketImport(**body.model_dump(exclude={"every_minutes"}))
    return await to_thread.run_sync(in_place.import_params, asked, settings)


async def create(
    session: AsyncSession,
    principal: Principal,
    project: Project,
    params: ImportParams,
    every_minutes: int | None,
) -> SyncOut:
    """Follow a place, and look at it now; the caller has locked the project."""
    others = select(Sync.location).where(Sync.project_id == project.id)
    places = (await session.scalars(others)).all()
    location = params.location or ""
    if location in places:
        raise Conflict(
            "already_followed",
            f"The project follows {location} already. To follow it in another way, remove that "
            "first.",
        )
    if len(places) >= MOST:
        raise Conflict("too_many_syncs", f"The project follows {MOST} places; remove one first.")
    sync = Sync(
        project_id=project.id,
        location=location,
        params=params.to_json(),
        every_minutes=every_minutes,
        due_at=func.clock_timestamp(),
        sent_at=func.clock_timestamp(),
        created_by=principal.id,
    )
    session.add(sync)
    await session.flush()
    queue.remember(session.info, SyncBucket(sync_id=sync.id))
    _record(session, principal, "create", sync, every_minutes=every_minutes)
    return await describe(session, sync)


async def find(
    session: AsyncSession, principal: Principal, project_id: int, sync_id: int, *, lock: bool
) -> Sync:
    """One of the project's, which the caller may change."""
    await managed_project(session, principal, project_id)
    locked = {"key_share": True} if lock else None
    sync = await session.get(Sync, sync_id, with_for_update=locked)
    if sync is None or sync.project_id != project_id:
        raise NotFound("sync")
    return sync


async def update(
    session: AsyncSession, principal: Principal, sync: Sync, every_minutes: int | None
) -> None:
    """Look as often as this from now on; a look that is asked for stays so."""
    before = sync.every_minutes
    sync.every_minutes = every_minutes
    if not sync.asked and sync.looking_at is None:
        now = datetime.now(UTC)
        sync.due_at = None if every_minutes is None else now + timedelta(minutes=every_minutes)
    _record(session, principal, "update", sync, every_minutes=[before, every_minutes])
    await session.flush()


async def run(session: AsyncSession, principal: Principal, sync: Sync, *, again: bool) -> None:
    """Look now; an import that failed or was cancelled is begun anew."""
    if again:
        passed = (SyncObject.sync_id == sync.id) & (SyncObject.finding == SyncFinding.PASSED)
        await session.execute(delete(SyncObject).where(passed))
    sync.asked = True
    sync.due_at = sync.sent_at = func.clock_timestamp()
    queue.remember(session.info, SyncBucket(sync_id=sync.id))
    _record(session, principal, "run", sync, again=again)
    await session.flush()


async def remove(session: AsyncSession, principal: Principal, sync: Sync) -> None:
    """Follow the place no more; what was imported stays."""
    _record(session, principal, "delete", sync)
    await session.delete(sync)


async def list_syncs(session: AsyncSession, project_id: int) -> list[SyncOut]:
    statement = select(Sync).where(Sync.project_id == project_id).order_by(Sync.id)
    return await _shown(session, (await session.scalars(statement)).all())


async def describe(session: AsyncSession, sync: Sync) -> SyncOut:
    await session.refresh(sync)
    (shown,) = await _shown(session, [sync])
    return shown


async def objects(
    session: AsyncSession, sync: Sync, finding: SyncFinding, after: str, limit: int
) -> list[SyncObjectOut]:
    statement = (
        select(SyncObject)
        .where(
            SyncObject.sync_id == sync.id,
            SyncObject.finding == finding,
            SyncObject.name > after,
        )
        .order_by(SyncObject.name)
        .limit(limit)
    )
    found = (await session.scalars(statement)).all()
    return [SyncObjectOut.model_validate(one, from_attributes=True) for one in found]


async def _shown(session: AsyncSession, syncs: Sequence[Sync]) -> list[SyncOut]:
    imports = [one.import_id for one in syncs if one.import_id is not None]
    found = await session.execute(select(Job.id, Job.state).where(Job.id.in_(imports)))
    states = {row.id: row.state for row in found}
    return [_out(one, states) for one in syncs]


def _out(sync: Sync, states: dict[int, object]) -> SyncOut:
    params = ImportParams.model_validate(sync.params)
    state = states.get(sync.import_id or 0)
    return SyncOut.model_validate(
        {
            **{
                name: getattr(sync, name)
                for name in SyncOut.model_fields
                if name not in {"include", "split", "looking", "latest_import"}
            },
            "include": params.include,
            "split": params.split,
            "looking": sync.looking_at is not None and datetime.now(UTC) - sync.looking_at < SILENT,
            "latest_import": state
            and SyncImport.model_validate({"id": sync.import_id, "state": state}),
        }
    )


def _record(
    session: AsyncSession, principal: Principal, verb: str, sync: Sync, **detail: object
) -> None:
    record(
        session,
        principal,
        verb,
        "sync",
        sync.id,
        project_id=sync.project_id,
        location=sync.location,
        **detail,
    )
