"""Bringing the images of a project to another size."""

from typing import Any

from core.messages import Resize
from workers.app import app
from workers.runner import run_job


@app.task(name=Resize.task)  # type: ignore[untyped-decorator]
def resize(payload: dict[str, Any]) -> None:
    """Run the job; what reads images is imported only where this task runs."""
    from workers.resize import handler

    run_job(Resize.model_validate(payload), handler)
