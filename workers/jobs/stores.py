"""The examples of a project, as models take them."""

from core.files.storage import Storage
from core.settings.project import ProjectSettings
from core.states import Medium
from models.media.base import Store
from models.media.images.store import PixelStore
from models.media.texts.store import TextStore


def side_of(medium: Medium, settings: ProjectSettings) -> int | None:
    """Side of a project's images in pixels, by which its store is found; None of texts.

    Raises:
        Conflict: ``no_images``, nothing was imported yet.
    """
    return None if medium is Medium.TEXT else settings.side


def open_store(
    storage: Storage, project_id: int, side: int | None, count: int, *, whole: bool = False
) -> Store:
    """The first ``count`` examples of a project.

    Pixels and texts that are lost are missed when they are read: who works with embeddings needs
    none.

    Args:
        storage: Where they are.
        project_id: Whose.
        side: As ``side_of`` said when the job, or the round, began.
        count: How many examples there were then.
        whole: Whether lost pixels are missed at once.

    Raises:
        ModelError: The texts cannot be opened; with ``whole``, ``PixelsLost``.
    """
    if side is None:
        return TextStore.open(storage.texts(project_id), count)
    return PixelStore.open(storage.pixels(project_id, side), side, count, whole=whole)
