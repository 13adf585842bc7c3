"""Streamed exports of a subset."""

import csv
import io
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Final

from anyio import to_thread
from sqlalchemy import ARRAY, BigInteger, any_, bindparam, select
from sqlalchemy.ext.asyncio import AsyncSession, async_sessionmaker

from api.exports.service import LabeledImage
from core.cells import plain_row
from core.originals import ORIGINAL, Original
from core.subsets import subset_batches, subset_columns
from core.tables import Example, ProjectClass

# What the file has as numbers, and where people read names.
_NAMES: Final = {"class_id": "class", "true_class_id": "true_class"}
_ADDED: Final = ("name", "sha256")


async def _batches(path: Path) -> AsyncIterator[dict[str, list[Any]]]:
    """The pieces of a subset, read without holding up other requests."""
    pieces = subset_batches(path)
    while (piece := await to_thread.run_sync(next, pieces, None)) is not None:
        yield piece


async def _kept(path: Path) -> AsyncIterator[dict[str, list[Any]]]:
    """Its pieces as long as they are kept: those come first."""
    async for piece in _batches(path):
        count = sum(rank is not None for rank in piece["rank"])
        yield {name: values[:count] for name, values in piece.items()}
        if count < len(piece["rank"]):
            return


async def as_ids(path: Path) -> AsyncIterator[str]:
    """One id a line, the first to keep first."""
    async for piece in _kept(path):
        yield "".join(f"{one}\n" for one in piece["example_id"])


async def as_csv(
    sessions: async_sessionmaker[AsyncSession], project_id: int, path: Path
) -> AsyncIterator[str]:
    """All rows; an empty rank means dropped. Classes and files are named."""
    stored = await to_thread.run_sync(subset_columns, path)
    columns = ("example_id", *_ADDED, *(_NAMES.get(one, one) for one in stored[1:]))
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(columns)
    async with sessions() as session:
        classes = await _class_names(session, project_id)
    async for piece in _batches(path):
        async with sessions() as session:
            files = await _files(session, piece["example_id"])
        for name in _NAMES.keys() & piece.keys():
            piece[name] = [None if one is None else classes.get(one, one) for one in piece[name]]
        for example_id, *values in zip(*(piece[name] for name in stored), strict=True):
            _, file, original = files.get(example_id, (None, "", None))
            digest = original.content_hash.hex() if original else ""
            writer.writerow(plain_row([example_id, file, digest, *values]))
        yield text.getvalue()
        text.seek(0)
        text.truncate()


async def kept_images(session: AsyncSession, project_id: int, path: Path) -> list[LabeledImage]:
    """Every image that is kept, with its class when it was pruned."""
    classes = await _class_names(session, project_id)
    found = []
    async for piece in _kept(path):
        files = await _files(session, piece["example_id"])
        for example_id, class_id in zip(piece["example_id"], piece["class_id"], strict=True):
            if example_id in files:
                class_name = classes.get(class_id, str(class_id))
                found.append(LabeledImage(class_name, *files[example_id]))
    return found


async def _class_names(session: AsyncSession, project_id: int) -> dict[int, str]:
    statement = select(ProjectClass.id, ProjectClass.name).where(
        ProjectClass.project_id == project_id
    )
    return {row.id: row.name for row in await session.execute(statement)}


async def _files(
    session: AsyncSession, example_ids: list[int]
) -> dict[int, tuple[int, str, Original]]:
    """(pool index, name, bytes) of examples."""
    wanted = bindparam("wanted", example_ids, type_=ARRAY(BigInteger))
    statement = select(Example.id, Example.pool_index, Example.name, *ORIGINAL).where(
        Example.id == any_(wanted)
    )
    rows = await session.execute(statement)
    return {row.id: (row.pool_index, row.name, Original.of(row)) for row in rows}
