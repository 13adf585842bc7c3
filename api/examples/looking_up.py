"""A file that is no part of the pool, to find what is like it."""

from typing import Final

from fastapi import Request

from api.callers.access import visible_project
from api.callers.principal import Principal
from api.deps import transaction
from api.examples.neighbours import features_of
from api.jobs.schemas import JobOut
from api.transfers.uploads import receive_up_to
from core.files.storage import Storage
from core.jobs import queue
from core.jobs.params import LookUpParams
from core.lifecycle import new_job
from core.settings import Settings
from core.states import JobKind, Medium, ProjectRole

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
        project = await visible_project(session, principal, project_id, least=ProjectRole.REVIEWER)
        features_of(storage, project)
        is_text, most = project.medium is Medium.TEXT, min(MOST_BYTES, settings.max_upload_bytes)
    upload = await receive_up_to(
        request.stream(),
        "the text" if is_text else "the file",
        storage,
        settings,
        most=min(most, settings.max_text_bytes) if is_text else most,
        remedy="send a part of it" if is_text else "send a smaller version of the picture",
    )
    async with transaction(request) as session:
        try:
            await visible_project(session, principal, project_id, least=ProjectRole.REVIEWER)
            job = new_job(
                JobKind.LOOK_UP,
                project_id=project_id,
                params=LookUpParams(upload=upload).to_json(),
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
