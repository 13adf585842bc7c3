"""The map that a project has of its pool."""

from anyio import to_thread
from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession, async_sessionmaker

from api.embedding_map.schemas import (
    AxisSpan,
    EmbeddingMapImage,
    EmbeddingMapOut,
    EmbeddingMapState,
)
from api.examples.scores import scores_if_there
from api.maps.planes import embedding_map, head_of, no_map, plane_of, require_version, version_of
from api.maps.then import boxes_of_label
from core.errors import NotFound
from core.files.storage import Storage
from core.media.texts.excerpts import beginning
from core.states import Split
from core.tables import Artifact, Example, Project, Query, Round
from core.withdrawals import is_kept


async def made(session: AsyncSession, project_id: int, version: str | None) -> Artifact:
    """The map, if it is the one that is asked for.

    Raises:
        Conflict: ``no_map`` or ``map_changed``.
    """
    artifact = await embedding_map(session, project_id)
    if artifact is None:
        raise no_map()
    require_version(artifact, version)
    return artifact


async def state(session: AsyncSession, project: Project) -> tuple[Artifact | None, int]:
    """The map, and how many images the pool has now."""
    pool = select(func.count()).where(Example.project_id == project.id, Example.split == Split.POOL)
    return await embedding_map(session, project.id), await session.scalar(pool) or 0


def described(
    storage: Storage, artifact: Artifact | None, pool: int, scores_round: int | None
) -> EmbeddingMapState:
    """What pages are told of the map; one whose file is gone has to be made anew. Blocks."""
    head = None
    if artifact is not None:
        head = head_of(storage, artifact.storage_key, artifact.sha256, ("x", "y"))
    if artifact is None or head is None:
        return EmbeddingMapState(map=None, scores_round=scores_round)
    count, x, y = head
    found = EmbeddingMapOut(
        version=version_of(artifact),
        count=count,
        later=max(0, pool - count),
        laid_out=artifact.meta["laid_out"],
        features=artifact.meta["features"],
        x=AxisSpan(**x),
        y=AxisSpan(**y),
        job_id=artifact.job_id,
        made_at=artifact.meta["made_at"],
    )
    return EmbeddingMapState(map=found, scores_round=scores_round)


async def image(
    sessions: async_sessionmaker[AsyncSession],
    storage: Storage,
    artifact: Artifact,
    pool_index: int,
) -> EmbeddingMapImage:
    """One image by its pool index.

    Raises:
        NotFound: It is not on the map.
    """
    shown = await plane_of(storage, artifact)
    place = await to_thread.run_sync(shown.find, pool_index)
    if place is None:
        raise NotFound("image on that map")
    asked = (
        select(func.max(Round.number))
        .join(Query, Query.round_id == Round.id)
        .where(Query.example_id == Example.id)
        .scalar_subquery()
    )
    statement = select(
        Example.id,
        Example.name,
        beginning().label("excerpt"),
        Example.state,
        Example.label_class_id,
        boxes_of_label(),
        asked.label("round"),
    ).where(Example.project_id == artifact.project_id, Example.pool_index == pool_index, is_kept())
    async with sessions() as session:
        row = (await session.execute(statement)).one_or_none()
        if row is None:
            raise NotFound("image on that map")
        project = await session.get_one(Project, artifact.project_id)
        table = await scores_if_there(session, project, storage)
    at = None if table is None else table.find(pool_index)
    scores: dict[str, float | None] = dict.fromkeys(("purity", "informativeness", "confidence"))
    if table is not None and at is not None:
        for name in scores:
            value = float(table.columns[name][at])
            scores[name] = None if value != value else value
    return EmbeddingMapImage(
        example_id=row.id,
        pool_index=pool_index,
        name=row.name,
        excerpt=row.excerpt,
        state=row.state,
        class_id=row.label_class_id,
        boxes=row.boxes,
        x=float(shown.x[place]),
        y=float(shown.y[place]),
        predicted_class_id=(None if table is None or at is None else table.predicted_class(at)),
        round=row.round,
        **scores,
    )
