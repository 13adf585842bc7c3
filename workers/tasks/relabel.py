"""Relabeling."""

from typing import Any

from core.messages import Relabel
from workers.app import app
from workers.runner import run_job


@app.task(name=Relabel.task)  # type: ignore[untyped-decorator]
def relabel(payload: dict[str, Any]) -> None:
    """Run the job; torch is imported only where this task runs."""
    from workers.relabel import handler

    run_job(Relabel.model_validate(payload), handler)
