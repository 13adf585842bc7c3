from collections.abc import Sequence
from typing import Annotated

from anyio import to_thread
from fastapi import APIRouter, Query
from fastapi.responses import PlainTextResponse

from api.callers.access import LockedProject
from api.callers.principal import CurrentUser
from api.deps import Room, SessionDep, SettingsDep, StorageDep
from api.jobs import service
from api.jobs.logs import read_log
from api.jobs.schemas import JobOut, JobResume, JobStart
from api.schemas.pagination import Cursor, Limit, Page
from api.schemas.parameters import LogOffset, PathId, QueryId
from core.states import JobKind, JobState

router = APIRouter(tags=["jobs"])

States = Annotated[Sequence[JobState], Query(description="May be given several times.")]


@router.get("/jobs")
async def list_jobs(
    session: SessionDep,
    user: CurrentUser,
    settings: SettingsDep,
    project_id: QueryId | None = None,
    kind: JobKind | None = None,
    state: States = (),
    cursor: Cursor = None,
    limit: Limit = 50,
) -> Page[JobOut]:
    """Jobs of the projects that the caller manages or reviews, the newest first."""
    jobs = await service.list_jobs(
        session, user, project_id=project_id, kind=kind, states=state, cursor=cursor, limit=limit
    )
    return Page(
        items=await service.shown(session, settings, jobs),
        next_cursor=jobs[-1].id if len(jobs) == limit else None,
    )


@router.post("/projects/{project_id}/jobs", status_code=202, dependencies=[Room])
async def start_job(
    session: SessionDep, user: CurrentUser, project: LockedProject, body: JobStart
) -> JobOut:
    """Start a job of the catalog; one of a kind at a time in a project."""
    return JobOut.model_validate(await service.start(session, user, project, body))


@router.get("/jobs/{job_id}")
async def show_job(
    session: SessionDep, user: CurrentUser, settings: SettingsDep, job_id: PathId
) -> JobOut:
    """A job; the `message` of one that is queued says what it waits for, where that is known."""
    job = await service.get_job(session, user, job_id)
    return (await service.shown(session, settings, [job]))[0]


@router.get("/jobs/{job_id}/log", response_class=PlainTextResponse)
async def show_log(
    session: SessionDep,
    user: CurrentUser,
    storage: StorageDep,
    job_id: PathId,
    after: LogOffset = 0,
) -> PlainTextResponse:
    """What the job has said of itself, over all attempts: an event a line, with its time in UTC.

    ``after`` leaves out what the caller has: add up the bytes of what came, and ask again.
    """
    job = await service.get_job(session, user, job_id)
    assert job.project_id is not None
    text = await to_thread.run_sync(read_log, storage.job_log(job.project_id, job.id), after)
    return PlainTextResponse(text, headers={"Cache-Control": "no-store"})


@router.post("/jobs/{job_id}/cancel")
async def cancel_job(session: SessionDep, user: CurrentUser, job_id: PathId) -> JobOut:
    return JobOut.model_validate(await service.cancel(session, user, job_id))


@router.post("/jobs/{job_id}/resume")
async def resume_job(
    session: SessionDep, user: CurrentUser, job_id: PathId, body: JobResume
) -> JobOut:
    """Have a paused job go on where it was, with more to spend or without asking any more."""
    return JobOut.model_validate(await service.resume(session, user, job_id, body))


@router.post("/jobs/{job_id}/retry")
async def retry_job(session: SessionDep, user: CurrentUser, job_id: PathId) -> JobOut:
    return JobOut.model_validate(await service.retry(session, user, job_id))
