"""Annotations, a row each, which leave as they are read: memory does not grow with their number."""

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import Any, Final

from anyio import to_thread
from sqlalchemy import (
    ColumnElement,
    Select,
    String,
    and_,
    case,
    cast,
    exists,
    func,
    or_,
    select,
    true,
    tuple_,
)
from sqlalchemy.ext.asyncio import AsyncSession, async_sessionmaker
from sqlalchemy.orm import aliased

from api.exports.part import Part, after, among_few
from api.exports.portions import stored_bytes, within_bytes
from api.exports.texts import TEXT, with_texts
from api.transfers.streams import csv_of
from core.database.among import among
from core.states import ExampleState, Source, Verdict
from core.tables import Annotation, CertificateLot, Example, ProjectClass, Query, Round, User
from core.tasks.registry import label_of, written
from core.verdicts.class_names import seen_as
from core.verdicts.consensus import EXAMPLE_STATE_AFTER, by_people, holds
from core.withdrawals import is_kept

COLUMNS = (
    "annotation_id", "example_id", "pool_index", "name", "sha256", "verdict", "class", "seen_as",
    "effective", "holds", "counted", "source", "annotator", "round", "seconds", "cost", "purity",
    "informativeness", "meta_score", "key", "supersedes", "created_at", "probability", "lot",
    "bound", "note",
)  # fmt: skip
BY_MODEL: Final = "model"
"""Who annotates by a certificate, where others have an address or the name of a column."""
_FETCH = 1000


def speaks() -> ColumnElement[bool]:
    """Condition: the annotation is part of what its image counts as, so that a copy needs it.

    It holds, and no review that holds has overruled it, nor of a model's any person.
    """
    review = aliased(Annotation)
    # Of reviews the latest holds: one that is said again in the place of an undone one is as old as
    # it was.
    later = tuple_(review.created_at, review.id) > tuple_(Annotation.created_at, Annotation.id)
    overruled = exists().where(
        review.example_id == Annotation.example_id,
        review.source == Source.REVIEW,
        review.verdict != Verdict.SKIP,
        or_(Annotation.source != Source.REVIEW, later),
        holds(review),
    )
    return and_(holds(), ~overruled, ~_takes_back(), _heard())


def _takes_back(annotation: type[Annotation] = Annotation) -> ColumnElement[bool]:
    """Condition: a skip that takes back a review, or a model's; nobody skipped the image."""
    by_others = annotation.source.in_((Source.REVIEW, Source.MODEL))
    return and_(by_others, annotation.verdict == Verdict.SKIP)


def _heard() -> ColumnElement[bool]:
    """Condition: a person's, or a model's where no person has said anything."""
    return or_(Annotation.source != Source.MODEL, ~by_people(Annotation.example_id))


@dataclass(frozen=True)
class Table:
    """Whose annotations leave, and how.

    Attributes:
        sessions: Makes a session for each block.
        project_id: The project.
        classes: Names of its classes by their ids.
        by_class: Whether its labels are one class each. Others may amount to a label that nobody
            gave: then one of those who have a label stands for all, and ``class`` of the effective
            alone is what the example counts as.
        only_effective: Only the one of each example that holds, in place of all annotations.
        texts: Whether each has all of its text in the column ``text``.
        people_only: Whether what models have labeled under certificates is left out.
        between: Only annotations above the first id and up to the second.
        part: Of which examples the annotations are; of all if None.
    """

    sessions: async_sessionmaker[AsyncSession]
    project_id: int
    classes: Mapping[int, str]
    by_class: bool = True
    only_effective: bool = False
    texts: bool = False
    people_only: bool = False
    between: tuple[int, int] | None = None
    part: Part | None = None

    async def blocks(self) -> AsyncIterator[Sequence[Any]]:
        """Annotations as ``columns`` has them, some hundreds at a time.

        The oldest first, up to the newest that there is when it begins; of those that hold alone in
        the order of the pool, so that each example is there once, as it was when its block was
        read, whatever is said of it meanwhile.

        Each block is a transaction of its own: a slow reader holds neither a connection nor an old
        snapshot, which would slow the queue.
        """
        blocks = self._that_hold() if self.only_effective else self._said()
        async for block in blocks:
            yield block

    async def _said(self) -> AsyncIterator[Sequence[Any]]:
        last, newest = self.between or (0, await self._newest())
        while True:
            within = (
                Annotation.project_id == self.project_id,
                Annotation.id > last,
                Annotation.id <= newest,
                *among_few(self.part, self.project_id),
            )
            async with self.sessions() as session:
                end, block = await self._block(session, Annotation.id, within)
            if end is None:
                return
            last = end
            if block:
                yield block

    async def _newest(self) -> int:
        async with self.sessions() as session:
            return await session.scalar(select(func.max(Annotation.id))) or 0

    async def _that_hold(self) -> AsyncIterator[Sequence[Any]]:
        last: int | None = -1
        while last is not None:
            inside, looked = after(self.part, last)
            async with self.sessions() as session:
                # What holds is asked several times.
                await session.connection(execution_options={"isolation_level": "REPEATABLE READ"})
                answered = (await session.execute(_answered(self.project_id, inside))).all()
                within = (among(Annotation.example_id, [row.id for row in answered]),)
                end, block = await self._block(session, Example.pool_index, within)
            if not answered:
                last = looked
                continue
            last = answered[-1].pool_index if end is None else end
            if block:
                yield block

    async def _block(
        self, session: AsyncSession, place: Any, within: Sequence[ColumnElement[bool]]
    ) -> tuple[int | None, Sequence[Any]]:
        """How far it was looked, None if there is nothing more, and what was found of the part."""
        # One statement for both would be planned for a single row: how many hold nobody can tell.
        first = (await session.execute(_first(self, place, within))).all()
        ids = [row.id for row in first]
        if self.part is not None:
            ids = list(compress(ids, self.part.holds([row.pool_index for row in first])))
        found: Sequence[Any] = []
        if ids:
            found = (await session.execute(_annotations(self, place, ids))).all()
        return first[-1].place if first else None, found


def is_effective(by_class: bool) -> ColumnElement[bool]:
    """Condition: of the annotations that say what the example counts as, the latest."""
    later = aliased(Annotation)
    state = case(
        {verdict.value: state.value for verdict, state in EXAMPLE_STATE_AFTER.items()},
        value=cast(Annotation.verdict, String),
    )
    # A skipped example may stand in a queue again.
    same = Annotation.label.is_not_distinct_from(Example.label) if by_class else true()
    says = or_(
        and_(cast(Example.state, String) == state, same),
        and_(Annotation.verdict == Verdict.SKIP, Example.state == ExampleState.QUERIED),
    )
    same_later = exists().where(
        later.example_id == Annotation.example_id,
        later.id > Annotation.id,
        later.verdict == Annotation.verdict,
        later.label.is_not_distinct_from(Annotation.label) if by_class else true(),
        ~_takes_back(later),
        holds(later),
    )
    return and_(holds(), says, ~same_later, ~_takes_back(), _heard())


def _answered(project_id: int, inside: ColumnElement[bool]) -> Select[int, int]:
    """Ids and pool indices of the first examples ``inside`` of which something was said."""
    said = exists().where(Annotation.example_id == Example.id)
    return (
        select(Example.id, Example.pool_index)
        .where(Example.project_id == project_id, inside, said, is_kept())
        .order_by(Example.pool_index)
        .limit(_FETCH)
    )


def _first(table: Table, place: Any, within: Sequence[ColumnElement[bool]]) -> Select[Any]:
    """The first annotations ``within``: ids, ``place``, by which they come, and pool indices."""
    first = (
        select(
            Annotation.id,
            Example.pool_index,
            place.label("place"),
            stored_bytes(_label(table)).label("bytes"),
        )
        .join(Example, Example.id == Annotation.example_id)
        .where(*within, is_kept())
        .order_by(place)
        .limit(_FETCH)
    )
    if table.people_only:
        first = first.where(Annotation.source != Source.MODEL)
    if table.only_effective:
        first = first.where(is_effective(table.by_class))
    fitting = within_bytes(first.subquery(), "place")
    return select(fitting.c.id, fitting.c.place, fitting.c.pool_index).order_by(fitting.c.place)


def _annotations(table: Table, place: Any, ids: Sequence[int]) -> Select[Any]:
    """Annotations by ``place``; ``effective`` marks one of each example, if any.

    After ``COLUMNS`` come the bytes of the example.
    """
    effective = is_effective(table.by_class)
    found = columns(ProjectClass.name, seen_as(), effective, speaks(), _label(table))
    return found.where(among(Annotation.id, ids)).order_by(place)


def _label(table: Table) -> Any:
    is_agreed = table.only_effective and not table.by_class
    return Example.label if is_agreed else Annotation.label


def columns(class_name: Any, seen: Any, effective: Any, speaking: Any, label: Any) -> Select[Any]:
    """Annotations as ``COLUMNS`` say, then the label and the bytes of the example.

    Args:
        class_name: Name of the class of each, where the database knows it.
        seen: What it was called to whoever said it, where that is something else.
        effective: Whether it says what its example counts as.
        speaking: Whether it is part of that.
        label: Its label, or that of the example.
    """
    earlier = aliased(Annotation)
    return (
        select(
            Annotation.id,
            Annotation.example_id,
            Example.pool_index,
            Example.name,
            func.encode(Example.content_hash, "hex"),
            Annotation.verdict,
            class_name,
            seen,
            effective,
            speaking,
            Annotation.counted,
            Annotation.source,
            func.coalesce(
                User.email,
                Annotation.source_name,
                case((Annotation.source == Source.MODEL, BY_MODEL)),
            ),
            Round.number,
            Annotation.seconds,
            Annotation.cost,
            Query.purity,
            Query.informativeness,
            Query.meta_score,
            Annotation.client_key,
            earlier.client_key,
            Annotation.created_at,
            Annotation.probability,
            Annotation.lot_id,
            CertificateLot.bound,
            Annotation.note,
            label,
            Example.bytes,
        )
        .join(Example, Example.id == Annotation.example_id)
        .outerjoin(Query, Query.id == Annotation.query_id)
        .outerjoin(Round, Round.id == Annotation.round_id)
        .outerjoin(User, User.id == Annotation.annotator_id)
        .outerjoin(ProjectClass, ProjectClass.id == Annotation.class_id)
        .outerjoin(earlier, earlier.id == Annotation.supersedes_id)
        .outerjoin(CertificateLot, CertificateLot.id == Annotation.lot_id)
        .where(is_kept())
    )


async def rows(table: Table) -> AsyncIterator[list[dict[str, Any]]]:
    """Annotations in blocks, JSON-ready."""
    async for block in table.blocks():
        # Thousands of boxes take a while to read, and requests are not to wait for it.
        found = await to_thread.run_sync(_rows, table, block)
        if not table.texts:
            yield found
            continue
        sizes = (row[-1] for row in block)
        async for some in with_texts(table.sessions, list(zip(found, sizes, strict=True))):
            yield some


def _rows(table: Table, block: Sequence[Any]) -> list[dict[str, Any]]:
    return [_row(table, *row) for *row, _ in block]


def _row(table: Table, *values: Any) -> dict[str, Any]:
    *columns, label = values
    row = dict(zip(COLUMNS, columns, strict=True))
    return {
        **row,
        "verdict": row["verdict"].in_files,
        # Of one class the database has found its name.
        "class": row["class"]
        if label is None
        else row["class"] or written(label_of(label), table.classes),
        "key": str(row["key"]),
        "supersedes": str(row["supersedes"]) if row["supersedes"] else None,
        "created_at": row["created_at"].isoformat(),
        "bound": row["bound"] if table.part is None else None,
    }


def as_csv(table: Table, *, bom: bool = False) -> AsyncIterator[str]:
    columns = (*COLUMNS, TEXT) if table.texts else COLUMNS
    blocks = ([[row[name] for name in columns] for row in block] async for block in rows(table))
    return csv_of(columns, blocks, bom=bom)


async def as_jsonl(table: Table) -> AsyncIterator[str]:
    async for block in rows(table):
        yield "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in block)
