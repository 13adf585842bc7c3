from typing import Annotated

from fastapi import APIRouter, Query

from api.access import LockedProject, ProjectId, VisibleProject
from api.deps import SessionDep
from api.pagination import Items
from api.principal import CurrentUser
from api.reviews import service
from api.reviews.schemas import (
    Decisions,
    DecisionsOut,
    Reverted,
    ReviewLease,
    ReviewLeaseRequest,
    ReviewOut,
    SuggestionOut,
)

router = APIRouter(prefix="/projects/{project_id}/reviews", tags=["reviews"])


@router.get("")
async def list_reviews(session: SessionDep, project: VisibleProject) -> Items[ReviewOut]:
    return Items(items=await service.list_reviews(session, project))


@router.get("/{job_id}")
async def show_review(session: SessionDep, project: VisibleProject, job_id: ProjectId) -> ReviewOut:
    return await service.show_review(session, project, job_id)


@router.post("/{job_id}/lease")
async def lease_suggestions(
    session: SessionDep,
    user: CurrentUser,
    project: VisibleProject,
    job_id: ProjectId,
    body: ReviewLeaseRequest,
) -> ReviewLease:
    """Suggestions to decide on, the surest first; those the caller holds are among them."""
    return await service.lease(session, user, project, job_id, body.n)


@router.get("/{job_id}/recent")
async def recent_decisions(
    session: SessionDep,
    user: CurrentUser,
    project: VisibleProject,
    job_id: ProjectId,
    limit: Annotated[int, Query(ge=1, le=100)] = 10,
) -> Items[SuggestionOut]:
    return Items(items=await service.recent(session, user, project, job_id, limit))


@router.post("/{job_id}/decisions")
async def decide(
    session: SessionDep,
    user: CurrentUser,
    project: VisibleProject,
    job_id: ProjectId,
    body: Decisions,
) -> DecisionsOut:
    """Keep the given label, accept the suggested one, call it OOD, or leave it unsure."""
    return await service.decide(session, user, project, job_id, body.decisions)


@router.post("/{job_id}/revert")
async def revert_review(
    session: SessionDep, user: CurrentUser, project: LockedProject, job_id: ProjectId
) -> Reverted:
    """Take back every decision on the suggestions of a job."""
    return await service.revert(session, user, project, job_id)
