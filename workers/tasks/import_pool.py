"""Reading an upload into a pool."""

from typing import Any

from core.messages import ImportPool
from workers.app import app
from workers.imports import handler
from workers.runner import run_job


@app.task(name=ImportPool.task)  # type: ignore[untyped-decorator]
def import_pool(payload: dict[str, Any]) -> None:
    run_job(ImportPool.model_validate(payload), handler)
