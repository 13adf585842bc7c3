"""Looking at weights before a round needs them."""

from typing import Any

from core.files.storage import Storage
from core.jobs.messages import CheckWeights
from core.settings import settings
from workers import weights
from workers.app import app
from workers.jobs.context import sessions


@app.task(name=CheckWeights.task)  # type: ignore[untyped-decorator]
def check_weights(payload: dict[str, Any]) -> None:
    """Check what nobody has checked; torch is imported only where this task runs."""
    CheckWeights.model_validate(payload)
    weights.check_all(sessions(), Storage.of(settings()))
