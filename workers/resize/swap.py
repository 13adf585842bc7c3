"""The new pixels take the place of the old ones: in the settings, and in all that is under way."""

import errno
import os
import shutil
from contextlib import suppress
from pathlib import Path

from sqlalchemy.orm import Session

from core.errors import Conflict
from core.events import project_changed
from core.files.storage import Storage, flush, write_atomically
from core.rounds import lock_unfinished
from core.settings.project import ProjectSettings
from core.tables import Project
from models.errors import ModelError
from models.frame import Frame
from workers.features.stored import embeddings_file
from workers.jobs.unfinished import begin_anew


def put_in_place(part: Path, path: Path) -> None:
    """Make ``part`` the file ``path``, on the disk; done before, it stays done."""
    if part.exists():
        _move(part, path)
    flush(path.parent)


def take_back(path: Path, part: Path) -> None:
    """Undo ``put_in_place`` of an attempt that ended before the settings named ``path``."""
    if path.exists() and not part.exists():
        _move(path, part)


def _move(source: Path, target: Path) -> None:
    try:
        os.replace(source, target)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        write_atomically(target, lambda part: shutil.copyfile(source, part))
        source.unlink()


def require_patches(settings: ProjectSettings, size: int) -> None:
    """Refuse a size that is no larger than the patches which the model cuts out.

    Raises:
        Conflict: ``patch_too_large``; the settings have changed since the job was started.
    """
    if settings.patch_size >= size:
        raise Conflict(
            "patch_too_large",
            f"The model cuts patches of {settings.patch_size} px, which do not fit into images of "
            f"{size} px; lower settings.model.params.patch_size, then retry the job.",
        )


def name(session: Session, project_id: int, frame: Frame) -> tuple[Frame, list[int]]:
    """Have the project, and whatever of it is not done, work with images as ``frame`` has them.

    Rounds that are closed keep what they say. What had been done of others is done again, since
    images of two sizes do not go together.

    Returns:
        How they were seen until now; ids of the jobs that begin anew, what they have left is to be
        removed.

    Raises:
        Conflict: ``patch_too_large``.
    """
    project = session.get_one(Project, project_id, with_for_update={"key_share": True})
    settings = ProjectSettings.model_validate(project.settings)
    require_patches(settings, frame.side)
    named = {"input_size": frame.side, "fit": frame.fit}
    project.settings = {**project.settings, **named}
    # A statement that waits for an answer does not see the round which that has made.
    session.execute(lock_unfinished(project_id))
    for round_ in session.scalars(lock_unfinished(project_id)).all():
        round_.settings = {**round_.settings, **named}
    session.execute(project_changed(project))
    return Frame(settings.side, settings.fit), begin_anew(session, project_id)


def tidy(storage: Storage, project_id: int, frame: Frame, anew: list[int]) -> None:
    """Remove pixels that are not of ``frame``, and what jobs had made of them."""
    kept = storage.pixels(project_id, frame.side, frame.fit)
    for path in storage.all_pixels(project_id):
        if path != kept:
            path.unlink(missing_ok=True)
    for job_id in anew:
        shutil.rmtree(storage.work(job_id), ignore_errors=True)


def prefer_features(storage: Storage, project_id: int, settings: ProjectSettings) -> None:
    """Have features of images as they are seen now, if there are any, count as made last.

    Whoever compares images takes what was made last; the next round, which finds them complete,
    makes none.
    """
    # Without the weights of the model nobody knows the name; a round says what is missing.
    with suppress(ModelError, FileNotFoundError):
        os.utime(embeddings_file(storage, project_id, settings))
