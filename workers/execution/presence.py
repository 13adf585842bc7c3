"""Saying that this process lives, so that an admin sees which workers there are."""

import logging
import os
import socket
import threading
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from sqlalchemy import delete, func
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.exc import SQLAlchemyError

from core.process.version import build
from core.settings import settings
from core.tables import Worker
from workers.jobs.context import sessions

logger = logging.getLogger(__name__)

# A worker that has been gone for so long is not coming back.
_FORGOTTEN: Final = timedelta(days=7)


class Presence:
    """A row that is renewed from a thread of its own, also while a job keeps the process busy.

    Args:
        name: Of the process; one that starts under the name of another takes its place.
        queues: Queues it takes messages from; none for the scheduler.
    """

    def __init__(self, name: str, queues: Sequence[str]) -> None:
        self._row: dict[str, Any] = {
            "name": name,
            "host": socket.gethostname(),
            "pid": os.getpid(),
            "queues": sorted(queues),
            "version": build(),
        }
        self._ends = False
        self._news = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def begin(self) -> None:
        """Appear, and stay."""
        self._thread.start()

    def computes_on(self, device: str) -> None:
        """Say from now on what kind of device this process trains on."""
        self._row["device"] = device
        self._news.set()

    def end(self) -> None:
        """Disappear: the process ends in order."""
        self._ends = True
        self._news.set()
        self._thread.join(timeout=5)
        mine = (Worker.name == self._row["name"], Worker.pid == self._row["pid"])
        try:
            with sessions().begin() as session:
                session.execute(delete(Worker).where(*mine))
        except SQLAlchemyError as error:
            logger.warning("this worker stays listed: %s", error)

    def _run(self) -> None:
        started = datetime.now(UTC)
        while not self._ends:
            try:
                self._renew(started)
            except SQLAlchemyError as error:
                logger.warning("nobody hears that this worker lives: %s", error)
            self._news.wait(settings().heartbeat_seconds)
            self._news.clear()

    def _renew(self, started: datetime) -> None:
        values = {**self._row, "started_at": started, "heartbeat_at": func.now()}
        statement = insert(Worker).values(values)
        with sessions().begin() as session:
            session.execute(
                statement.on_conflict_do_update(index_elements=[Worker.name], set_=values)
            )
            session.execute(delete(Worker).where(Worker.heartbeat_at < func.now() - _FORGOTTEN))
