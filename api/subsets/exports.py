"""Streamed exports of a subset."""

from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
from anyio import to_thread
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession, async_sessionmaker

from api.exports.archives import Placed, as_files
from api.exports.naming import in_class_folders
from api.exports.parquet import parquet_of
from api.exports.texts import TEXT, with_texts
from api.transfers.streams import csv_of, in_threads
from core.artifacts.subsets import subset_batches, subset_schema
from core.database.among import among
from core.files.folder_names import folders_of
from core.media.originals import ORIGINAL, Original, Originals
from core.tables import Example, ProjectClass
from core.withdrawals import is_kept

# What the file has as numbers, and names beside that.
_CLASSES: Final = {"class_id": ("class",), "true_class_id": ("true_class",)}
_BESIDE: Final = {"example_id": ("name", "sha256"), **_CLASSES}


async def _kept(path: Path) -> AsyncIterator[dict[str, list[Any]]]:
    """Its pieces as long as they are kept: those come first."""
    async for piece in in_threads(subset_batches(path)):
        count = sum(rank is not None for rank in piece["rank"])
        yield {name: values[:count] for name, values in piece.items()}
        if count < len(piece["rank"]):
            return


async def as_ids(path: Path) -> AsyncIterator[str]:
    """One id a line, the first to keep first."""
    async for piece in _kept(path):
        yield "".join(f"{one}\n" for one in piece["example_id"])


async def as_csv(
    sessions: async_sessionmaker[AsyncSession],
    project_id: int,
    path: Path,
    *,
    bom: bool = False,
    texts: bool = False,
) -> AsyncIterator[str]:
    """All rows; an empty rank means dropped. Classes and files are named, texts are there."""
    columns = (await _schema(path, texts=texts)).names
    pieces = _named(sessions, project_id, path, texts=texts)
    blocks = (zip(*(piece[name] for name in columns), strict=True) async for piece in pieces)
    async for lines in csv_of(columns, blocks, bom=bom):
        yield lines


async def as_parquet(
    sessions: async_sessionmaker[AsyncSession],
    project_id: int,
    path: Path,
    *,
    texts: bool = False,
) -> AsyncIterator[bytes]:
    """The rows and columns of ``as_csv``, typed; a null rank means dropped."""
    schema = await _schema(path, texts=texts)
    pieces = _named(sessions, project_id, path, texts=texts)
    tables = (partial(pa.Table.from_pydict, piece, schema) async for piece in pieces)
    async for part in parquet_of(schema, tables, compression="zstd"):
        yield part


async def _schema(path: Path, *, texts: bool) -> pa.Schema:
    """The columns of an export: those of the file, names beside the ids, and texts."""
    fields = []
    for field in await to_thread.run_sync(subset_schema, path):
        fields += [field, *(pa.field(name, pa.string()) for name in _BESIDE.get(field.name, ()))]
    return pa.schema([*fields, *([pa.field(TEXT, pa.string())] if texts else [])])


async def _named(
    sessions: async_sessionmaker[AsyncSession], project_id: int, path: Path, *, texts: bool
) -> AsyncIterator[dict[str, list[Any]]]:
    """The pieces of a subset with the columns of ``_schema``; what is gone has no name."""
    async with sessions() as session:
        classes = await _class_names(session, project_id)
    async for piece in in_threads(subset_batches(path)):
        async with sessions() as session:
            files = await _files(session, piece["example_id"])
        found = [files.get(example_id) for example_id in piece["example_id"]]
        piece["name"] = [file and file.name for file in found]
        piece["sha256"] = [file and file.content_hash.hex() for file in found]
        for ids, (names,) in _CLASSES.items():
            piece[names] = [classes.get(one) for one in piece.get(ids, ())]
        if not texts:
            yield piece
            continue
        rows = [
            (dict(zip(piece, row, strict=True)), file.bytes if file else 0)
            for *row, file in zip(*piece.values(), found, strict=True)
        ]
        async for some in with_texts(sessions, rows):
            yield {name: [row[name] for row in some] for name in some[0]}


async def as_image_folder(
    sessions: async_sessionmaker[AsyncSession], project_id: int, path: Path, originals: Originals
) -> AsyncIterator[bytes]:
    """A zip of the images that are kept, in folders by the class that they had when pruned."""
    async with sessions() as session:
        classes = await _class_names(session, project_id)
    folders = folders_of(classes.values())
    place = await in_class_folders(sessions, project_id)

    async def placed() -> AsyncIterator[list[Placed]]:
        async for piece in _kept(path):
            async with sessions() as session:
                files = await _files(session, piece["example_id"])
            found = []
            for example_id, class_id in zip(piece["example_id"], piece["class_id"], strict=True):
                if (file := files.get(example_id)) is None:
                    continue
                label = classes.get(class_id)
                folder = f"removed class {class_id}" if label is None else folders[label]
                found.append(
                    Placed(place(file, folder, of_split=True), Original.of(file), file.bytes)
                )
            yield found

    async for chunk in as_files(placed(), originals):
        yield chunk


async def _class_names(session: AsyncSession, project_id: int) -> dict[int, str]:
    statement = select(ProjectClass.id, ProjectClass.name).where(
        ProjectClass.project_id == project_id
    )
    return {row.id: row.name for row in await session.execute(statement)}


async def _files(session: AsyncSession, example_ids: list[int]) -> dict[int, Any]:
    """What an ``Original`` and a name are made from, and ``bytes``, of examples."""
    statement = select(
        Example.id, Example.pool_index, Example.name, Example.split, Example.bytes, *ORIGINAL
    ).where(among(Example.id, example_ids), is_kept())
    return {row.id: row for row in await session.execute(statement)}
