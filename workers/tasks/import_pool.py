"""Reading uploads into pools."""

from typing import Any

from core.messages import ImportPool
from workers.app import app
from workers.fairness import next_import
from workers.runner import run_job


@app.task(name=ImportPool.task)  # type: ignore[untyped-decorator]
def import_pool(payload: dict[str, Any]) -> None:
    """Run the import whose turn it is; what reads images is imported only where this task runs."""
    from workers.imports import handler

    run_job(ImportPool.model_validate(payload), handler, pick=next_import)
