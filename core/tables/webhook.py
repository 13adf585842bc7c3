"""Addresses that are told what happens, what happened, and what became of telling it."""

import uuid
from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Index, func, text
from sqlalchemy.orm import Mapped, mapped_column

from core.states import DeliveryFault, SwitchedOff
from core.tables.base import Base


class Webhook(Base):
    """An address that is told of events: those of one project, or without one those of all.

    ``secret`` signs what is sent, and has to be kept as it is; it is shown once. Until
    ``old_secret_until`` those before it sign as well, which ``old_secret`` has with a space between
    them. ``failing_since`` is empty while the last thing sent got through. ``off_reason`` says that
    Karat itself has made the webhook inactive.
    """

    __tablename__ = "webhooks"

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int | None] = mapped_column(
        ForeignKey("projects.id", ondelete="CASCADE"), index=True
    )
    url: Mapped[str]
    events: Mapped[list[str]]
    secret: Mapped[str]
    old_secret: Mapped[str | None]
    old_secret_until: Mapped[datetime | None]
    active: Mapped[bool] = mapped_column(server_default=text("true"))
    failing_since: Mapped[datetime | None]
    off_reason: Mapped[SwitchedOff | None]
    off_at: Mapped[datetime | None]
    created_by: Mapped[int | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"))
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())


class WebhookEvent(Base):
    """Something that happened. Written by the transaction that made it so: the row is the outbox.

    ``kind`` is an ``EventKind``, or that of a test. ``key`` names the event to receivers and is
    not used again after a restore, as ``id`` may be. ``handed_out``: its deliveries are there.
    """

    __tablename__ = "webhook_events"
    __table_args__ = (
        Index("ix_webhook_events_new", "id", postgresql_where=text("NOT handed_out")),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    key: Mapped[uuid.UUID] = mapped_column(server_default=func.gen_random_uuid())
    project_id: Mapped[int | None] = mapped_column(
        ForeignKey("projects.id", ondelete="CASCADE"), index=True
    )
    kind: Mapped[str]
    data: Mapped[dict[str, Any]]
    at: Mapped[datetime] = mapped_column(server_default=func.clock_timestamp())
    handed_out: Mapped[bool] = mapped_column(server_default=text("false"))


class Delivery(Base):
    """One event to be told to one webhook, and what came of the last attempt.

    ``due_at`` is when to try next, and empty once that is over: told at ``delivered_at``, or given
    up. ``attempts`` is counted before each, and is the fencing token of whoever makes it.
    ``status``, ``fault``, ``detail`` and the beginning of the ``response`` are the last attempt's.
    """

    __tablename__ = "webhook_deliveries"
    __table_args__ = (
        # Listed by the first; the second is short, as most deliveries are over.
        Index("ix_webhook_deliveries_webhook", "webhook_id", "id"),
        Index(
            "ix_webhook_deliveries_due",
            "webhook_id",
            "id",
            postgresql_where=text("due_at IS NOT NULL"),
        ),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    webhook_id: Mapped[int] = mapped_column(ForeignKey("webhooks.id", ondelete="CASCADE"))
    event_id: Mapped[int] = mapped_column(
        ForeignKey("webhook_events.id", ondelete="CASCADE"), index=True
    )
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    due_at: Mapped[datetime | None]
    attempts: Mapped[int] = mapped_column(server_default=text("0"))
    sent_at: Mapped[datetime | None]
    delivered_at: Mapped[datetime | None]
    status: Mapped[int | None]
    fault: Mapped[DeliveryFault | None]
    detail: Mapped[str | None]
    response: Mapped[str | None]
    seconds: Mapped[float | None]
