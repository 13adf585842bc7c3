"""Asking judges that somebody wants to see answer."""

from typing import Any

from core.jobs.messages import TryJudges
from core.settings import settings
from workers.app import app
from workers.jobs.context import sessions
from workers.judges.trial import try_all


@app.task(name=TryJudges.task)  # type: ignore[untyped-decorator]
def try_judges(payload: dict[str, Any]) -> None:
    """Ask each, and note what it said."""
    TryJudges.model_validate(payload)
    try_all(sessions(), settings())
