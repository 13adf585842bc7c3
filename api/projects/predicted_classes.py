"""A class that goes out of a project, and what was imported as predicted."""

from typing import Final

from sqlalchemy import bindparam, delete, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.ext.asyncio import AsyncSession

from core.tables import Prediction

_WITHOUT: Final = text("""
    UPDATE predictions SET planted = NULL, luck = NULL, proposals = coalesce((
        SELECT jsonb_agg(one ORDER BY place)
        FROM jsonb_array_elements(proposals) WITH ORDINALITY AS held (one, place)
        WHERE NOT one @> :proposal
    ), '[]')
    WHERE project_id = :project_id AND proposals @> :proposals
""").bindparams(bindparam("proposal", type_=JSONB), bindparam("proposals", type_=JSONB))


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
