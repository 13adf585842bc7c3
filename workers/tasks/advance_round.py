"""Closing a round and publishing the next."""

from typing import Any

from core.messages import AdvanceRound
from workers.app import app
from workers.runner import run_job


@app.task(name=AdvanceRound.task)  # type: ignore[untyped-decorator]
def advance_round(payload: dict[str, Any]) -> None:
    """Run the job; torch is imported only where this task runs."""
    from workers.advance import handler

    run_job(AdvanceRound.model_validate(payload), handler)
