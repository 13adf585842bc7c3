"""Looking at one file, to find what is like it."""

from typing import Any

from core.messages import LookUp
from workers.app import app
from workers.runner import run_job


@app.task(name=LookUp.task)  # type: ignore[untyped-decorator]
def look_up(payload: dict[str, Any]) -> None:
    """Run the job; torch is imported only where this task runs."""
    from workers.look_up import handler

    run_job(LookUp.model_validate(payload), handler)
