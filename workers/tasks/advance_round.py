"""Closing a round and publishing the next."""

import os
from typing import Any

from core.messages import AdvanceRound
from workers.app import app
from workers.runner import run_job


@app.task(name=AdvanceRound.task)  # type: ignore[untyped-decorator]
def advance_round(payload: dict[str, Any]) -> None:
    """Run the job; torch is imported only where this task runs."""
    # Threads that spin while they wait slow a small network fivefold on a busy machine.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    from workers.advance import handler

    run_job(AdvanceRound.model_validate(payload), handler)
