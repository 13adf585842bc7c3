"""Telling webhooks what happened."""

from typing import Any

from core.jobs.messages import DeliverWebhooks
from core.settings import settings
from workers.app import app


@app.task(name=DeliverWebhooks.task)  # type: ignore[untyped-decorator]
def deliver_webhooks(payload: dict[str, Any]) -> None:
    """Make every delivery that is due; if nobody is to be told, only forget what is old."""
    from workers.jobs.context import sessions
    from workers.webhooks.delivery import deliver
    from workers.webhooks.handing_out import forget

    DeliverWebhooks.model_validate(payload)
    if settings().webhooks:
        deliver(settings())
        return
    with sessions().begin() as session:
        forget(session)
