"""Going on with certificates that people are asked for."""

from typing import Any

from core.files.storage import Storage
from core.jobs.messages import GoOnCertifying
from core.settings import settings
from workers.app import app
from workers.certificates.observing import go_on_with_all
from workers.jobs.context import sessions


@app.task(name=GoOnCertifying.task)  # type: ignore[untyped-decorator]
def go_on_certifying(payload: dict[str, Any]) -> None:
    """Go on with each of which anything new is known."""
    message = GoOnCertifying.model_validate(payload)
    go_on_with_all(sessions(), Storage.of(settings()), answered_in=message.answered_in)
