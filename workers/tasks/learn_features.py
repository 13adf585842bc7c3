"""Learning features of a pool."""

from typing import Any

from core.messages import LearnFeatures
from workers.app import app
from workers.runner import run_job


@app.task(name=LearnFeatures.task)  # type: ignore[untyped-decorator]
def learn_features(payload: dict[str, Any]) -> None:
    """Run the job; torch is imported only where this task runs."""
    from workers.features import handler

    run_job(LearnFeatures.model_validate(payload), handler)
