from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Path, Query

from api.callers.access import LockedProject, ReviewedProject, VisibleProject
from api.callers.principal import CurrentUser
from api.deps import SessionDep, StorageDep
from api.reviews import service
from api.reviews.schemas import (
    AuditRequest,
    Decisions,
    DecisionsOut,
    Id,
    Reverted,
    ReviewEstimate,
    ReviewLease,
    ReviewLeaseRequest,
    ReviewOut,
    SuggestionOut,
)
from api.schemas.choices import OneOf
from api.schemas.pagination import Items

router = APIRouter(prefix="/projects/{project_id}/reviews", tags=["reviews"])


def _job_id(
    review: Annotated[
        Id | Literal["disagreements"],
        OneOf,
        Path(description="Of the job that suggested; or `disagreements`, those of annotators."),
    ],
) -> int | None:
    return None if review == "disagreements" else review


# Which job suggested; None where annotators disagree.
JobId = Annotated[int | None, Depends(_job_id)]


@router.get("")
async def list_reviews(session: SessionDep, project: VisibleProject) -> Items[ReviewOut]:
    return Items(items=await service.list_reviews(session, project))


@router.get("/{review}")
async def show_review(session: SessionDep, project: VisibleProject, job_id: JobId) -> ReviewOut:
    return await service.show_review(session, project, job_id)


@router.post("/{review}/lease")
async def lease_suggestions(
    session: SessionDep,
    user: CurrentUser,
    project: VisibleProject,
    job_id: JobId,
    body: ReviewLeaseRequest,
) -> ReviewLease:
    """Suggestions to decide on, those worth most first; those the caller holds are among them.

    What is worth most is learned from the decisions so far. Images of an audit are mixed in.

    Nobody is handed a disagreement of their own but those who manage the project.
    """
    return await service.lease(session, user, project, job_id, body)


@router.get("/{review}/estimate")
async def estimate_review(
    session: SessionDep, project: VisibleProject, job_id: JobId
) -> ReviewEstimate:
    """How often a job was right so far, what the rest may bring, and whether to go on."""
    return await service.show_estimate(session, project, job_id)


@router.post("/{review}/audit")
async def audit_review(
    session: SessionDep,
    user: CurrentUser,
    project: ReviewedProject,
    storage: StorageDep,
    job_id: JobId,
    body: AuditRequest,
) -> ReviewEstimate:
    """Ask about labels that the job does not doubt, drawn by chance: how many of them are wrong.

    The sample is brought up to `n` images, which the review hands out among its suggestions.
    """
    return await service.audit(session, user, project, storage, job_id, body.n)


@router.get("/{review}/recent")
async def recent_decisions(
    session: SessionDep,
    user: CurrentUser,
    project: VisibleProject,
    job_id: JobId,
    limit: Annotated[int, Query(ge=1, le=100)] = 10,
) -> Items[SuggestionOut]:
    return Items(items=await service.recent(session, user, project, job_id, limit))


@router.post("/{review}/decisions")
async def decide(
    session: SessionDep,
    user: CurrentUser,
    project: VisibleProject,
    job_id: JobId,
    body: Decisions,
) -> DecisionsOut:
    """Keep the given label, accept the suggested one, name another, call it OOD, or unsure."""
    return await service.decide(session, user, project, job_id, body.decisions)


@router.post("/{review}/revert")
async def revert_review(
    session: SessionDep, user: CurrentUser, project: LockedProject, job_id: JobId
) -> Reverted:
    """Take back every decision of a review."""
    return await service.revert(session, user, project, job_id)
