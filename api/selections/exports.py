"""Streamed exports of a selection."""

import json
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
from anyio import to_thread
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession, async_sessionmaker

from api.exports.parquet import parquet_of
from api.exports.texts import within_memory
from api.transfers.streams import in_threads
from core.artifacts.selections import SCHEMA, read_columns, selection_batches
from core.database.among import among
from core.tables import Example, ExampleText
from core.tasks.instruction_lines import as_alpaca, as_messages
from core.tasks.instruction_rows import InstructionRow

_AT_ONCE: Final = 1024
_TURNS: Final = pa.list_(pa.struct([("role", pa.string()), ("content", pa.string())]))
_ROW: Final = {
    "name": pa.string(),
    "system": pa.string(),
    "instruction": pa.string(),
    "input": pa.string(),
    "output": pa.string(),
    "responses": pa.list_(pa.string()),
    "messages": _TURNS,
}
Sessions = async_sessionmaker[AsyncSession]


def _kept(path: Path) -> list[int]:
    """Ids of the kept rows, in the order of the pool."""
    columns = read_columns(path, "example_id", "pool_index", "kept")
    kept = columns["kept"]
    order = np.argsort(columns["pool_index"][kept], kind="stable")
    ids: list[int] = columns["example_id"][kept][order].tolist()
    return ids


async def as_ids(path: Path) -> AsyncIterator[str]:
    """The kept rows: one id of an example a line."""
    ids = await to_thread.run_sync(_kept, path)
    for piece in _pieces(ids):
        yield "".join(f"{one}\n" for one in piece)


async def as_alpaca_lines(sessions: Sessions, path: Path) -> AsyncIterator[str]:
    """The kept rows as JSONL with instruction, input and output."""
    async for lines in _lines(sessions, path, as_alpaca):
        yield lines


async def as_message_lines(sessions: Sessions, path: Path) -> AsyncIterator[str]:
    """The kept rows as JSONL of chats."""
    async for lines in _lines(sessions, path, as_messages):
        yield lines


async def _lines(
    sessions: Sessions, path: Path, write: Callable[[InstructionRow], Iterator[dict[str, Any]]]
) -> AsyncIterator[str]:
    ids = await to_thread.run_sync(_kept, path)
    for piece in _pieces(ids):
        async for some in _within_memory(sessions, piece):
            found = await _rows(sessions, some)
            rows = (found[one][1] for one in some if one in found)
            yield "".join(
                json.dumps(line, ensure_ascii=False) + "\n" for row in rows for line in write(row)
            )


async def _within_memory(sessions: Sessions, ids: list[int]) -> AsyncIterator[list[int]]:
    """Ids in pieces whose rows are some megabytes together."""
    statement = select(Example.id, Example.bytes).where(among(Example.id, ids))
    async with sessions() as session:
        sizes: dict[int, int] = dict((await session.execute(statement)).all())
    for some in within_memory(ids, lambda one: sizes.get(one, 0)):
        yield some


def as_parquet(sessions: Sessions, path: Path, *, everything: bool) -> AsyncIterator[bytes]:
    """The kept rows, or all, as Hugging Face's libraries read them, with what became of each."""
    schema = pa.schema([*_ROW.items(), *SCHEMA])

    async def tables() -> AsyncGenerator[Callable[[], pa.Table]]:
        async for table in in_threads(selection_batches(path, kept=not everything)):
            columns = {row["example_id"]: row for row in table.to_pylist()}
            async for some in _within_memory(sessions, list(columns)):
                found = await _rows(sessions, some)
                rows = [_described(columns[one], found.get(one)) for one in some]
                yield partial(pa.Table.from_pylist, rows, schema)

    return parquet_of(schema, tables(), compression="zstd")


def _described(row: Mapping[str, Any], found: tuple[str, InstructionRow] | None) -> dict[str, Any]:
    if found is None:
        return dict(row)
    name, content = found
    (messages, *_) = (line["messages"] for line in as_messages(content))
    return {
        **row,
        "name": name,
        "system": content.system,
        "instruction": content.instruction,
        "input": content.input,
        "output": content.responses[0],
        "responses": list(content.responses),
        "messages": messages,
    }


def _pieces(ids: list[int]) -> Iterator[list[int]]:
    for start in range(0, len(ids), _AT_ONCE):
        yield ids[start : start + _AT_ONCE]


async def _rows(sessions: Sessions, ids: list[int]) -> dict[int, tuple[str, InstructionRow]]:
    """Name and content of rows; those that were deleted since are missing."""
    statement = (
        select(Example.id, Example.name, ExampleText.fields)
        .join(ExampleText, ExampleText.example_id == Example.id)
        .where(among(Example.id, ids), ExampleText.fields.is_not(None))
    )
    async with sessions() as session:
        found = (await session.execute(statement)).all()
    return {id_: (name, InstructionRow.model_validate(fields)) for id_, name, fields in found}
