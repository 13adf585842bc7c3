"""What routes ask for: a transaction, settings, storage."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated, Final

from anyio import to_thread
from fastapi import Depends, Request
from sqlalchemy.ext.asyncio import AsyncSession

from api import telling
from core.files.disk import require_room
from core.files.storage import Storage
from core.jobs import queue
from core.media.originals import Originals
from core.settings import Settings
from core.states import Medium

_REQUEST: Final = "request"


def speak_of(session: AsyncSession, medium: Medium) -> None:
    """Note what examples the request is about, for the words of an error that may come of it."""
    request: Request | None = session.info.get(_REQUEST)
    if request is not None:
        request.state.medium = medium


async def get_session(request: Request) -> AsyncIterator[AsyncSession]:
    """One transaction per request: committed when the route returns, rolled back when it raises.

    What it has changed is told to browsers with the commit. Messages to workers leave after it, so
    that a worker never sees half a request.
    """
    async with request.app.state.sessions(info={_REQUEST: request}) as session:
        async with session.begin():
            yield session
            await telling.send(session)
        if queue.pending(session.info):
            await to_thread.run_sync(queue.deliver, session.info)


# Scope "function": the commit happens before the response is sent. With the default scope a client
# could read 201 for a commit that then fails.
SessionDep = Annotated[AsyncSession, Depends(get_session, scope="function")]

# The same for a part of a request: none stays open while a body arrives or a file is fetched.
transaction = asynccontextmanager(get_session)


def get_settings(request: Request) -> Settings:
    settings: Settings = request.app.state.settings
    return settings


def get_storage(request: Request) -> Storage:
    storage: Storage = request.app.state.storage
    return storage


def get_originals(request: Request) -> Originals:
    originals: Originals = request.app.state.originals
    return originals


def room_for_more(request: Request) -> None:
    """Refuse what is large while the disk is nearly full.

    Raises:
        DomainError: ``disk_full``.
    """
    require_room(get_settings(request))


SettingsDep = Annotated[Settings, Depends(get_settings)]
StorageDep = Annotated[Storage, Depends(get_storage)]
OriginalsDep = Annotated[Originals, Depends(get_originals)]
Room = Depends(room_for_more)
