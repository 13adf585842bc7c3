from typing import Annotated

from fastapi import APIRouter, Query

from api.callers.access import ManagedProject
from api.callers.principal import CurrentUser
from api.deps import SessionDep
from api.predictions import service
from api.predictions.schemas import PredictionsOut, PredictionsRemoved
from api.schemas.pagination import Items

router = APIRouter(prefix="/projects/{project_id}/predictions", tags=["pools"])


@router.get("")
async def list_predictions(session: SessionDep, project: ManagedProject) -> Items[PredictionsOut]:
    """Models whose predictions were imported, those that serve first."""
    return Items(items=await service.list_models(session, project.id))


@router.delete("")
async def remove_predictions(
    session: SessionDep,
    user: CurrentUser,
    project: ManagedProject,
    model: Annotated[str, Query(min_length=1, max_length=500)],
) -> PredictionsRemoved:
    """Suggest nothing of a model any more; what was answered with its suggestions stays."""
    return PredictionsRemoved(removed=await service.remove(session, user, project, model))
