"""Imported predictions of a project, by model."""

from sqlalchemy import Select, delete, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from api.audit import record
from api.callers.principal import Principal
from api.predictions.schemas import PredictionsOut
from api.projects.queries import importing
from core.errors import Conflict, NotFound
from core.tables import Prediction, Project


def models_of(project_id: int) -> Select[str, int, int]:
    """Models of a project, of how many examples, and which import brought something of it last."""
    last = func.max(Prediction.import_id)
    return (
        select(Prediction.model, func.count(), last)
        .where(Prediction.project_id == project_id)
        .group_by(Prediction.model)
        .order_by(last.desc(), Prediction.model)
    )


async def list_models(session: AsyncSession, project_id: int) -> list[PredictionsOut]:
    """Models, that whose predictions came last first."""
    return [
        PredictionsOut(model=model, examples=count, import_id=import_id)
        for model, count, import_id in await session.execute(models_of(project_id))
    ]


async def remove(session: AsyncSession, principal: Principal, project: Project, model: str) -> int:
    """Remove what was imported of a model; returns of how many examples.

    Raises:
        Conflict: ``import_running``: an import may bring more of it at this moment.
        NotFound: There is nothing of such a model.
    """
    if await session.scalar(importing(project.id)) is not None:
        raise Conflict(
            "import_running",
            "An import is still running, and may bring predictions; wait for it, or cancel it.",
        )
    of_model = (Prediction.project_id == project.id, Prediction.model == model)
    gone = delete(Prediction).where(*of_model).returning(Prediction.example_id).cte("gone")
    removed = await session.scalar(select(func.count()).select_from(gone)) or 0
    if not removed:
        raise NotFound("model with predictions")
    record(
        session,
        principal,
        "remove_predictions",
        "pool",
        None,
        project_id=project.id,
        model=model,
        examples=removed,
    )
    return removed
