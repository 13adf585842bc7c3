from anyio import to_thread
from fastapi import APIRouter

from api.callers.access import Staff
from api.callers.principal import CurrentUser
from api.deps import SessionDep, SettingsDep
from api.home import service
from api.home.schemas import DiskOut, Home
from api.schemas.days import UtcOffset
from core.files.disk import room

router = APIRouter(tags=["home"])


@router.get("/home")
async def show_home(session: SessionDep, user: CurrentUser, utc_offset: UtcOffset = 0) -> Home:
    """What waits for the caller, their pace of the last 14 days, and their agreement."""
    return await service.home(session, user, utc_offset)


@router.get("/disk")
async def show_disk(settings: SettingsDep, _: Staff) -> DiskOut:
    """Whether there is room on the disk; while there is little, uploads and jobs are refused."""
    found = await to_thread.run_sync(room, settings)
    return DiskOut(state=found.state, free=found.free, total=found.total, files=found.files)
