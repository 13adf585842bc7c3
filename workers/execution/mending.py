"""What can be made again is mended before a job reads it, so that the job need not fail.

A store of examples that has lost some is made whole, pixels from originals and texts from the
database; features that cannot be read are removed, and computed again by who needs them. Files get
lost or cut short where a disk was full or repaired, and where somebody removed them. Pixels whose
originals are lost as well fail only the jobs that read them, and so do texts that the database has
lost.
"""

import re
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Final

import numpy as np
from safetensors import SafetensorError, safe_open
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from core.database.among import among
from core.errors import Conflict, DomainError
from core.settings.project import ProjectSettings
from core.states import JobKind, Medium
from core.tables import Example, Project
from models.frame import Frame
from models.media.images.store import PixelStore
from workers.imports.media.text_store import LOCK, look, mend_store
from workers.jobs.context import JobContext
from workers.jobs.locks import turn
from workers.resize.refit import Refit, lost_originals, originals_gone

_LOOK_SECONDS: Final = 0.2
_MOST_NAMED: Final = 5
# Written by ``embeddings_file``; learned features have another name, and an encoder.
_EMBEDDINGS: Final = re.compile(r"(?P<stem>.+-[0-9a-f]{16})\.npy")


def mend(context: JobContext) -> DomainError | None:
    """See to the files of the job's project.

    Returns:
        Why some examples could not be made again, such as ``originals_gone`` or ``texts_gone``. It
        is for the job that reads these to fail by it; one that works with embeddings, or brings
        them back, misses nothing.

    Raises:
        Cancelled: The job was cancelled.
    """
    # Parts find all as the whole has left it.
    if context.parent_id is not None:
        return None
    unmended = _mend_store(context)
    features = context.storage.features(context.project_id)
    # What captions are compared with lies in a folder of its own.
    for folder in (features, *features.glob("*/")):
        for said in discard_damaged(folder):
            context.log.write(f"{said}; it was removed, and whoever needs it makes it again")
    return unmended


def why_lost(context: JobContext) -> DomainError | None:
    """Why examples are missing that a part of a job has asked for, where that can be told."""
    with context.sessions() as session:
        project = session.get_one(Project, context.project_id)
        if project.medium is Medium.TEXT:
            found = look(session, context.storage.texts(project.id), project.id)
            return _texts_gone(session, found.gaps, project.id)
        settings = ProjectSettings.model_validate(project.settings)
    path = context.storage.pixels(context.project_id, settings.side, settings.fit)
    held = PixelStore.held(path, settings.side)
    try:
        lost = lost_originals(context, lambda *_: context.check(), held)
    except DomainError as error:
        return error
    return originals_gone(lost.some, lost.count) if lost.count else None


def _mend_store(context: JobContext) -> DomainError | None:
    """Make the store whole, if it lacks examples at its end, or all of them."""
    # Resizing makes another from the originals.
    if context.kind is JobKind.RESIZE:
        return None
    with context.sessions() as session:
        project = session.get_one(Project, context.project_id)
        is_text = project.medium is Medium.TEXT
        last = None
        if not is_text:
            mine = Example.project_id == project.id
            last = session.scalar(select(func.max(Example.pool_index)).where(mine))
        settings = ProjectSettings.model_validate(project.settings)
    if is_text:
        return _mend_texts(context)
    if last is None or settings.input_size is None:
        return None
    try:
        _mend_pixels(context, Frame(settings.side, settings.fit), last + 1)
    except DomainError as error:
        context.log.write(f"pixels are missing still: {error.detail}")
        return error
    return None


def _mend_texts(context: JobContext) -> DomainError | None:
    """Write what texts the store lacks; one job does, as two would undo each other."""
    folder = context.storage.texts(context.project_id)
    with context.sessions() as session:
        found = look(session, folder, context.project_id)
        if not found.is_behind:
            return _said(context, _texts_gone(session, found.gaps, context.project_id))
    with turn(context.sessions, LOCK, context.project_id) as is_mine:
        while not is_mine():
            context.check()
            time.sleep(_LOOK_SECONDS)
        with context.sessions() as session:
            mended = mend_store(session, folder, context.project_id)
    if mended:
        context.log.write("the store lacked texts: it was made again from the database")
    with context.sessions() as session:
        found = look(session, folder, context.project_id)
        return _said(context, _texts_gone(session, found.gaps, context.project_id))


def _said(context: JobContext, unmended: DomainError | None) -> DomainError | None:
    if unmended is not None:
        context.log.write(f"texts are missing still: {unmended.detail}")
    return unmended


def _texts_gone(session: Session, gaps: Sequence[int], project_id: int) -> DomainError | None:
    if not gaps:
        return None
    statement = (
        select(Example.name)
        .where(Example.project_id == project_id, among(Example.pool_index, gaps[:_MOST_NAMED]))
        .order_by(Example.pool_index)
    )
    return Conflict(
        "texts_gone",
        f"Of {len(gaps)} texts the database has lost what they say: "
        f"{', '.join(session.scalars(statement))}. Import the same texts again, which puts them "
        "back, or restore a backup; then retry the job. Nothing was changed.",
    )


def _mend_pixels(context: JobContext, frame: Frame, count: int) -> None:
    """Append to a file of pixels what it lacks of ``count`` images, up to the first that is lost.

    Raises:
        Conflict: ``originals_gone`` or ``original_unreadable``.
        DomainError: A place cannot be looked at now.
    """
    path = context.storage.pixels(context.project_id, frame.side, frame.fit)
    there = PixelStore.held(path, frame.side)
    if there >= count:
        return
    context.log.write(f"{count - there:,} of {count:,} images have lost their pixels")
    context.plan(["mend"])
    context.progress(there, count, "mend")
    # All of these, so that whoever has to bring some back hears of all.
    lost = lost_originals(context, lambda *_: context.check(), there)
    end = lost.some[0].pool_index if lost.count else count
    if there < end:
        with closing(Refit(context)) as refit, PixelStore.writer(path, frame.side) as pixels:
            # In order, each batch on the disk before the next: whoever is killed leaves no gap.
            for batch in refit.batches(there):
                rows = [row for row in batch if row.pool_index < end]
                if not rows:
                    break
                pixels.write(rows[0].pool_index, refit.pixels(rows, frame))
                pixels.flush()
                context.progress(rows[-1].pool_index + 1, count)
        context.log.write(f"{end - there:,} were made again from the originals")
    if lost.count:
        raise originals_gone(lost.some, lost.count)


def discard_damaged(folder: Path) -> list[str]:
    """Remove files of features that cannot be read, and embeddings whose extractor is gone.

    Args:
        folder: Of a project's features; may be missing.

    Returns:
        A sentence on each, without its end.
    """
    said = []
    for path in sorted(folder.glob("*.safetensors")):
        try:
            with safe_open(path, framework="np"):
                pass
        except FileNotFoundError:
            # Another job was faster.
            continue
        except SafetensorError:
            said.append(f"{path.name} was damaged")
            path.unlink(missing_ok=True)
    for path in sorted(folder.glob("*.npy")):
        found = _EMBEDDINGS.fullmatch(path.name)
        if found and not (folder / f"{found['stem']}.extractor.safetensors").exists():
            said.append(f"{path.name} had lost what makes it")
        elif not _is_readable(path):
            said.append(f"{path.name} was damaged")
        else:
            continue
        path.unlink(missing_ok=True)
    _discard_screens(folder)
    return said


def _discard_screens(folder: Path) -> None:
    """Remove screens that cannot be read, and those of no file any more.

    Another extractor may make as many rows, and such a screen would pass for theirs.
    """
    for path in (*folder.glob("*.short"), *folder.glob("*.basis")):
        rows = folder / f"{path.name.rsplit('.', 2)[0]}.npy"
        if not rows.exists() or not _is_readable(path):
            # Both, as one without the other is not completed.
            path.with_suffix(".short").unlink(missing_ok=True)
            path.with_suffix(".basis").unlink(missing_ok=True)


def _is_readable(path: Path) -> bool:
    try:
        np.load(path, mmap_mode="r")
    except (ValueError, EOFError):
        return False
    except FileNotFoundError:
        # Another job was faster.
        return True
    return True
