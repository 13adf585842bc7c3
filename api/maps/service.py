"""Reading what a round saw: files of scores, and what has become of their images."""

import math
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import numpy as np
from anyio import to_thread
from sqlalchemy import Row, func, select, true
from sqlalchemy.ext.asyncio import AsyncSession, async_sessionmaker

from api.maps import planes
from api.maps.schemas import MapImage, MapImages, MapOut, MapQueries, MapQuery, MapSurface, SpanOut
from api.maps.then import Closing, Verdicts, boxes_of_label, stands
from api.transfers.files import artifact_file
from core.artifacts.pool_map import PoolMap, read_map, read_surface
from core.errors import Conflict, NotFound
from core.files.storage import Storage
from core.media.texts.excerpts import beginning
from core.states import ArtifactKind, ExampleState, Verdict
from core.tables import Annotation, Artifact, Example, Project, Query, Round
from core.withdrawals import is_kept

_QUERIES: Final = 20_000

_VERDICT: Final = {
    ExampleState.LABELED: Verdict.LABEL,
    ExampleState.OOD: Verdict.OOD,
    ExampleState.UNSURE: Verdict.UNSURE,
}


async def files_of(session: AsyncSession, project_id: int) -> Sequence[Row[int, str, str]]:
    """Number, SHA-256 and storage key of every round whose pool was scored, in order."""
    statement = (
        select(Round.number, Artifact.sha256, Artifact.storage_key)
        .join(Round, Round.id == Artifact.round_id)
        .where(Artifact.project_id == project_id, Artifact.kind == ArtifactKind.SCORES)
        .order_by(Round.number)
    )
    return (await session.execute(statement)).all()


def described(storage: Storage, files: Sequence[Row[int, str, str]]) -> list[MapOut]:
    """The maps that ``files_of`` named, without those whose file is gone. Blocks."""
    heads = ((file, planes.head_of(storage, file.storage_key, file.sha256)) for file in files)
    return [
        MapOut(
            number=file.number,
            version=file.sha256[:16],
            count=head[0],
            purity=SpanOut(**head[1]),
            informativeness=SpanOut(**head[2]),
        )
        for file, head in heads
        if head is not None
    ]


@lru_cache(maxsize=4)
def _loaded(path: Path, sha256: str) -> PoolMap:
    del sha256
    return read_map(path)


async def artifact_of(session: AsyncSession, project_id: int, number: int) -> Artifact:
    """The scores of a round.

    Raises:
        NotFound: No such round, or its pool was not scored.
    """
    statement = (
        select(Artifact)
        .join(Round, Round.id == Artifact.round_id)
        .where(
            Artifact.project_id == project_id,
            Artifact.kind == ArtifactKind.SCORES,
            Round.number == number,
        )
    )
    found = (await session.scalars(statement)).first()
    if found is None:
        raise NotFound("map of that round")
    return found


async def _map_of(storage: Storage, artifact: Artifact) -> PoolMap:
    path = await artifact_file(storage, artifact.storage_key)
    try:
        return await to_thread.run_sync(_loaded, path, artifact.sha256)
    except FileNotFoundError as error:
        raise _missing() from error


def _missing() -> Conflict:
    return Conflict("scores_missing", "The file of the round's scores is gone; restore it.")


async def surface(storage: Storage, artifact: Artifact) -> MapSurface:
    path = await artifact_file(storage, artifact.storage_key)
    try:
        found = await to_thread.run_sync(read_surface, path)
    except FileNotFoundError as error:
        raise _missing() from error
    return MapSurface.model_validate({"surface": found})


async def tile(storage: Storage, artifact: Artifact, level: int, column: int, row: int) -> bytes:
    """One tile; x is the purity, y the informativeness."""
    return await planes.tile(await _map_of(storage, artifact), level, column, row)


async def queries(session: AsyncSession, project: Project, number: int) -> MapQueries:
    """The query set of a round with what was answered; of an overlap, each image once."""
    round_id = await session.scalar(
        select(Round.id).where(Round.project_id == project.id, Round.number == number)
    )
    if round_id is None:
        raise NotFound("round")
    closing = await Closing.of(session, project.id, number)
    answered = (
        select(Annotation.id)
        .where(
            Annotation.query_id == Query.id,
            Annotation.counted,
            true() if closing is None else closing.knew(Annotation),
        )
        .exists()
    )
    statement = (
        select(
            Example.id,
            Example.pool_index,
            Example.name,
            beginning().label("excerpt"),
            Example.state,
            Example.label_class_id,
            boxes_of_label(),
            func.min(Query.rank).label("rank"),
            func.max(Query.purity).label("purity"),
            func.max(Query.informativeness).label("informativeness"),
            func.max(Query.meta_score).label("meta_score"),
            func.bool_or(answered).label("answered"),
            func.count().over().label("total"),
        )
        .join(Example, Example.id == Query.example_id)
        .where(Query.round_id == round_id, is_kept())
        .group_by(Example.id)
        .order_by(func.min(Query.rank))
        .limit(_QUERIES)
    )
    rows = (await session.execute(statement)).all()
    queried = select(Query.example_id).where(Query.round_id == round_id)
    then = None if closing is None else await closing.verdicts(session, queried)
    return MapQueries(total=rows[0].total if rows else 0, items=[_query(row, then) for row in rows])


def _query(row: Any, then: Verdicts | None) -> MapQuery:
    standing, since = stands(row, then)
    # Answered and without a verdict: it was skipped.
    verdict = _VERDICT.get(standing.state, Verdict.SKIP) if row.answered else None
    return MapQuery(
        example_id=row.id,
        pool_index=row.pool_index,
        name=row.name,
        excerpt=row.excerpt,
        rank=row.rank,
        purity=row.purity,
        informativeness=row.informativeness,
        meta_score=row.meta_score,
        verdict=verdict,
        class_id=standing.class_id if verdict is Verdict.LABEL else None,
        boxes=standing.boxes if verdict is Verdict.LABEL else None,
        since=since,
    )


async def images_inside(
    sessions: async_sessionmaker[AsyncSession],
    storage: Storage,
    artifact: Artifact,
    polygon: str,
    *,
    cursor: int | None,
    limit: int,
) -> MapImages:
    """Images within an outline, by pool index."""
    outline = planes.corners(polygon, "purity,informativeness")
    shown = await _map_of(storage, artifact)
    found = np.flatnonzero(await to_thread.run_sync(shown.inside, outline))
    start = 0 if cursor is None else int(np.searchsorted(shown.indices[found], cursor, "right"))
    page = found[start : start + limit]
    async with sessions() as session:
        items = await _images(session, artifact, shown, page.tolist())
    more = start + limit < len(found)
    return MapImages(
        total=len(found),
        items=items,
        next_cursor=int(shown.indices[page[-1]]) if more else None,
    )


async def image(
    sessions: async_sessionmaker[AsyncSession],
    storage: Storage,
    artifact: Artifact,
    pool_index: int,
) -> MapImage:
    """One image by its pool index."""
    shown = await _map_of(storage, artifact)
    place = shown.find(pool_index)
    if place is None:
        raise NotFound("image on that map")
    async with sessions() as session:
        found = await _images(session, artifact, shown, [place])
    if not found:
        raise NotFound("image on that map")
    return found[0]


async def _images(
    session: AsyncSession, artifact: Artifact, shown: PoolMap, positions: Sequence[int]
) -> list[MapImage]:
    place_of = {int(shown.indices[place]): place for place in positions}
    columns = (
        Example.id,
        Example.pool_index,
        Example.name,
        beginning().label("excerpt"),
        Example.state,
        Example.label_class_id,
        boxes_of_label(),
    )
    statement = (
        select(*columns)
        .where(
            Example.project_id == artifact.project_id, Example.pool_index.in_(place_of), is_kept()
        )
        .order_by(Example.pool_index)
    )
    rows = (await session.execute(statement)).all()
    number = await session.scalar(select(Round.number).where(Round.id == artifact.round_id))
    assert number is not None
    closing = await Closing.of(session, artifact.project_id, number)
    then = None if closing is None else await closing.verdicts(session, [row.id for row in rows])
    return [_image(row, shown, place_of[row.pool_index], then) for row in rows]


def _image(row: Any, shown: PoolMap, place: int, then: Verdicts | None) -> MapImage:
    standing, since = stands(row, then)
    meta = float(shown.meta_scores[place])
    return MapImage(
        example_id=row.id,
        pool_index=row.pool_index,
        name=row.name,
        excerpt=row.excerpt,
        state=standing.state,
        class_id=standing.class_id,
        boxes=standing.boxes,
        since=since,
        purity=float(shown.x[place]),
        informativeness=float(shown.y[place]),
        meta_score=meta if math.isfinite(meta) else None,
    )
