"""Running jobs of every kind."""

from typing import Any

from core.jobs.messages import RunJob
from workers.app import app
from workers.execution import runner


@app.task(name=RunJob.task)  # type: ignore[untyped-decorator]
def run_job(payload: dict[str, Any]) -> None:
    """Run the job that the message names, or the import whose turn it is."""
    runner.run_job(RunJob.model_validate(payload))
