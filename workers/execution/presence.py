"""Saying that this process lives, so that an admin sees which workers there are."""

import logging
import os
import socket
import threading
import time
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from sqlalchemy import Engine, delete, func
from sqlalchemy.dialects.postgresql import Insert, insert
from sqlalchemy.exc import SQLAlchemyError

from core.process.version import build
from core.settings import Settings, settings
from core.tables import Worker
from workers.jobs.context import sessions

logger = logging.getLogger(__name__)

# A worker that has been gone for so long is not coming back.
_FORGOTTEN: Final = timedelta(days=7)
_FORGET_SECONDS: Final = 3600.0
_TABLE: Final = Worker.metadata.tables[Worker.__tablename__]
_FORGET: Final = delete(_TABLE).where(_TABLE.c.heartbeat_at < func.now() - _FORGOTTEN)


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
        engine: Engine = sessions().kw["bind"]
        every = _renewal_seconds(settings())
        forgot: float | None = None
        while not self._ends:
            try:
                # Each statement by itself: for a transaction of one there are two more questions.
                with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
                    connection.execute(self._renewal(started))
                    if forgot is None or time.monotonic() - forgot > _FORGET_SECONDS:
                        connection.execute(_FORGET)
                        forgot = time.monotonic()
            except SQLAlchemyError as error:
                logger.warning("nobody hears that this worker lives: %s", error)
            self._news.wait(every)
            self._news.clear()

    def _renewal(self, started: datetime) -> Insert:
        values = {**self._row, "started_at": started, "heartbeat_at": func.now()}
        statement = insert(_TABLE).values(values)
        return statement.on_conflict_do_update(index_elements=[_TABLE.c.name], set_=values)


def _renewal_seconds(settings_: Settings) -> float:
    """How often to say so: two of these may be lost before anybody is missed."""
    return max(settings_.heartbeat_seconds, settings_.stale_seconds / 3)
