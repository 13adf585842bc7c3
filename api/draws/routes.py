from fastapi import APIRouter

from api.callers.access import LockedProject, ReviewedProject
from api.callers.principal import CurrentUser
from api.deps import SessionDep, StorageDep
from api.draws import service
from api.draws.schemas import AuditAsked, AuditEstimate, AuditIn

router = APIRouter(prefix="/projects/{project_id}/audit", tags=["rounds"])


@router.get("")
async def show_audit(session: SessionDep, project: ReviewedProject) -> AuditEstimate:
    """How often the newest model is right on what no strategy has chosen, by random draws."""
    return await service.show(session, project)


@router.post("", status_code=202)
async def ask_audit(
    session: SessionDep,
    user: CurrentUser,
    storage: StorageDep,
    project: LockedProject,
    body: AuditIn,
) -> AuditAsked:
    """Draw images at random and ask about them first of all.

    They join the open round; where the project is finished, a round of their own is opened.
    """
    return await service.ask(session, user, project, storage, body.n)
