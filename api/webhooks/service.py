import base64
import secrets
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Final
from urllib.parse import urlsplit

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from api.audit import record
from api.callers.access import managed_project
from api.callers.principal import Principal
from api.schemas.addresses import require_allowed
from api.telling import tell
from api.webhooks import queries
from api.webhooks.schemas import DeliveryOut, WebhookCreate, WebhookOut, WebhookUpdate
from core.errors import Conflict, Forbidden, NotFound
from core.events import Topic
from core.jobs import queue
from core.jobs.messages import DeliverWebhooks
from core.settings import Settings
from core.states import Scope
from core.tables import Delivery, Webhook, WebhookEvent
from core.webhooks import SECRET_PREFIX, TEST, message_id, old_secrets, payload

MOST: Final = 20
OVERLAP: Final = timedelta(days=1)
"""How long the secrets before a new one sign as well."""
OLD_SECRETS: Final = 10
"""How many of them at most: each is a part of a header."""


async def list_webhooks(
    session: AsyncSession, principal: Principal, settings: Settings, project_id: int | None
) -> list[WebhookOut]:
    hooks = (await session.scalars(queries.of_project(project_id))).all()
    return await _shown(session, principal, settings, hooks)


async def find(
    session: AsyncSession, principal: Principal, webhook_id: int, *, lock: bool = False
) -> Webhook:
    """A webhook that the caller may manage: that of a project, or for admins of all projects."""
    locked = {"key_share": True} if lock else None
    hook = await session.get(Webhook, webhook_id, with_for_update=locked)
    of_all = hook is not None and hook.project_id is None
    if hook is None or (of_all and (not principal.admin or principal.project_id is not None)):
        raise NotFound("webhook")
    if of_all and principal.scope is not Scope.ADMIN:
        raise Forbidden(
            "scope_required", "Webhooks of the installation need an API token of scope admin."
        )
    if hook.project_id is not None:
        try:
            await managed_project(session, principal, hook.project_id)
        except NotFound:
            raise NotFound("webhook") from None
    return hook


async def describe(
    session: AsyncSession, principal: Principal, settings: Settings, hook: Webhook
) -> WebhookOut:
    (shown,) = await _shown(session, principal, settings, [hook])
    return shown


async def create(
    session: AsyncSession,
    principal: Principal,
    settings: Settings,
    project_id: int | None,
    body: WebhookCreate,
) -> tuple[Webhook, str]:
    """A new webhook and its secret; the caller has locked the project, if there is one."""
    _require_allowed(body.url, settings)
    others = select(func.count()).where(Webhook.project_id == project_id)
    if (await session.scalar(others) or 0) >= MOST:
        raise Conflict("too_many_webhooks", f"There are {MOST} webhooks already; delete one first.")
    hook = Webhook(
        project_id=project_id,
        url=body.url,
        events=[kind.value for kind in body.events],
        secret=_new_secret(),
        active=True,
        created_by=principal.id,
    )
    session.add(hook)
    await session.flush()
    await session.refresh(hook)
    _record(session, principal, "create", hook, events=hook.events)
    return hook, hook.secret


async def update(
    session: AsyncSession, principal: Principal, settings: Settings, hook: Webhook,
    body: WebhookUpdate,
) -> None:  # fmt: skip
    if body.url is not None:
        _require_allowed(body.url, settings)
        hook.url = body.url
    if body.events is not None:
        hook.events = [kind.value for kind in body.events]
    if body.active is not None:
        if body.active and not hook.active:
            hook.off_reason = hook.off_at = hook.failing_since = None
            queue.remember(session.info, DeliverWebhooks())
        hook.active = body.active
    switched = {} if body.active is None else {"active": body.active}
    _record(session, principal, "update", hook, fields=sorted(body.model_fields_set), **switched)
    await session.flush()


async def remove(session: AsyncSession, principal: Principal, hook: Webhook) -> None:
    _record(session, principal, "delete", hook)
    await session.delete(hook)


async def rotate(session: AsyncSession, principal: Principal, hook: Webhook) -> str:
    """A new secret; for a day from now the present one signs beside it, and those that still do.

    Of several that are made in a day nobody knows which the receiver has.
    """
    now = datetime.now(UTC)
    before = old_secrets(hook, now)[-(OLD_SECRETS - 1) :]
    hook.old_secret, hook.old_secret_until = " ".join([*before, hook.secret]), now + OVERLAP
    hook.secret = _new_secret()
    _record(session, principal, "rotate", hook)
    await session.flush()
    return hook.secret


async def ping(session: AsyncSession, settings: Settings, hook: Webhook) -> DeliveryOut:
    """Tell the webhook that this is a test, at once."""
    event = WebhookEvent(kind=TEST, project_id=hook.project_id, data={}, handed_out=True)
    session.add(event)
    await session.flush()
    return await _deliver(session, settings, hook, event)


async def redeliver(
    session: AsyncSession, principal: Principal, settings: Settings, hook: Webhook,
    delivery_id: int,
) -> DeliveryOut:  # fmt: skip
    """Tell an event again under the id that it had; what came of it before stays listed."""
    event = await session.scalar(
        select(WebhookEvent)
        .join(Delivery, Delivery.event_id == WebhookEvent.id)
        .where(Delivery.id == delivery_id, Delivery.webhook_id == hook.id)
    )
    if event is None:
        raise NotFound("delivery")
    _record(session, principal, "redeliver", hook, event=event.kind)
    return await _deliver(session, settings, hook, event)


async def deliveries(
    session: AsyncSession, settings: Settings, hook: Webhook, *, cursor: int | None, limit: int
) -> list[DeliveryOut]:
    """What the webhook was told and is to be told, the latest first."""
    statement = queries.deliveries().where(Delivery.webhook_id == hook.id)
    if cursor is not None:
        statement = statement.where(Delivery.id < cursor)
    rows = await session.execute(statement.order_by(Delivery.id.desc()).limit(limit))
    return [_told(*row, settings) for row in rows]


async def _deliver(
    session: AsyncSession, settings: Settings, hook: Webhook, event: WebhookEvent
) -> DeliveryOut:
    if not hook.active:
        raise Conflict(
            "webhook_inactive", "The webhook is switched off; switch it on first.", field="active"
        )
    delivery = Delivery(webhook_id=hook.id, event_id=event.id, due_at=datetime.now(UTC))
    session.add(delivery)
    await session.flush()
    queue.remember(session.info, DeliverWebhooks())
    if hook.project_id is not None:
        tell(session, hook.project_id, Topic.WEBHOOK)
    found = await session.execute(queries.deliveries().where(Delivery.id == delivery.id))
    return _told(*found.one(), settings)


def _require_allowed(url: str, settings: Settings) -> None:
    require_allowed(url, settings.allowed, variable="KARAT_WEBHOOK_ALLOW", field="url")


def _new_secret() -> str:
    return SECRET_PREFIX + base64.b64encode(secrets.token_bytes(32)).decode()


def _record(
    session: AsyncSession, principal: Principal, verb: str, hook: Webhook, **detail: object
) -> None:
    # The host only: the rest of an address may be what lets one write to it.
    host = urlsplit(hook.url).hostname
    record(
        session, principal, verb, "webhook", hook.id, project_id=hook.project_id, host=host,
        **detail,
    )  # fmt: skip


async def _shown(
    session: AsyncSession, principal: Principal, settings: Settings, hooks: Sequence[Webhook]
) -> list[WebhookOut]:
    ids = [hook.id for hook in hooks]
    latest = {
        row[0].webhook_id: _told(*row, settings)
        for row in await session.execute(queries.latest(ids))
    }
    rows = (await session.execute(queries.waiting(ids))).all()
    waiting = {webhook_id: count for webhook_id, count in rows}  # noqa: C416  rows are no pairs
    now = datetime.now(UTC)
    return [
        WebhookOut.model_validate(
            {
                **{name: getattr(hook, name) for name in _COLUMNS},
                "url": hook.url if principal.may(Scope.WRITE) else _without_path(hook.url),
                "old_secret_until": _still(hook.old_secret_until, now),
                "waiting": waiting.get(hook.id, 0),
                "latest": latest.get(hook.id),
            }
        )
        for hook in hooks
    ]


_COLUMNS: Final = WebhookOut.model_fields.keys() - {
    "url", "waiting", "latest", "old_secret_until",
}  # fmt: skip


def _without_path(url: str) -> str:
    """What tells an address from others, and lets nobody write to it."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}/…"


def _still(until: datetime | None, now: datetime) -> datetime | None:
    return until if until is not None and until > now else None


def _told(
    delivery: Delivery, event: WebhookEvent, project: str | None, settings: Settings
) -> DeliveryOut:
    own = DeliveryOut.model_fields.keys() - {"event", "message_id", "state", "payload"}
    ended = "failed" if delivery.delivered_at is None else "delivered"
    return DeliveryOut.model_validate(
        {
            **{name: getattr(delivery, name) for name in own},
            "event": event.kind,
            "message_id": message_id(event),
            "state": "waiting" if delivery.due_at is not None else ended,
            "payload": payload(event, project, settings.public_url),
        }
    )
