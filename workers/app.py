"""The Celery application: ``celery -A workers.app worker -Q gpu``."""

import atexit
import importlib
import socket
import threading
import time
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from celery.schedules import schedule
from celery.signals import beat_init, setup_logging, worker_init, worker_ready

from core.jobs.messages import CPU, GPU, TICKS, FollowPeople, Housekeeping
from core.jobs.queue import celery
from core.process.startup import uncollected
from core.security.private import keep_private
from core.settings import settings
from core.telemetry import logs, tracing
from workers import alive

if TYPE_CHECKING:
    from workers.execution.presence import Presence

TASK_MODULES = (
    "workers.celery_tasks.run_job",
    "workers.celery_tasks.check_weights",
    "workers.celery_tasks.sweep",
    "workers.celery_tasks.remove_files",
    "workers.celery_tasks.deliver_webhooks",
    "workers.celery_tasks.try_judges",
    "workers.celery_tasks.go_on_certifying",
    "workers.celery_tasks.follow_people",
    "workers.celery_tasks.sync_bucket",
)
# Ticks that make up for lost messages alone, and read all that was ever said: in so many sweeps
# there is one.
_SWEEPS: dict[type[Housekeeping], int] = {FollowPeople: 60}
_TRAINER = "workers.advance.handler"
_IMPORTER = "workers.imports.handler"

_BEGAN = datetime.now(UTC)
_BEGAN_SECONDS = time.monotonic()


def steady_time() -> datetime:
    """The time by a clock that nobody sets: a scheduler goes on while the machine's is set back."""
    return _BEGAN + timedelta(seconds=time.monotonic() - _BEGAN_SECONDS)


app = celery()
app.conf.update(
    include=list(TASK_MODULES),
    # In memory: every entry is due again within seconds, and the file would be a pickle.
    beat_scheduler="workers.scheduler:Ticks",
    beat_schedule={
        message.task: {
            "task": message.task,
            "schedule": schedule(
                settings().sweep_seconds * _SWEEPS.get(message, 1), nowfun=steady_time
            ),
            "kwargs": {"payload": {}},
            "options": {"queue": message.queue},
        }
        for message in TICKS
    },
)


@setup_logging.connect  # type: ignore[untyped-decorator]
def _log(**_: Any) -> None:
    logs.configure(settings().log_format)


@worker_init.connect  # type: ignore[untyped-decorator]
@beat_init.connect  # type: ignore[untyped-decorator]
def _live(**_: Any) -> None:
    keep_private()
    alive.begin(settings().alive_file)


@worker_init.connect  # type: ignore[untyped-decorator]
def _trace(**_: Any) -> None:
    tracing.begin("karat-worker")


def _appear(name: str, queues: Iterable[str] = ()) -> "Presence":
    # Once the process runs: whoever only wants to know the tasks needs no database.
    from workers.execution.presence import Presence

    presence = Presence(name, list(queues))
    presence.begin()
    atexit.register(presence.end)
    return presence


@worker_ready.connect  # type: ignore[untyped-decorator]
def _worker_appears(sender: Any, **_: Any) -> None:
    queues = app.amqp.queues.consume_from
    presence = _appear(sender.hostname, queues)
    if GPU in queues:
        threading.Thread(target=_warm_up, args=(presence,), daemon=True).start()
    if CPU in queues:
        importlib.import_module(_IMPORTER)


@beat_init.connect  # type: ignore[untyped-decorator]
def _scheduler_appears(**_: Any) -> None:
    _appear(f"scheduler@{socket.gethostname()}")


def _warm_up(presence: "Presence") -> None:
    """Import what training needs while nobody waits for it, and say what it will run on."""
    with uncollected():
        importlib.import_module(_TRAINER)
    from models.device import best_device

    presence.computes_on(best_device().type)
