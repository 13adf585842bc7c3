"""A pool as a network of captions sees it, to be searched by words."""

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from core.artifacts.features import captioned_file
from core.artifacts.nearness import complete_screen
from core.errors import Conflict
from core.files.storage import write_atomically
from core.jobs.params import LookUpParams
from core.settings.project import ProjectSettings
from core.states import JobKind, Medium
from core.tables import Example, Weights
from models.media.embedding_files import write_embeddings
from models.protocols import Float32Array
from workers.jobs.context import JobContext
from workers.jobs.stores import frame_of, open_store
from workers.jobs.yielding import Yielding
from workers.weights import file_of

# Its package takes seconds to import; who looks for what is like an image needs none of it.
if TYPE_CHECKING:
    from models.media.images.networks.clip import Clip


def complete(context: JobContext, settings: ProjectSettings) -> None:
    """Embed the images of the pool that have no such features yet.

    They are written beside those that there are and take their place at once: searches, and other
    jobs like this, go on meanwhile.

    Args:
        context: Of the job.
        settings: Of the project.

    Raises:
        Conflict: ``weights_gone`` or ``weights_file_gone``.
    """
    with context.sessions() as session:
        weights = _weights(session, context)
        of_project = select(func.count()).where(Example.project_id == context.project_id)
        images = session.scalar(of_project) or 0
    out = _file(context, weights, settings)
    if _lacks(out, images):
        _see(context, weights, settings, images, out)
    shutil.rmtree(context.work, ignore_errors=True)
    complete_screen(out)
    for other in out.parent.iterdir():
        if not other.name.startswith(out.stem):
            other.unlink(missing_ok=True)


def _lacks(out: Path, images: int) -> bool:
    """Whether there are no features yet of some of the images."""
    return not out.exists() or len(np.load(out, mmap_mode="r")) < images


def _see(
    context: JobContext, weights: Weights, settings: ProjectSettings, images: int, out: Path
) -> None:
    from models.media.images.networks.clip import CaptionedImages

    mine = context.work / out.name
    if out.exists() and not mine.exists():
        write_atomically(mine, lambda part: shutil.copyfile(out, part))
    mine.parent.mkdir(parents=True, exist_ok=True)
    frame = frame_of(Medium.IMAGE, settings)
    store = open_store(context.storage, context.project_id, frame, images)
    write_embeddings(
        store,
        lambda: CaptionedImages(_clip(context, weights)),
        out=mine,
        progress=Yielding(context, JobKind.LOOK_UP).progress,
    )
    out.parent.mkdir(parents=True, exist_ok=True)
    # Another search may have seen more meanwhile.
    if _lacks(out, images):
        os.replace(mine, out)


def understood(
    context: JobContext, words: str, settings: ProjectSettings
) -> tuple[Path, Float32Array]:
    """The features of the pool, and the (E,) row of unit length that words are.

    Raises:
        Conflict: ``weights_gone`` or ``weights_file_gone``.
    """
    with context.sessions() as session:
        weights = _weights(session, context)
    out = _file(context, weights, settings)
    return out, _clip(context, weights).texts([words])[0]


def _file(context: JobContext, weights: Weights, settings: ProjectSettings) -> Path:
    seen = settings.side, settings.fit
    return captioned_file(context.storage, context.project_id, weights.sha256, *seen)


def _clip(context: JobContext, weights: Weights) -> "Clip":
    from models.media.images.networks.clip import Clip

    return Clip(Path(file_of(context.storage, weights)), weights.architecture)


def _weights(session: Session, context: JobContext) -> Weights:
    weights = session.get(Weights, LookUpParams.of(context).weights_id)
    if weights is None:
        raise Conflict(
            "weights_gone", "The weights of this search were deleted meanwhile; search again."
        )
    session.expunge(weights)
    return weights
