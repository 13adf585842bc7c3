from fastapi import APIRouter

from api.agreement import service
from api.agreement.schemas import AgreementOut
from api.callers.access import ReviewedProject
from api.deps import SessionDep

router = APIRouter(tags=["agreement"])


@router.get("/projects/{project_id}/agreement")
async def show_agreement(session: SessionDep, project: ReviewedProject) -> AgreementOut:
    """How far the annotators, and columns of imported labels, agree with each other."""
    return await service.agreement(session, project)
