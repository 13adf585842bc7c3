"""How the examples of each medium enter a pool."""

from concurrent.futures import Executor
from typing import assert_never

from sqlalchemy.orm import Session, sessionmaker

from core.files.storage import Storage
from core.settings import Settings
from core.states import Medium
from core.tables import Project
from core.tasks.registry import task_type
from workers.imports.media.base import ImportMedium, Reading
from workers.imports.media.image import ImageMedium, ImageReading
from workers.imports.media.instructions import InstructionMedium, InstructionReading
from workers.imports.media.text import TextMedium, TextReading


def open_medium(
    sessions: sessionmaker[Session],
    storage: Storage,
    settings: Settings,
    project_id: int,
    threads: Executor,
) -> ImportMedium:
    """What an import of a project makes of its items.

    Args:
        sessions: For what is written beside the rows.
        storage: Where files and stores are.
        settings: Of the installation.
        project_id: The project.
        threads: To do several things at once.
    """
    with sessions() as session:
        # Whoever is about to change its settings is waited for.
        project = session.get_one(Project, project_id, with_for_update={"read": True})
        if project.medium is Medium.IMAGE:
            return ImageMedium(sessions, storage, project, settings, threads)
        if project.medium is Medium.TEXT:
            if task_type(project.task).of_groups:
                return InstructionMedium(session, storage, project, settings)
            return TextMedium(session, storage, project, settings)
        assert_never(project.medium)


def reading_of(medium: Medium, settings: Settings, task: str) -> Reading:
    """How items of a medium are read, where nothing is written."""
    if medium is Medium.IMAGE:
        return ImageReading()
    if medium is Medium.TEXT:
        if task_type(task).of_groups:
            return InstructionReading(settings)
        return TextReading(settings)
    assert_never(medium)
