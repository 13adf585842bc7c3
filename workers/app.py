"""The Celery application: ``celery -A workers.app worker -Q gpu``."""

import logging
from typing import Any

from celery.signals import setup_logging

from core.messages import MESSAGES
from core.queue import celery
from core.settings import settings

TASK_MODULES = ("workers.tasks.advance_round", "workers.tasks.import_pool", "workers.tasks.sweep")

app = celery()
app.conf.update(
    include=list(TASK_MODULES),
    task_routes={message.task: {"queue": message.queue} for message in MESSAGES},
    beat_schedule={
        "sweep": {
            "task": "sweep",
            "schedule": settings().sweep_seconds,
            "kwargs": {"payload": {}},
            # A sweep that waited is as good as the next one.
            "options": {"queue": "cpu", "expires": settings().sweep_seconds * 2},
        }
    },
)


@setup_logging.connect  # type: ignore[untyped-decorator]
def _log(**_: Any) -> None:
    logging.basicConfig(
        level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s"
    )
