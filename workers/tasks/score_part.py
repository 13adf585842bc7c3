"""Scoring a part of a pool."""

from typing import Any

from core.messages import ScorePart
from workers.app import app
from workers.runner import run_job


@app.task(name=ScorePart.task)  # type: ignore[untyped-decorator]
def score_part(payload: dict[str, Any]) -> None:
    """Run the job; torch is imported only where this task runs."""
    from workers.advance.scoring import Part

    run_job(ScorePart.model_validate(payload), Part())
