"""Instruction data as tuning libraries read it, and what people said of its rows."""

import json
from collections import defaultdict
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final

import pyarrow as pa
from anyio import to_thread
from sqlalchemy import ColumnElement, and_, func, select
from sqlalchemy.ext.asyncio import AsyncSession, async_sessionmaker

from api.exports.parquet import parquet_of
from api.exports.part import after
from api.exports.records import Images
from api.exports.taken import TakenImages, TakenVotes, taken_rows
from api.exports.texts import within_memory
from core.database.among import among
from core.states import ExampleState, Split
from core.tables import Annotation, Example, ExampleText, Query, QueryMember, Round, User
from core.tasks.instruction_lines import as_alpaca, as_messages
from core.tasks.instruction_rows import InstructionRow
from core.tasks.instructions import RankingLabel
from core.tasks.registry import label_of
from core.verdicts.consensus import Vote, consensus, votes
from core.verdicts.groups import of_group
from core.withdrawals import is_kept

Sessions = async_sessionmaker[AsyncSession]
Line = Callable[[InstructionRow], Iterator[dict[str, Any]]]
_FETCH: Final = 500
_TURN: Final = pa.struct([("role", pa.string()), ("content", pa.string())])
_SCHEMA: Final = pa.schema(
    {
        "system": pa.string(),
        "instruction": pa.string(),
        "input": pa.string(),
        "output": pa.string(),
        "responses": pa.list_(pa.string()),
        "messages": pa.list_(_TURN),
        "split": pa.string(),
        "state": pa.string(),
        "wrong": pa.bool_(),
        "example_id": pa.int64(),
        "pool_index": pa.int64(),
        "name": pa.string(),
        "sha256": pa.string(),
        "meta": pa.string(),
    }
)


async def _rows(images: Images) -> AsyncIterator[list[Any]]:
    """Rows of a project in order of import with their parts, some megabytes at a time."""
    blocks = taken_rows(images) if isinstance(images, TakenImages) else _present(images)
    async for block in blocks:
        for some in within_memory(block, lambda one: one.bytes):
            parts = await _fields(images.sessions, [one.id for one in some])
            yield [(one, parts[one.id]) for one in some if one.id in parts]


async def _present(images: Images) -> AsyncIterator[Sequence[Any]]:
    """Rows as they are now; each block by itself."""
    last: int | None = -1
    columns = (
        Example.id, Example.pool_index, Example.name, Example.content_hash, Example.split,
        Example.state, Example.label, Example.meta, Example.bytes,
    )  # fmt: skip
    while last is not None:
        inside, end = after(images.part, last)
        statement = (
            select(*columns)
            .where(Example.project_id == images.project_id, inside, is_kept())
            .order_by(Example.pool_index)
            .limit(_FETCH)
        )
        async with images.sessions() as session:
            found = (await session.execute(statement)).all()
        last = found[-1].pool_index if found else end
        if found:
            yield found


async def _fields(sessions: Sessions, ids: Sequence[int]) -> Mapping[int, InstructionRow]:
    statement = select(ExampleText.example_id, ExampleText.fields).where(
        among(ExampleText.example_id, ids), ExampleText.fields.is_not(None)
    )
    async with sessions() as session:
        found = (await session.execute(statement)).all()
    return {id_: InstructionRow.model_validate(fields) for id_, fields in found}


def _is_wrong(row: Any) -> bool:
    label = label_of(row.label)
    return isinstance(label, RankingLabel) and row.id in label.wrong


def _is_good(row: Any) -> bool:
    """Whether nobody has said that a row is wrong, or does not belong there."""
    return row.split is Split.POOL and row.state is not ExampleState.OOD and not _is_wrong(row)


async def as_lines(images: Images, line: Line) -> AsyncIterator[str]:
    """Rows of the pool as JSON Lines, without those that people called wrong or OOD.

    Args:
        images: Which.
        line: What a row is in the format.
    """
    async for block in _rows(images):
        good = [parts for row, parts in block if _is_good(row)]
        yield "".join(
            f"{json.dumps(one, ensure_ascii=False)}\n" for parts in good for one in line(parts)
        )


ALPACA: Final[Line] = as_alpaca
MESSAGES: Final[Line] = as_messages


def as_parquet(images: Images) -> AsyncIterator[bytes]:
    """Every row with what is known of it, as Hugging Face's ``datasets`` reads it."""

    async def tables() -> AsyncGenerator[Callable[[], pa.Table]]:
        async for block in _rows(images):
            if rows := [_columns(row, parts) for row, parts in block]:
                yield partial(pa.Table.from_pylist, rows, _SCHEMA)

    return parquet_of(_SCHEMA, tables(), images.part, compression="zstd")


def _columns(row: Any, parts: InstructionRow) -> dict[str, Any]:
    return {
        "system": parts.system,
        "instruction": parts.instruction,
        "input": parts.input,
        "output": parts.responses[0],
        "responses": list(parts.responses),
        "messages": next(as_messages(parts))["messages"],
        "split": row.split.value,
        "state": row.state.value,
        "wrong": _is_wrong(row),
        "example_id": row.id,
        "pool_index": row.pool_index,
        "name": row.name,
        "sha256": row.content_hash.hex(),
        "meta": json.dumps(row.meta, ensure_ascii=False),
    }


async def as_rankings(images: Images) -> AsyncIterator[str]:
    """What people were asked to rank, and what they said: a line for each group."""
    sessions = images.sessions
    taken = None
    if isinstance(images, TakenImages):
        taken = await to_thread.run_sync(TakenVotes, images)
    for number, round_id in await _rounds(sessions, images.project_id):
        groups = await _groups(sessions, round_id)
        if taken is not None:
            groups = taken.asked(groups)
        for start in range(0, len(groups), _FETCH):
            some = groups[start : start + _FETCH]
            ids = None if taken is None else taken.of([one.example_id for one in some])
            yield await _told(images, number, round_id, some, ids)


async def _rounds(sessions: Sessions, project_id: int) -> Sequence[Any]:
    statement = (
        select(Round.number, Round.id).where(Round.project_id == project_id).order_by(Round.number)
    )
    async with sessions() as session:
        return (await session.execute(statement)).all()


async def _groups(sessions: Sessions, round_id: int) -> Sequence[Any]:
    """The first query of each group of a round, and the example that its verdicts are on."""
    statement = (
        select(func.min(Query.id).label("query_id"), Query.example_id)
        .where(Query.round_id == round_id)
        .group_by(Query.example_id)
        .order_by(func.min(Query.id))
    )
    async with sessions() as session:
        return (await session.execute(statement)).all()


async def _told(
    images: Images,
    number: int,
    round_id: int,
    groups: Sequence[Any],
    among_ids: Sequence[int] | None,
) -> str:
    """Lines of some groups of a round, by the annotations of ``among_ids`` if they are given.

    A group is of a part if one of its rows is.
    """

    def counts(one: type[Annotation]) -> ColumnElement[bool]:
        inside = one.round_id == round_id
        return inside if among_ids is None else and_(inside, among(one.id, among_ids))

    members = (
        select(QueryMember.query_id, QueryMember.example_id, Example.name, Example.pool_index)
        .join(Example, Example.id == QueryMember.example_id)
        .where(among(QueryMember.query_id, [one.query_id for one in groups]))
        .order_by(QueryMember.query_id, QueryMember.place)
    )
    said = (
        votes(counts)
        .add_columns(Annotation.seconds, Annotation.created_at, Annotation.note, User.email)
        .outerjoin(User, User.id == Annotation.annotator_id)
        .where(among(Annotation.example_id, [one.example_id for one in groups]), of_group())
    )
    held: dict[int, list[Any]] = defaultdict(list)
    given: dict[int, list[Any]] = defaultdict(list)
    async with images.sessions() as session:
        for row in await session.execute(members):
            held[row.query_id].append(row)
        for row in await session.execute(said):
            given[row.example_id].append(row)
    if images.part is not None:
        held = {
            id_: rows
            for id_, rows in held.items()
            if any(images.part.holds([row.pool_index for row in rows]))
        }
    ids = [row.example_id for rows in held.values() for row in rows]
    parts = await _fields(images.sessions, ids)
    lines = (
        _group(number, held[one.query_id], given[one.example_id], parts)
        for one in groups
        if one.query_id in held
    )
    return "".join(f"{json.dumps(one, ensure_ascii=False)}\n" for one in lines)


def _group(
    number: int, members: Sequence[Any], said: Sequence[Any], parts: Mapping[int, InstructionRow]
) -> dict[str, Any]:
    agreed = consensus(Vote.of(row) for row in said)
    return {
        "round": number,
        "rows": [
            {
                "example_id": one.example_id,
                "name": one.name,
                **parts[one.example_id].model_dump(mode="json"),
            }
            for one in members
            if one.example_id in parts
        ],
        **_said(agreed),
        "votes": [
            {
                "annotator": row.email or row.source_name,
                "source": row.source.value,
                **_said(Vote.of(row)),
                "seconds": row.seconds,
                "created_at": row.created_at.isoformat(),
                "note": row.note,
            }
            for row in said
        ],
    }


def _said(vote: Vote | None) -> dict[str, Any]:
    """A verdict, and the ranking if it is one."""
    label = None if vote is None else vote.label
    is_ranking = isinstance(label, RankingLabel)
    return {
        "verdict": None if vote is None else "ranking" if is_ranking else vote.verdict.in_files,
        "order": label.order if isinstance(label, RankingLabel) else None,
        "wrong": label.wrong if isinstance(label, RankingLabel) else None,
    }
