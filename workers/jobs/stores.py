"""The examples of a project, as models take them."""

from collections.abc import Mapping
from typing import Any

from core.files.storage import Storage
from core.settings.project import ProjectSettings
from core.states import Medium
from models.frame import Frame
from models.media.base import Store
from models.media.images.store import PixelStore
from models.media.texts.store import TextStore


def frame_of(medium: Medium, settings: ProjectSettings) -> Frame | None:
    """What models see of a project's images, by which its store is found; None of texts.

    Raises:
        Conflict: ``no_images``, nothing was imported yet.
    """
    return None if medium is Medium.TEXT else Frame(settings.side, settings.fit)


def noted(frame: Frame | None) -> dict[str, Any]:
    """A frame as checkpoints keep it, beside other facts."""
    if frame is None:
        return {"input_size": None}
    return {"input_size": frame.side, "fit": frame.fit}


def frame_noted(known: Mapping[str, Any]) -> Frame | None:
    """Read what ``noted`` wrote; jobs that an earlier version began have cropped images."""
    side = known["input_size"]
    return None if side is None else Frame(side, known.get("fit", "crop"))


def open_store(
    storage: Storage, project_id: int, frame: Frame | None, count: int, *, whole: bool = False
) -> Store:
    """The first ``count`` examples of a project.

    Pixels and texts that are lost are missed when they are read: who works with embeddings needs
    none.

    Args:
        storage: Where they are.
        project_id: Whose.
        frame: As ``frame_of`` said when the job, or the round, began.
        count: How many examples there were then.
        whole: Whether lost pixels are missed at once.

    Raises:
        ModelError: The texts cannot be opened; with ``whole``, ``PixelsLost``.
    """
    if frame is None:
        return TextStore.open(storage.texts(project_id), count)
    path = storage.pixels(project_id, frame.side, frame.fit)
    return PixelStore.open(path, frame.side, count, fit=frame.fit, whole=whole)
