"""What models read of texts, made again from the database where some of it is lost."""

import os
import shutil
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Final, NamedTuple

from sqlalchemy import case, func, select
from sqlalchemy.orm import Session

from core.database.among import among
from core.tables import Example, ExampleText
from core.withdrawals import BLANK_TEXT, is_kept
from models.errors import ModelError
from models.media.texts.store import TextStore

LOCK: Final = 0x6D656E64
"""Who writes a store anew is alone at it: see ``workers.jobs.locks``."""
# Texts of the database that are held in memory at a time.
_AT_ONCE: Final = 100


class Found(NamedTuple):
    """What a text store lacks.

    Attributes:
        is_behind: Whether the database has texts of it, or rows.
        gaps: Pool indices of texts that it has lost; where it is not behind the database has lost
            them, too.
    """

    is_behind: bool
    gaps: list[int]


def look(session: Session, folder: Path, project_id: int) -> Found:
    """See what a text store lacks; the offsets of all texts are read, once.

    Args:
        session: For reading.
        folder: Where the store is.
        project_id: The project.
    """
    count = _count(session, project_id)
    store = TextStore.whole(folder, count)
    gaps = store.gaps.tolist()
    return Found(len(store) < count or _may_be_filled(session, gaps, project_id), gaps)


def mend_store(session: Session, folder: Path, project_id: int) -> bool:
    """Write what a text store lacks from the database.

    A text that the database lacks as well leaves a gap, which whoever reads it misses. One that
    only the store has stays in it.

    Args:
        session: For reading.
        folder: Where the store is.
        project_id: The project.

    Returns:
        Whether it wrote anything.
    """
    count = _count(session, project_id)
    store = TextStore.whole(folder, count)
    if _may_be_filled(session, store.gaps.tolist(), project_id):
        _write_anew(session, store, project_id)
    elif len(store) < count:
        _write(session, folder, project_id, start=len(store))
    else:
        return False
    return True


def write_over(session: Session, folder: Path, project_id: int) -> None:
    """Write a store anew without what was withdrawn.

    Args:
        session: For reading.
        folder: Where the store is; nothing is done where there is none.
        project_id: The project.
    """
    if folder.is_dir():
        store = TextStore.whole(folder, _count(session, project_id))
        _write_anew(session, store, project_id)


def _count(session: Session, project_id: int) -> int:
    last = session.scalar(
        select(func.max(Example.pool_index)).where(Example.project_id == project_id)
    )
    return 0 if last is None else last + 1


def _may_be_filled(session: Session, gaps: Sequence[int], project_id: int) -> bool:
    """Whether the database has a text, perhaps again, that is a gap of the store."""
    if not gaps:
        return False
    found = select(Example.id).join(ExampleText, ExampleText.example_id == Example.id)
    mine = found.where(Example.project_id == project_id, among(Example.pool_index, gaps))
    return session.scalar(mine.limit(1)) is not None


def _write_anew(session: Session, store: TextStore, project_id: int) -> None:
    """Write all of a store beside it, and put it in its place: other jobs may have it open."""
    beside = store.folder.with_name(f"{store.folder.name}.new")
    shutil.rmtree(beside, ignore_errors=True)
    _write(session, beside, project_id, start=0, old=store)
    # As folders: who opens one between the renames, or after a crash there, finds none, never half.
    before = store.folder.with_name(f"{store.folder.name}.old")
    shutil.rmtree(before, ignore_errors=True)
    os.rename(store.folder, before)
    os.rename(beside, store.folder)
    shutil.rmtree(before)


def _write(
    session: Session,
    folder: Path,
    project_id: int,
    *,
    start: int,
    old: TextStore | None = None,
) -> None:
    """Write rows from ``start`` on; what the database has lost as ``old`` has it, or as a gap."""
    contents = _contents(session, project_id, start)
    with TextStore.writer(folder) as writer:
        row = start
        while batch := list(islice(contents, _AT_ONCE)):
            if old is not None:
                batch = [
                    _held(old, row + place) if content is None else content
                    for place, content in enumerate(batch)
                ]
            writer.write(row, batch)
            row += len(batch)


def _contents(session: Session, project_id: int, start: int) -> Iterator[str | None]:
    """Each row's text from ``start`` on; one that is missing moves none to the rows of others."""
    statement = (
        select(
            Example.pool_index,
            case((is_kept(), ExampleText.content), else_=BLANK_TEXT),
        )
        .outerjoin(ExampleText, ExampleText.example_id == Example.id)
        .where(Example.project_id == project_id, Example.pool_index >= start)
        .order_by(Example.pool_index)
        .execution_options(yield_per=_AT_ONCE)
    )
    row = start
    for index, content in session.execute(statement):
        yield from [None] * (index - row)
        yield content
        row = index + 1


def _held(store: TextStore, row: int) -> str | None:
    if row >= len(store):
        return None
    try:
        (content,) = store[[row]]
    except ModelError:
        return None
    return content
