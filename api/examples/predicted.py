"""What models take images for, told with the images where people are asked about them."""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from sqlalchemy import select
from sqlalchemy.dialects.postgresql import distinct_on
from sqlalchemy.ext.asyncio import AsyncSession

from api.examples.scores import ScoreTable, scores_if_there
from core.database.among import among
from core.files.storage import Storage
from core.states import Split
from core.tables import Example, Project, Query

UNKNOWN: Final[dict[str, Any]] = dict.fromkeys(
    ("predicted_class_id", "probability", "in_probability")
)


async def predictions_of(
    session: AsyncSession, project: Project, storage: Storage, ids: Sequence[int]
) -> dict[int, dict[str, Any]]:
    """What each example is taken for, as columns of a query.

    By the latest scores, which are of all that was unlabeled then; of what was asked about before,
    as it was said then.

    Returns:
        By id; examples that no model has seen, or whose scores are gone, are missing.
    """
    columns = [getattr(Query, name) for name in UNKNOWN]
    said = (
        select(Query.example_id, *columns)
        .ext(distinct_on(Query.example_id))
        .where(among(Query.example_id, ids), Query.predicted_class_id.is_not(None))
        .order_by(Query.example_id, Query.id.desc())
    )
    found = {row.example_id: row._asdict() for row in await session.execute(said)}
    for row in found.values():
        del row["example_id"]
    table = await scores_if_there(session, project, storage)
    if table is None:
        return found
    places = select(Example.pool_index, Example.id).where(
        Example.project_id == project.id, Example.split == Split.POOL, among(Example.id, ids)
    )
    id_at = dict((await session.execute(places)).all())
    return found | {id_at[index]: known for index, known in _read(table, sorted(id_at)).items()}


def _read(table: ScoreTable, wanted: Sequence[int]) -> dict[int, dict[str, Any]]:
    """Of those of the pool indices that were scored what the model takes them for."""
    indices = np.array(wanted, dtype=np.int32)
    indices = indices[np.isin(indices, table.pool_index)]
    positions = np.searchsorted(table.pool_index, indices)
    inside: list[float | None] = [None] * len(indices)
    if (known := table.columns.get("in_probability")) is not None:
        inside = [None if value != value else value for value in known[positions].tolist()]
    columns = zip(
        indices.tolist(),
        table.predicted[positions].tolist(),
        table.columns["confidence"][positions].tolist(),
        inside,
        strict=True,
    )
    return {
        pool_index: {
            "predicted_class_id": table.class_ids[output] if table.class_ids else None,
            "probability": probability,
            "in_probability": in_probability,
        }
        for pool_index, output, probability, in_probability in columns
    }
