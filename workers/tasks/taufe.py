"""Comparing regularizers."""

from typing import Any

from core.messages import CompareRegularizers
from workers.app import app
from workers.runner import run_job


@app.task(name=CompareRegularizers.task)  # type: ignore[untyped-decorator]
def taufe(payload: dict[str, Any]) -> None:
    """Run the job; torch is imported only where this task runs."""
    from workers.taufe import handler

    run_job(CompareRegularizers.model_validate(payload), handler)
