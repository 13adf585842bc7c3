"""What models take images for, told with the images where people are asked about them."""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from api.examples.scores import ScoreTable, score_table
from api.examples.search import among
from core.errors import Conflict
from core.states import ArtifactKind, Split
from core.storage import Storage
from core.tables import Artifact, Example, Project, Round

UNKNOWN: Final[dict[str, Any]] = dict.fromkeys(
    ("predicted_class_id", "probability", "in_probability")
)


async def predictions_of(
    session: AsyncSession, project: Project, storage: Storage, ids: Sequence[int]
) -> dict[int, dict[str, Any]]:
    """What each example is taken for by the newest round that scored it, as columns of a query.

    Reads the scores of one round after the other until all are found: those of the newest for what
    is unlabeled, all of them for what none has scored.

    Returns:
        By id; examples that no round has scored, or whose scores are gone, are missing.
    """
    statement = select(Example.pool_index, Example.id).where(
        Example.project_id == project.id, Example.split == Split.POOL, among(Example.id, ids)
    )
    missing = dict((await session.execute(statement)).all())
    scored = (
        select(Round.number)
        .join(Artifact, Artifact.round_id == Round.id)
        .where(Artifact.project_id == project.id, Artifact.kind == ArtifactKind.SCORES)
        .order_by(Round.number.desc())
    )
    found: dict[int, dict[str, Any]] = {}
    for number in await session.scalars(scored):
        if not missing:
            break
        try:
            table = await score_table(session, project, storage, number)
        except Conflict:
            # Images are asked about without a prediction, too.
            continue
        assert table is not None
        for pool_index, known in _read(table, sorted(missing)).items():
            found[missing.pop(pool_index)] = known
    return found


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
            "predicted_class_id": table.class_ids[output],
            "probability": probability,
            "in_probability": in_probability,
        }
        for pool_index, output, probability, in_probability in columns
    }
