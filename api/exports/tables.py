"""Annotations, a row each, which leave as they are read: memory does not grow with their number."""

import csv
import io
import json
from collections.abc import AsyncIterator
from typing import Any

from sqlalchemy import ColumnElement, Select, String, and_, case, cast, exists, func, or_, select
from sqlalchemy.ext.asyncio import AsyncSession, async_sessionmaker
from sqlalchemy.orm import aliased

from api.exports.texts import TEXT, with_texts
from core.class_names import seen_as
from core.consensus import holds
from core.csv_escape import BOM, plain
from core.lifecycle import EXAMPLE_STATE_AFTER
from core.states import ExampleState, Source, Verdict
from core.tables import Annotation, Example, ProjectClass, Query, Round, User
from core.tasks.registry import label_of, written

COLUMNS = (
    "annotation_id", "example_id", "pool_index", "name", "sha256", "verdict", "class", "seen_as",
    "effective", "holds", "counted", "source", "annotator", "round", "seconds", "cost", "purity",
    "informativeness", "meta_score", "key", "supersedes", "created_at",
)  # fmt: skip
_FETCH = 1000


def speaks() -> ColumnElement[bool]:
    """Condition: the annotation is part of what its image counts as, so that a copy needs it.

    It holds, and no review that holds has overruled it.
    """
    review = aliased(Annotation)
    overruled = exists().where(
        review.example_id == Annotation.example_id,
        review.source == Source.REVIEW,
        review.verdict != Verdict.SKIP,
        or_(Annotation.source != Source.REVIEW, review.id > Annotation.id),
        holds(review),
    )
    # A review that is taken back is a skip, and nobody skipped the image.
    taken_back = and_(Annotation.source == Source.REVIEW, Annotation.verdict == Verdict.SKIP)
    return and_(holds(), ~overruled, ~taken_back)


def _effective() -> ColumnElement[bool]:
    """Condition: of the annotations that say what the example counts as, the latest."""
    later = aliased(Annotation)
    state = case(
        {verdict.value: state.value for verdict, state in EXAMPLE_STATE_AFTER.items()},
        value=cast(Annotation.verdict, String),
    )
    # A skipped example may stand in a queue again.
    says = or_(
        and_(
            cast(Example.state, String) == state,
            Annotation.label.is_not_distinct_from(Example.label),
        ),
        and_(Annotation.verdict == Verdict.SKIP, Example.state == ExampleState.QUERIED),
    )
    same_later = exists().where(
        later.example_id == Annotation.example_id,
        later.id > Annotation.id,
        later.verdict == Annotation.verdict,
        later.label.is_not_distinct_from(Annotation.label),
        holds(later),
    )
    return and_(holds(), says, ~same_later)


def _annotations(project_id: int, *, only_effective: bool) -> Select[Any]:
    """Every annotation, oldest first; ``effective`` marks one of each example, if it has any.

    After ``COLUMNS`` come the bytes of the example.
    """
    which = [Annotation.project_id == project_id, *([_effective()] if only_effective else [])]
    earlier = aliased(Annotation)
    return (
        select(
            Annotation.id,
            Annotation.example_id,
            Example.pool_index,
            Example.name,
            func.encode(Example.content_hash, "hex"),
            Annotation.verdict,
            ProjectClass.name,
            seen_as(),
            _effective(),
            speaks(),
            Annotation.counted,
            Annotation.source,
            func.coalesce(User.email, Annotation.source_name),
            Round.number,
            Annotation.seconds,
            Annotation.cost,
            Query.purity,
            Query.informativeness,
            Query.meta_score,
            Annotation.client_key,
            earlier.client_key,
            Annotation.created_at,
            Annotation.label,
            Example.bytes,
        )
        .join(Example, Example.id == Annotation.example_id)
        .outerjoin(Query, Query.id == Annotation.query_id)
        .outerjoin(Round, Round.id == Annotation.round_id)
        .outerjoin(User, User.id == Annotation.annotator_id)
        .outerjoin(ProjectClass, ProjectClass.id == Annotation.class_id)
        .outerjoin(earlier, earlier.id == Annotation.supersedes_id)
        .where(*which)
        .order_by(Annotation.id)
        .limit(_FETCH)
    )


async def rows(
    sessions: async_sessionmaker[AsyncSession],
    project_id: int,
    *,
    only_effective: bool = False,
    texts: bool = False,
) -> AsyncIterator[list[dict[str, Any]]]:
    """Annotations in blocks, JSON-ready; all of them, or the one of each example that holds.

    Each block is a transaction of its own: a slow reader holds neither a connection nor an old
    snapshot, which would slow the queue. What is answered during the download is in it or not. With
    ``texts`` each has all of its text in the column ``text``.
    """
    last = 0
    while True:
        async with sessions() as session:
            statement = _annotations(project_id, only_effective=only_effective)
            statement = statement.where(Annotation.id > last)
            block = (await session.execute(statement)).all()
        if not block:
            return
        last = block[-1][0]
        found = [_row(*row) for *row, _ in block]
        if not texts:
            yield found
            continue
        sizes = (row[-1] for row in block)
        async for some in with_texts(sessions, list(zip(found, sizes, strict=True))):
            yield some


def _row(*values: Any) -> dict[str, Any]:
    *columns, label = values
    row = dict(zip(COLUMNS, columns, strict=True))
    return {
        **row,
        # Of one class the database has found its name.
        "class": row["class"] if label is None else row["class"] or written(label_of(label), {}),
        "key": str(row["key"]),
        "supersedes": str(row["supersedes"]) if row["supersedes"] else None,
        "created_at": row["created_at"].isoformat(),
    }


async def as_csv(
    sessions: async_sessionmaker[AsyncSession],
    project_id: int,
    *,
    only_effective: bool = False,
    bom: bool = False,
    texts: bool = False,
) -> AsyncIterator[str]:
    text = io.StringIO()
    text.write(BOM if bom else "")
    writer = csv.DictWriter(text, (*COLUMNS, TEXT) if texts else COLUMNS)
    writer.writeheader()
    yield text.getvalue()
    async for block in rows(sessions, project_id, only_effective=only_effective, texts=texts):
        text.seek(0)
        text.truncate()
        writer.writerows({name: plain(value) for name, value in row.items()} for row in block)
        yield text.getvalue()


async def as_jsonl(
    sessions: async_sessionmaker[AsyncSession],
    project_id: int,
    *,
    only_effective: bool = False,
    texts: bool = False,
) -> AsyncIterator[str]:
    async for block in rows(sessions, project_id, only_effective=only_effective, texts=texts):
        yield "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in block)
