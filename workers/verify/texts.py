"""Texts: each is there as it was imported, in the database and in the store that models read."""

from collections.abc import Iterator
from hashlib import sha256
from typing import Any, Final

from sqlalchemy import and_, case, func, or_, select

from core.states import Medium
from core.tables import Example, ExampleText, Project
from core.tasks.instruction_rows import InstructionRow, canonical, rendered
from core.withdrawals import is_kept
from models.errors import ModelError, TextsLost
from models.media.texts.store import TextStore
from workers.verify.check import BATCH, Check, Scope

# Of texts of a megabyte, no more are held at a time.
_TEXTS: Final = 100


def _contents(scope: Scope) -> Iterator[str]:
    """Compare each text with the hash that it was imported by."""
    statement = (
        select(
            Example.id,
            Example.content_hash,
            Example.bytes,
            Project.medium,
            ExampleText.content,
            ExampleText.fields,
        )
        .join(Project, Project.id == Example.project_id)
        .outerjoin(ExampleText, ExampleText.example_id == Example.id)
        .where(
            or_(and_(Project.medium == Medium.TEXT, is_kept()), ExampleText.example_id.is_not(None))
        )
        .order_by(Example.id)
    )
    rows = scope.connection.execution_options(stream_results=True, yield_per=_TEXTS)
    for row in rows.execute(statement):
        wrong = _wrong(row)
        if wrong:
            yield f"example {row.id} {wrong}"


def _wrong(row: Any) -> str | None:
    if row.medium is not Medium.TEXT:
        return "is an image and has a text"
    if row.content is None:
        return "has no text"
    content = row.content.encode()
    if row.fields is not None:
        # A row of instruction data is its parts; the text is made of them.
        parts = InstructionRow.model_validate(row.fields)
        if rendered(parts) != row.content:
            return "has another text than its parts make"
        content = canonical(parts)
    if sha256(content).digest() != row.content_hash:
        return "has another text than was imported"
    if len(content) != row.bytes:
        return f"has {len(content)} bytes, not {row.bytes}"
    return None


def _stores(scope: Scope) -> Iterator[str]:
    """Compare each store with the texts of its project, some of them at a time."""
    pools = (
        select(Project.id, func.count(Example.id), func.max(Example.pool_index))
        .join(Example, Example.project_id == Project.id)
        .where(Project.medium == Medium.TEXT)
        .group_by(Project.id)
        .order_by(Project.id)
    )
    for project_id, count, last in scope.connection.execute(pools).all():
        if count != last + 1:
            yield f"project {project_id} has {count} texts, the last at {last}"
            continue
        try:
            # A killed import leaves texts at the end that the next one writes over.
            store = TextStore.open(scope.storage.texts(project_id), count)
            yield from _different(scope, project_id, store)
        except ModelError as error:
            yield f"project {project_id}: {error}"


def _different(scope: Scope, project_id: int, store: TextStore) -> Iterator[str]:
    bytes_of = func.convert_to(ExampleText.content, "UTF8")
    is_parts = ExampleText.fields.is_not(None)
    statement = (
        select(
            Example.pool_index,
            case((is_parts, func.sha256(bytes_of)), else_=Example.content_hash),
        )
        .outerjoin(ExampleText, ExampleText.example_id == Example.id)
        .where(Example.project_id == project_id, is_kept())
        .order_by(Example.pool_index)
    )
    rows = scope.connection.execution_options(stream_results=True, yield_per=BATCH)
    for part in rows.execute(statement).partitions(BATCH):
        for index, content_hash in part:
            try:
                (content,) = store[[index]]
            except TextsLost:
                yield f"project {project_id} has lost the text in row {index} of its store"
                continue
            if sha256(content.encode()).digest() != content_hash:
                yield f"project {project_id} has another text in row {index} of its store"


CHECKS: Final = (
    Check(
        "texts",
        "every text is as it was imported",
        "Rows were changed by hand, or the disk lost some. Import missing texts once more, which "
        "puts them back, or restore the last backup with karat restore.",
        _contents,
    ),
    Check(
        "text_stores",
        "every pool of texts has the store that models read",
        "The next job of the project makes one again from the database that lacks texts. Where it "
        "has other texts, remove the folder texts of the project's folder first.",
        _stores,
    ),
)
