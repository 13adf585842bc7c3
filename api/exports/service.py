"""Streamed exports: rows leave as they are read, so memory does not grow with the project."""

import csv
import io
import json
import re
from collections.abc import AsyncIterator, Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Select, String, and_, case, cast, exists, func, or_, select
from sqlalchemy.ext.asyncio import AsyncSession, async_sessionmaker
from sqlalchemy.orm import aliased
from zipstream import ZIP_STORED, ZipStream

from core.cells import plain
from core.consensus import holds
from core.errors import DomainError
from core.lifecycle import EXAMPLE_STATE_AFTER
from core.originals import ORIGINAL, Original, Originals
from core.states import ExampleState, Verdict
from core.tables import Annotation, Example, ProjectClass, Query, Round, User

COLUMNS = (
    "annotation_id", "example_id", "pool_index", "name", "sha256", "verdict", "class", "effective",
    "counted", "source", "annotator", "round", "seconds", "cost", "purity", "informativeness",
    "meta_score", "key", "supersedes", "created_at",
)  # fmt: skip
_FETCH = 1000
# What a path may not hold on one system or another.
_UNSAFE = re.compile(r'[/\\:*?"<>|\x00-\x1f]')


class LabeledImage(NamedTuple):
    """An image, and the class whose folder it goes into."""

    class_name: str
    pool_index: int
    name: str
    original: Original


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
            Annotation.class_id.is_not_distinct_from(Example.label_class_id),
        ),
        and_(Annotation.verdict == Verdict.SKIP, Example.state == ExampleState.QUERIED),
    )
    same_later = exists().where(
        later.example_id == Annotation.example_id,
        later.id > Annotation.id,
        later.verdict == Annotation.verdict,
        later.class_id.is_not_distinct_from(Annotation.class_id),
        holds(later),
    )
    return and_(holds(), says, ~same_later)


def _annotations(project_id: int, *, only_effective: bool) -> Select[Any]:
    """Every annotation, oldest first; ``effective`` marks one of each example, if it has any."""
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
            _effective(),
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
    sessions: async_sessionmaker[AsyncSession], project_id: int, *, only_effective: bool = False
) -> AsyncIterator[list[dict[str, Any]]]:
    """Annotations in blocks, JSON-ready; all of them, or the one of each example that holds.

    Each block is a transaction of its own: a slow reader holds neither a connection nor an old
    snapshot, which would slow the queue. What is answered during the download is in it or not.
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
        yield [
            {
                **dict(zip(COLUMNS, row, strict=True)),
                "key": str(row[-3]),
                "supersedes": str(row[-2]) if row[-2] else None,
                "created_at": row[-1].isoformat(),
            }
            for row in block
        ]


async def as_csv(
    sessions: async_sessionmaker[AsyncSession], project_id: int, *, only_effective: bool = False
) -> AsyncIterator[str]:
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS)
    writer.writeheader()
    yield text.getvalue()
    async for block in rows(sessions, project_id, only_effective=only_effective):
        text.seek(0)
        text.truncate()
        writer.writerows({name: plain(value) for name, value in row.items()} for row in block)
        yield text.getvalue()


async def as_jsonl(
    sessions: async_sessionmaker[AsyncSession], project_id: int, *, only_effective: bool = False
) -> AsyncIterator[str]:
    async for block in rows(sessions, project_id, only_effective=only_effective):
        yield "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in block)


async def labeled_images(session: AsyncSession, project_id: int) -> list[LabeledImage]:
    """Every image that is labeled with a class."""
    statement = (
        select(ProjectClass.name.label("class_name"), Example.pool_index, Example.name, *ORIGINAL)
        .join(ProjectClass, ProjectClass.id == Example.label_class_id)
        .where(Example.project_id == project_id, Example.state == ExampleState.LABELED)
        .order_by(Example.pool_index)
    )
    return [
        LabeledImage(row.class_name, row.pool_index, row.name, Original.of(row))
        for row in await session.execute(statement)
    ]


def as_image_folder(images: list[LabeledImage], originals: Originals) -> Iterator[bytes]:
    """A zip of ``class/index_name``; stored, because images are compressed already.

    Images that cannot be had are named, with the reason, in ``MISSING.txt``.
    """
    archive = ZipStream(compress_type=ZIP_STORED)
    folders = _folders({image.class_name for image in images})
    missing = []
    for image in images:
        file = PurePosixPath(image.name.replace("\\", "/")).name
        path = f"{folders[image.class_name]}/{image.pool_index:07d}_{file}"
        try:
            found = originals.find(image.original)
            if isinstance(found, Path):
                archive.add_path(found, path)
            else:
                archive.add(originals.read(image.original), path)
        except DomainError as error:
            missing.append(f"{path}: {error.detail}\n")
        yield from archive.all_files()
    if missing:
        archive.add("".join(missing), "MISSING.txt")
    yield from archive.finalize()


def _folders(class_names: Iterable[str]) -> dict[str, str]:
    """A folder for each class: one level deep whatever its name, and no two classes in one."""
    found: dict[str, str] = {}
    taken: set[str] = set()
    # Names that need no change come first and keep theirs.
    for name in sorted(class_names, key=lambda name: (_safe(name) != name, name)):
        folder, number = _safe(name), 2
        # Some file systems do not tell capitals apart.
        while folder.casefold() in taken:
            folder, number = f"{_safe(name)}_{number}", number + 1
        taken.add(folder.casefold())
        found[name] = folder
    return found


def _safe(name: str) -> str:
    return _UNSAFE.sub("_", name).strip(". ") or "_"
