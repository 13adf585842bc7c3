"""Addresses that are told of events.

Made from the API's description: ``make openapi`` writes it anew.
"""

from typing import Any, Literal, TypedDict

WebhookEvent = Literal[
    "project.started",
    "project.paused",
    "project.resumed",
    "project.finished",
    "round.opened",
    "round.closing",
    "round.closed",
    "round.failed",
    "certificate.asking",
    "certificate.ready",
    "certificate.applied",
    "certificate.revoked",
    "certificate.refused",
    "job.paused",
    "job.succeeded",
    "job.failed",
    "job.cancelled",
]
"""What a webhook can be told of."""
SwitchedOff = Literal["failing", "gone"]
"""Why Karat has switched a webhook off."""
DeliveryFault = Literal[
    "unresolved", "not_allowed", "unreachable", "timeout", "redirected", "refused"
]
"""Why something could not be told to a webhook."""


class Delivery(TypedDict):
    """One event told to one webhook, or to be told.

    It is `waiting` until `due_at`, then `delivered` or, after the last attempt, `failed`. `status`,
    `fault`, `detail` and the beginning of the `response` are the last attempt's. `payload` is what
    is sent.
    """

    attempts: int
    created_at: str
    delivered_at: str | None
    detail: str | None
    due_at: str | None
    event: str
    fault: DeliveryFault | None
    id: int
    message_id: str
    payload: dict[str, Any]
    response: str | None
    seconds: float | None
    sent_at: str | None
    state: Literal["waiting", "delivered", "failed"]
    status: int | None


class Webhook(TypedDict):
    """An address that is told of `events`: of one project, or of all if `project_id` is null.

    `off_reason` is set where Karat itself has switched it off. `failing_since` is null while the
    last thing sent got through; `waiting` counts what is still to be told. Until
    `old_secret_until`, a day after the present one was made, those before it sign as well, up to
    ten; a newer one moves it for all of them. To tokens below the scope `write` the `url` ends
    after the host (`https://example.org/…`).
    """

    active: bool
    created_at: str
    events: list[WebhookEvent]
    failing_since: str | None
    id: int
    latest: Delivery | None
    off_at: str | None
    off_reason: SwitchedOff | None
    old_secret_until: str | None
    project_id: int | None
    url: str
    waiting: int


class WebhookSecret(TypedDict):
    """A webhook at the only moment that its secret is shown."""

    secret: str
    webhook: Webhook
