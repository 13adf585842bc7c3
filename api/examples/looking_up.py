"""A file that is no part of the pool, to find what is like it."""

from collections.abc import AsyncIterator
from typing import Final

from fastapi import Request

from api.access import managed_project
from api.deps import transaction
from api.examples.neighbours import features_of
from api.jobs.schemas import JobOut
from api.pools.uploads import receive
from api.principal import Principal
from core import queue
from core.errors import DomainError, ErrorKind
from core.lifecycle import new_job
from core.settings import Settings
from core.states import JobKind
from core.storage import Storage

MOST_BYTES: Final = 64 << 20


async def start(
    request: Request, principal: Principal, project_id: int, storage: Storage, settings: Settings
) -> JobOut:
    """Receive the file, and queue the job that makes of it what images are compared by.

    Raises:
        Conflict: ``no_features``, there is nothing to compare it with.
        DomainError: ``too_large``.
        Invalid: Nothing came.
    """
    async with transaction(request) as session:
        features_of(storage, await managed_project(session, principal, project_id))
    upload = await receive(_limited(request.stream()), "the file", storage, settings)
    async with transaction(request) as session:
        try:
            await managed_project(session, principal, project_id)
            job = new_job(
                JobKind.LOOK_UP,
                project_id=project_id,
                params={"upload": upload},
                created_by=principal.id,
            )
            session.add(job)
            await session.flush()
            await session.refresh(job)
            queue.enqueue(session.info, job)
        except Exception:
            # Nothing will ever read it.
            storage.upload(upload).unlink(missing_ok=True)
            raise
        return JobOut.model_validate(job)


async def _limited(chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    received = 0
    async for chunk in chunks:
        received += len(chunk)
        if received > MOST_BYTES:
            raise DomainError(
                "too_large",
                f"A file to look up may have {MOST_BYTES:,} bytes; send a smaller version.",
                kind=ErrorKind.TOO_LARGE,
            )
        yield chunk
