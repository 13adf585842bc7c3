"""Telling webhooks what happened."""

from typing import Any

from core.messages import DeliverWebhooks
from core.settings import settings
from workers.app import app


@app.task(name=DeliverWebhooks.task)  # type: ignore[untyped-decorator]
def deliver_webhooks(payload: dict[str, Any]) -> None:
    """Make every delivery that is due, unless this installation is to tell nobody."""
    from workers.webhooks.delivery import deliver

    DeliverWebhooks.model_validate(payload)
    if settings().webhooks:
        deliver(settings())
