from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from api.schemas.addresses import Address
from core.states import DeliveryFault, EventKind, SwitchedOff


def _once(events: list[EventKind]) -> list[EventKind]:
    return [kind for kind in EventKind if kind in events]


Events = Annotated[
    list[EventKind], Field(min_length=1, max_length=2 * len(EventKind)), AfterValidator(_once)
]


class WebhookCreate(BaseModel):
    model_config = ConfigDict(extra="forbid")

    url: Address
    events: Events = Field(default_factory=lambda: list(EventKind))


class WebhookUpdate(BaseModel):
    """What is left out stays. To make it active again forgets why it was switched off."""

    model_config = ConfigDict(extra="forbid")

    url: Address | None = None
    events: Events | None = None
    active: bool | None = None


class DeliveryOut(BaseModel):
    """One event told to one webhook, or to be told.

    It is `waiting` until `due_at`, then `delivered` or, after the last attempt, `failed`. `status`,
    `fault`, `detail` and the beginning of the `response` are the last attempt's. `payload` is what
    is sent.
    """

    id: int
    event: str
    message_id: str
    state: Literal["waiting", "delivered", "failed"]
    attempts: int
    created_at: datetime
    due_at: datetime | None
    sent_at: datetime | None
    delivered_at: datetime | None
    status: int | None
    fault: DeliveryFault | None
    detail: str | None
    response: str | None
    seconds: float | None
    payload: dict[str, Any]


class WebhookOut(BaseModel):
    """An address that is told of `events`: of one project, or of all if `project_id` is null.

    `off_reason` is set where Karat itself has switched it off. `failing_since` is null while the
    last thing sent got through; `waiting` counts what is still to be told. Until
    `old_secret_until`, a day after the present one was made, those before it sign as well, up to
    ten; a newer one moves it for all of them. To tokens below the scope `write` the `url` ends
    after the host (`https://example.org/…`).
    """

    id: int
    project_id: int | None
    url: str
    events: list[EventKind]
    active: bool
    off_reason: SwitchedOff | None
    off_at: datetime | None
    failing_since: datetime | None
    waiting: int
    old_secret_until: datetime | None
    created_at: datetime
    latest: DeliveryOut | None


class WebhookSecret(BaseModel):
    """A webhook at the only moment that its secret is shown."""

    webhook: WebhookOut
    secret: str
