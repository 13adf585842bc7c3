"""From what happened to what is to be told to whom."""

from datetime import UTC, datetime, timedelta
from typing import Final

from sqlalchemy import delete, exists, func, insert, literal, or_, select, update
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Session

from core.tables import Delivery, Webhook, WebhookEvent

KEPT: Final = timedelta(days=30)
_BLOCK: Final = 1000
# Any number that no project has, whose ids are locked as well.
_LOCK: Final = -1


def hand_out(session: Session) -> bool:
    """Make the deliveries of the oldest new events, in their order; returns whether more wait.

    An event that nobody is to be told of, or that is too old, is removed, so that nothing piles up
    without webhooks.
    """
    # One at a time: two would take turns with the ids, and mix up the order.
    if not session.scalar(select(func.pg_try_advisory_xact_lock(_LOCK))):
        return False
    new = select(WebhookEvent.id).where(~WebhookEvent.handed_out).order_by(WebhookEvent.id)
    ids = session.scalars(new.limit(_BLOCK)).all()
    if not ids:
        return False
    mine = WebhookEvent.id.in_(ids)
    wanted = (
        select(Webhook.id, WebhookEvent.id, literal(datetime.now(UTC)))
        .join(
            WebhookEvent,
            or_(Webhook.project_id.is_(None), Webhook.project_id == WebhookEvent.project_id),
        )
        .where(
            mine,
            Webhook.active,
            WebhookEvent.at >= datetime.now(UTC) - KEPT,
            Webhook.events.op("@>")(func.to_jsonb(WebhookEvent.kind, type_=JSONB)),
        )
        .order_by(WebhookEvent.id)
    )
    session.execute(insert(Delivery).from_select(["webhook_id", "event_id", "due_at"], wanted))
    told = exists().where(Delivery.event_id == WebhookEvent.id)
    session.execute(delete(WebhookEvent).where(mine, ~told))
    session.execute(update(WebhookEvent).where(mine).values(handed_out=True))
    return len(ids) == _BLOCK


def forget(session: Session) -> None:
    """Remove events that are older than is worth keeping, with their deliveries."""
    oldest = select(WebhookEvent.id).order_by(WebhookEvent.id).limit(_BLOCK)
    session.execute(
        delete(WebhookEvent).where(
            WebhookEvent.id.in_(oldest),
            WebhookEvent.at < datetime.now(UTC) - KEPT,
        )
    )
