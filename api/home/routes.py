from typing import Annotated

from fastapi import APIRouter, Query

from api.deps import SessionDep
from api.home import service
from api.home.schemas import Home
from api.principal import CurrentUser

router = APIRouter(tags=["home"])

Offset = Annotated[
    int, Query(ge=-840, le=840, description="Minutes of the caller's clock ahead of UTC.")
]


@router.get("/home")
async def show_home(session: SessionDep, user: CurrentUser, utc_offset: Offset = 0) -> Home:
    """What waits for the caller, their pace of the last 14 days, and their agreement."""
    return await service.home(session, user, utc_offset)
