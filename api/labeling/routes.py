import time
from typing import Annotated

from fastapi import APIRouter, Query, Request

from api.callers.access import ProjectId, VisibleProject
from api.callers.principal import CurrentUser
from api.deps import SessionDep
from api.labeling import leasing, service, waiting_page
from api.labeling.answering import AnswerWriter
from api.labeling.ledger import Submission
from api.labeling.schemas import (
    Answers,
    AnswersOut,
    Between,
    Lease,
    LeaseRequest,
    RecentAnswer,
    Released,
    ReleaseRequest,
    Status,
)
from api.schemas.days import UtcOffset
from api.schemas.pagination import Items

router = APIRouter(prefix="/projects/{project_id}/labeling", tags=["labeling"])


@router.post("/answers")
async def answer(
    request: Request, user: CurrentUser, project_id: ProjectId, body: Answers
) -> AnswersOut:
    """Store verdicts. Accepted whatever the project's state: nothing an annotator sent is lost."""
    writer: AnswerWriter = request.app.state.answers
    stored = await writer.submit(project_id, Submission(user.id, body.answers))
    request.app.state.metrics.answered(body.answers, stored.results)
    return stored


@router.post("/lease")
async def lease(
    request: Request,
    session: SessionDep,
    user: CurrentUser,
    project_id: ProjectId,
    body: LeaseRequest,
) -> Lease:
    start = time.perf_counter()
    leased = await leasing.lease(session, user, project_id, body)
    request.app.state.metrics.leased(time.perf_counter() - start)
    return leased


@router.post("/release")
async def release(
    session: SessionDep, user: CurrentUser, project: VisibleProject, body: ReleaseRequest
) -> Released:
    return Released(released=await leasing.release(session, user, project, body))


@router.get("/status")
async def status(
    session: SessionDep, user: CurrentUser, project: VisibleProject, utc_offset: UtcOffset = 0
) -> Status:
    return await service.project_status(session, user, project, utc_offset)


@router.get("/between")
async def between_rounds(
    session: SessionDep, user: CurrentUser, project: VisibleProject
) -> Between:
    """For the page of an annotator who has no image: what is going on, and what comes next."""
    return await waiting_page.describe(session, user, project)


@router.get("/recent")
async def recent(
    session: SessionDep,
    user: CurrentUser,
    project: VisibleProject,
    limit: Annotated[int, Query(ge=1, le=100)] = 10,
    reviewed: Annotated[
        bool,
        Query(description="Only those, of your last 1,000, with a note of a reviewer."),
    ] = False,
) -> Items[RecentAnswer]:
    found = await service.recent(session, user, project, limit, reviewed=reviewed)
    return Items(items=found)
