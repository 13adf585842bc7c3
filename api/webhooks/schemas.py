from datetime import datetime
from typing import Annotated, Any, Literal

import httpx
from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from core.states import DeliveryFault, EventKind, SwitchedOff


def _address(url: str) -> str:
    try:
        read = httpx.URL(url)
    except httpx.InvalidURL as error:
        raise ValueError(f"this is no address: {error}") from None
    if read.scheme not in {"http", "https"} or not read.host:
        raise ValueError("write the whole address, such as https://example.org/karat")
    if read.port is not None and not 0 < read.port < 65536:
        raise ValueError("its port is not between 1 and 65535")
    if read.userinfo:
        raise ValueError("leave name and password out of it; check the signature instead")
    if read.fragment:
        raise ValueError("leave out what follows the #, it is never sent")
    return str(read)


def _once(events: list[EventKind]) -> list[EventKind]:
    return [kind for kind in EventKind if kind in events]


Address = Annotated[str, Field(min_length=1, max_length=2000), AfterValidator(_address)]
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
    """One event told to one webhook, or to be told: `waiting` until `due_at`, `delivered` or, after
    the last attempt, `failed`. `status`, `fault`, `detail` and the beginning of the `response` are
    the last attempt's. `payload` is what is sent."""

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
    `old_secret_until` the secret before the present one signs as well.
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
