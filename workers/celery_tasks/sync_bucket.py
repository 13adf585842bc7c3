"""Pools follow places of buckets."""

from typing import Any

from core.jobs.messages import SyncBucket
from core.settings import settings
from workers.app import app
from workers.imports.sync.look import look
from workers.jobs.context import sessions


@app.task(name=SyncBucket.task)  # type: ignore[untyped-decorator]
def sync_bucket(payload: dict[str, Any]) -> None:
    """Look at the place that the message names."""
    look(SyncBucket.model_validate(payload).sync_id, sessions(), settings())
