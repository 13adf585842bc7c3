"""Pruning labels."""

from typing import Any

from core.messages import Prune
from workers.app import app
from workers.runner import run_job


@app.task(name=Prune.task)  # type: ignore[untyped-decorator]
def prune(payload: dict[str, Any]) -> None:
    """Run the job; torch is imported only where this task runs."""
    from workers.prune import handler

    run_job(Prune.model_validate(payload), handler)
