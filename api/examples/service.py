from typing import Any, Final

import numpy as np
from anyio import to_thread
from numpy.typing import NDArray
from sqlalchemy import case, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import aliased

from api.examples import rankings
from api.examples.members import members
from api.examples.neighbours import features_of, nearest
from api.examples.rankings import Ranking
from api.examples.schemas import (
    AnnotationOut,
    ExampleCount,
    ExampleDetail,
    ExampleOut,
    ExamplePage,
    Filters,
    Listing,
    LotBand,
    LotOut,
    Neighbour,
    Neighbours,
    PlaceOut,
    Sort,
    ValuesOf,
)
from api.examples.scores import COLUMNS, ScoreTable, scores_for, scores_if_there
from api.examples.search import Search
from api.examples.words import searched
from api.instruction_rows import fields_of
from api.schemas.fields import FieldValue, FieldValues
from api.schemas.pictures import image_url
from core.database.among import among
from core.errors import NotFound
from core.field_conditions import parse_condition
from core.files.storage import Storage
from core.media.texts.excerpts import beginning, row_fields
from core.tables import (
    Annotation,
    CertificateLot,
    Example,
    Project,
    ProjectClass,
    Query,
    Round,
    User,
)
from core.tasks.registry import label_of
from core.verdicts.class_names import seen_as
from core.verdicts.consensus import holds
from core.withdrawals import is_kept

_LATEST: Final = 200
_MOST_VALUES: Final = 50
# A class is said by its name already.
WHOLE_LABEL = case((Example.label_class_id.is_(None), Example.label)).label("whole_label")
SHOWN = (
    select(
        Example.id,
        Example.pool_index,
        Example.name,
        Example.width,
        Example.height,
        beginning().label("excerpt"),
        row_fields().label("fields"),
        Example.split,
        Example.state,
        Example.label_class_id,
        WHOLE_LABEL,
        Example.duplicates_of,
        ProjectClass.name.label("label"),
    )
    .select_from(Example)
    .outerjoin(ProjectClass, ProjectClass.id == Example.label_class_id)
    .where(is_kept())
)


async def list_examples(
    session: AsyncSession, project: Project, storage: Storage, listing: Listing
) -> ExamplePage:
    """A page of examples with their present labels and their scores."""
    table = await scores_for(session, project, storage, listing, listing.sort)
    asked = await members(session, project, storage, listing)
    similar = await rankings.similarity(session, project, storage, listing)
    isolated = None
    if listing.sort.endswith("isolation"):
        isolated = await rankings.isolation(session, project, storage)
    words = await searched(session, project, listing)
    search = Search(session, project, listing, table, listing.sort, asked, similar, isolated, words)
    found = await search.page(SHOWN, listing.cursor, listing.limit)
    return ExamplePage(
        items=[ExampleOut(**shown(row, table, similar, isolated)) for row in found.rows],
        next_cursor=found.next_cursor,
        searched=found.searched,
        scores_round=table.number if table else None,
    )


async def count_examples(
    session: AsyncSession, project: Project, storage: Storage, filters: Filters
) -> ExampleCount:
    count, exact = await (await _search(session, project, storage, filters)).count()
    return ExampleCount(count=count, exact=exact)


async def matching_ids(
    session: AsyncSession, project: Project, storage: Storage, filters: Filters, most: int
) -> list[int]:
    """Ids of the examples that match, at most ``most``."""
    return await (await _search(session, project, storage, filters)).ids(most)


async def matching_pool_indices(
    session: AsyncSession, project: Project, storage: Storage, filters: Filters
) -> NDArray[np.int64]:
    """(N,) pool indices of all examples that match, ascending."""
    return await (await _search(session, project, storage, filters)).pool_indices()


async def field_values(
    session: AsyncSession, project: Project, storage: Storage, asked: ValuesOf
) -> FieldValues:
    """The values of a field among what matches but for what is asked of that field."""
    others = [one for one in asked.fields or () if parse_condition(one).name != asked.of]
    filters = asked.model_copy(update={"fields": others or None})
    search = await _search(session, project, storage, filters)
    found, exact = await search.values(asked.of, _MOST_VALUES)
    items = [FieldValue(value=value, count=count) for value, count in (found or {}).items()]
    return FieldValues(items=items, many=found is None, exact=exact)


async def _search(
    session: AsyncSession, project: Project, storage: Storage, filters: Filters
) -> Search:
    table = await scores_for(session, project, storage, filters)
    asked = await members(session, project, storage, filters)
    similar = await rankings.similarity(session, project, storage, filters)
    # What was found by its likeness is acted on in that order.
    sort: Sort = "pool_index" if similar is None else "-similarity"
    words = await searched(session, project, filters)
    return Search(session, project, filters, table, sort, asked, similar, words=words)


def shown(
    row: Any,
    table: ScoreTable | None,
    similarity: Ranking | None = None,
    isolation: Ranking | None = None,
) -> dict[str, Any]:
    """What is shown of a row of an example, with its scores."""
    at = table.find(row.pool_index) if table else None
    scores: dict[str, Any] = dict.fromkeys((*COLUMNS, "predicted_class_id"))
    if table is not None and at is not None:
        for name, column in table.columns.items():
            value = float(column[at])
            scores[name] = None if value != value else value
        scores["predicted_class_id"] = table.predicted_class(at)
    return {
        **row._asdict(),
        "fields": fields_of(row.fields),
        "whole_label": label_of(row.whole_label),
        **scores,
        "similarity": None if similarity is None else similarity.of(row.pool_index),
        "isolation": None if isolation is None else isolation.of(row.pool_index),
        "image_url": image_url(row.id, is_text=row.width is None),
    }


async def _row(session: AsyncSession, project: Project, example_id: int) -> Any:
    statement = SHOWN.where(Example.project_id == project.id, Example.id == example_id)
    row = (await session.execute(statement)).one_or_none()
    if row is None:
        raise NotFound("image")
    return row


async def show_example(
    session: AsyncSession, project: Project, storage: Storage, example_id: int
) -> ExampleDetail:
    """All that is known of one example."""
    row = await _row(session, project, example_id)
    example = await session.get_one(Example, example_id)
    table = await scores_if_there(session, project, storage)
    return ExampleDetail(
        **shown(row, table),
        media_type=example.media_type,
        bytes=example.bytes,
        sha256=example.content_hash.hex(),
        location=example.location,
        meta=example.meta,
        import_id=example.import_id,
        scores_round=table.number if table else None,
        annotations=await _annotations(session, example_id),
        places=await _places(session, example_id),
    )


async def _annotations(session: AsyncSession, example_id: int) -> list[AnnotationOut]:
    later = aliased(Annotation)
    statement = (
        select(
            Annotation,
            User.name.label("annotator"),
            Round.number.label("round"),
            holds().label("holds"),
            later.id.label("superseded_by"),
            seen_as().label("seen_as"),
            CertificateLot,
        )
        .outerjoin(CertificateLot, CertificateLot.id == Annotation.lot_id)
        .outerjoin(User, User.id == Annotation.annotator_id)
        .outerjoin(Round, Round.id == Annotation.round_id)
        .outerjoin(later, later.supersedes_id == Annotation.id)
        .where(Annotation.example_id == example_id)
        .order_by(Annotation.id.desc())
        .limit(_LATEST)
    )
    return [
        AnnotationOut(
            id=one.id,
            verdict=one.verdict,
            class_id=one.class_id,
            label=label_of(one.label),
            source=one.source,
            source_name=one.source_name,
            annotator_id=one.annotator_id,
            annotator=annotator,
            round=number,
            job_id=one.job_id,
            seconds=one.seconds,
            counted=one.counted,
            holds=held,
            supersedes_id=one.supersedes_id,
            superseded_by=by,
            seen_as=seen,
            note=one.note,
            probability=one.probability,
            lot=None if lot is None else _lot(lot),
            created_at=one.created_at,
        )
        for one, annotator, number, held, by, seen, lot in await session.execute(statement)
    ]


def _lot(lot: CertificateLot) -> LotOut:
    band = LotBand(low=lot.low, high=lot.high)
    return LotOut(id=lot.id, certificate_id=lot.certificate_id, band=band, bound=lot.bound)


async def _places(session: AsyncSession, example_id: int) -> list[PlaceOut]:
    statement = (
        select(Query, Round.number, Round.state)
        .join(Round, Round.id == Query.round_id)
        .where(Query.example_id == example_id)
        .order_by(Round.number.desc(), Query.id.desc())
        .limit(_LATEST)
    )
    return [
        PlaceOut(
            round=number,
            round_state=state,
            rank=query.rank,
            done=query.done,
            requested=query.requested,
            again=query.again_after is not None,
            purity=query.purity,
            informativeness=query.informativeness,
            meta_score=query.meta_score,
        )
        for query, number, state in await session.execute(statement)
    ]


async def neighbours(
    session: AsyncSession, project: Project, storage: Storage, example_id: int, limit: int
) -> Neighbours:
    """The images that are most similar to one, of all splits.

    Raises:
        Conflict: No features of the pool are kept, or none of this image yet.
    """
    row = await _row(session, project, example_id)
    features = features_of(storage, project)
    found = await to_thread.run_sync(
        nearest, features, row.pool_index, limit, limiter=rankings.SEARCHES
    )
    table = await scores_if_there(session, project, storage)
    statement = SHOWN.where(
        Example.project_id == project.id, among(Example.pool_index, list(found))
    )
    rows = {one.pool_index: one for one in await session.execute(statement)}
    return Neighbours(
        features=features.name,
        items=[
            Neighbour(**{**shown(rows[index], table), "similarity": similarity})
            for index, similarity in found.items()
            if index in rows
        ],
    )
