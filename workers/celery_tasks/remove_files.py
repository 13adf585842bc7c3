"""What was withdrawn goes, projects that are over, and files that belong to nobody any more."""

import logging
import time
from typing import Any, Final

from sqlalchemy.exc import OperationalError

from core.errors import DomainError
from core.files.storage import Storage
from core.jobs import queue
from core.jobs.messages import RemoveFiles
from core.retention import expire_one
from core.settings import settings
from workers.app import app
from workers.cleanup import removals
from workers.instructions.superseded import remove_superseded
from workers.jobs.context import sessions
from workers.withdrawals.working_off import go_on

logger = logging.getLogger(__name__)
# Of the time between two of these messages: the rest is for others in the same queue.
_SHARE: Final = 0.5
_UNFINISHED_SECONDS: Final = 600.0
_looked = -_UNFINISHED_SECONDS
_PROJECTS_SECONDS: Final = 60.0
# At a time: whoever sees that they go by mistake can still stop the others.
_MOST_PROJECTS: Final = 3
_asked = -_PROJECTS_SECONDS
_SELECTIONS_SECONDS: Final = 60.0
_compared = -_SELECTIONS_SECONDS
_after = 0
"""Where this process left off: what cannot be removed is not tried first each time."""


@app.task(name=RemoveFiles.task)  # type: ignore[untyped-decorator]
def remove_files(payload: dict[str, Any]) -> None:
    """Go on with removing, for a while; the next message takes up what is left."""
    RemoveFiles.model_validate(payload)
    storage = Storage.of(settings())
    # Each by itself: what keeps one from its work keeps the other from nothing.
    for remove in (
        _withdraw,
        _expire_projects,
        _remove_files,
        _expire_unfinished,
        _remove_superseded,
    ):
        try:
            remove(storage)
        except (OperationalError, DomainError, OSError) as error:
            logger.warning("files that belong to nobody stay for now: %s", error)


def _withdraw(storage: Storage) -> None:
    # Whoever has withdrawn much waits for it: the next message comes at once.
    if go_on(sessions(), storage, seconds=_SHARE * settings().sweep_seconds):
        queue.send(RemoveFiles())


def _expire_projects(storage: Storage) -> None:
    global _asked
    del storage
    if time.monotonic() - _asked < _PROJECTS_SECONDS:
        return
    _asked = time.monotonic()
    for _ in range(_MOST_PROJECTS):
        # Each in a transaction of its own.
        with sessions().begin() as session:
            name = expire_one(session)
        if name is None:
            return
        logger.warning("deleted the project %s, which was kept for so long", name)


def _remove_files(storage: Storage) -> None:
    global _after
    deadline = time.monotonic() + _SHARE * settings().sweep_seconds
    while time.monotonic() < deadline:
        last = removals.remove_some(sessions(), storage, _after)
        _after = last or 0
        if last is None:
            return


def _remove_superseded(storage: Storage) -> None:
    global _compared
    if time.monotonic() - _compared < _SELECTIONS_SECONDS:
        return
    _compared = time.monotonic()
    remove_superseded(sessions(), storage)


def _expire_unfinished(storage: Storage) -> None:
    global _looked
    if time.monotonic() - _looked < _UNFINISHED_SECONDS:
        return
    _looked = time.monotonic()
    days = settings().upload_days
    freed = removals.expire_uploads(sessions(), storage, days)
    freed += removals.expire_work(sessions(), storage, days)
    if freed.files:
        logger.info("removed %s files of jobs that nobody retried", freed.files)
