"""Webhooks, what they are to be told of, and what became of telling it."""

from datetime import datetime

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def _time(name: str, default: str | None = None) -> sa.Column[datetime]:
    made = sa.text(default) if default else None
    return sa.Column(
        name, sa.DateTime(timezone=True), server_default=made, nullable=default is None
    )


def _words(name: str, kind: str, *values: str) -> sa.Column[str]:
    return sa.Column(
        name,
        sa.Enum(*values, name=kind, native_enum=False, length=32, create_constraint=True),
        nullable=True,
    )


def _project(table: str) -> tuple[sa.Column[int], sa.ForeignKeyConstraint]:
    return (
        sa.Column("project_id", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(
            ["project_id"],
            ["projects.id"],
            name=op.f(f"fk_{table}_project_id_projects"),
            ondelete="CASCADE",
        ),
    )


def upgrade() -> None:
    op.create_table(
        "webhooks",
        sa.Column("id", sa.BigInteger(), nullable=False),
        *_project("webhooks"),
        sa.Column("url", sa.String(), nullable=False),
        sa.Column("events", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("secret", sa.String(), nullable=False),
        sa.Column("old_secret", sa.String(), nullable=True),
        _time("old_secret_until"),
        sa.Column("active", sa.Boolean(), server_default=sa.text("true"), nullable=False),
        _time("failing_since"),
        _words("off_reason", "switchedoff", "failing", "gone"),
        _time("off_at"),
        sa.Column("created_by", sa.BigInteger(), nullable=True),
        _time("created_at", "now()"),
        sa.ForeignKeyConstraint(
            ["created_by"],
            ["users.id"],
            name=op.f("fk_webhooks_created_by_users"),
            ondelete="SET NULL",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_webhooks")),
    )
    op.create_index(op.f("ix_webhooks_project_id"), "webhooks", ["project_id"])
    op.create_table(
        "webhook_events",
        sa.Column("id", sa.BigInteger(), nullable=False),
        sa.Column("key", sa.Uuid(), server_default=sa.text("gen_random_uuid()"), nullable=False),
        *_project("webhook_events"),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("data", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        _time("at", "clock_timestamp()"),
        sa.Column("handed_out", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_webhook_events")),
    )
    op.create_index(op.f("ix_webhook_events_project_id"), "webhook_events", ["project_id"])
    op.create_index(
        "ix_webhook_events_new",
        "webhook_events",
        ["id"],
        postgresql_where=sa.text("NOT handed_out"),
    )
    _create_deliveries()


def _create_deliveries() -> None:
    op.create_table(
        "webhook_deliveries",
        sa.Column("id", sa.BigInteger(), nullable=False),
        sa.Column("webhook_id", sa.BigInteger(), nullable=False),
        sa.Column("event_id", sa.BigInteger(), nullable=False),
        _time("created_at", "now()"),
        _time("due_at"),
        sa.Column("attempts", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        _time("sent_at"),
        _time("delivered_at"),
        sa.Column("status", sa.BigInteger(), nullable=True),
        _words(
            "fault",
            "deliveryfault",
            "unresolved",
            "not_allowed",
            "unreachable",
            "timeout",
            "redirected",
            "refused",
        ),
        sa.Column("detail", sa.String(), nullable=True),
        sa.Column("response", sa.String(), nullable=True),
        sa.Column("seconds", sa.Float(), nullable=True),
        sa.ForeignKeyConstraint(
            ["webhook_id"],
            ["webhooks.id"],
            name=op.f("fk_webhook_deliveries_webhook_id_webhooks"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["event_id"],
            ["webhook_events.id"],
            name=op.f("fk_webhook_deliveries_event_id_webhook_events"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_webhook_deliveries")),
    )
    op.create_index(op.f("ix_webhook_deliveries_event_id"), "webhook_deliveries", ["event_id"])
    op.create_index("ix_webhook_deliveries_webhook", "webhook_deliveries", ["webhook_id", "id"])
    op.create_index(
        "ix_webhook_deliveries_due",
        "webhook_deliveries",
        ["webhook_id", "id"],
        postgresql_where=sa.text("due_at IS NOT NULL"),
    )


def downgrade() -> None:
    op.drop_table("webhook_deliveries")
    op.drop_table("webhook_events")
    op.drop_table("webhooks")
