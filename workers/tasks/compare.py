"""Comparing the images of a pool with each other."""

from typing import Any

from core.messages import Compare
from workers.app import app
from workers.runner import run_job


@app.task(name=Compare.task)  # type: ignore[untyped-decorator]
def compare(payload: dict[str, Any]) -> None:
    """Run the job; torch is imported only where this task runs."""
    from workers.compare import handler

    run_job(Compare.model_validate(payload), handler)
