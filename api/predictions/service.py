"""Imported predictions of a project, by model."""

from typing import Final

from sqlalchemy import bindparam, delete, func, select, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.ext.asyncio import AsyncSession

from api.audit import record
from api.callers.principal import Principal
from api.predictions.schemas import PredictionsOut
from api.projects.queries import importing
from core.errors import Conflict, NotFound
from core.tables import Prediction, Project

_WITHOUT: Final = text("""
    UPDATE predictions SET planted = NULL, luck = NULL, proposals = coalesce((
        SELECT jsonb_agg(one ORDER BY place)
        FROM jsonb_array_elements(proposals) WITH ORDINALITY AS held (one, place)
        WHERE NOT one @> :proposal
    ), '[]')
    WHERE project_id = :project_id AND proposals @> :proposals
""").bindparams(bindparam("proposal", type_=JSONB), bindparam("proposals", type_=JSONB))


async def list_models(session: AsyncSession, project_id: int) -> list[PredictionsOut]:
    """Models, that whose predictions came last first."""
    last = func.max(Prediction.import_id)
    statement = (
        select(Prediction.model, func.count(), last)
        .where(Prediction.project_id == project_id)
        .group_by(Prediction.model)
        .order_by(last.desc(), Prediction.model)
    )
    return [
        PredictionsOut(model=model, examples=count, import_id=import_id)
        for model, count, import_id in await session.execute(statement)
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


async def forget_class(
    session: AsyncSession, project_id: int, class_id: int, *, is_one: bool
) -> None:
    """Take a class that goes out of what was imported, which keeps no class.

    Args:
        session: Of the request.
        project_id: The project.
        class_id: The class.
        is_one: Whether a prediction is one class, and goes with it.
    """
    proposal = {"class_id": class_id}
    if is_one:
        of_class = Prediction.proposals.contains([proposal])
        statement = delete(Prediction).where(Prediction.project_id == project_id, of_class)
        await session.execute(statement)
    else:
        values = {"project_id": project_id, "proposal": proposal, "proposals": [proposal]}
        await session.execute(_WITHOUT, values)
