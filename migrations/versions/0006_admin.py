"""Workers that say they live, passwords that must be changed, and an audit log that is searched."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

_INDEXES = {
    "ix_audit_actor": ["actor_id", "id"],
    "ix_audit_what": ["object_type", "verb", "id"],
    "ix_audit_at": ["at"],
}


def upgrade() -> None:
    op.add_column(
        "users",
        sa.Column(
            "must_change_password", sa.Boolean(), server_default=sa.text("false"), nullable=False
        ),
    )
    op.create_table(
        "workers",
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("host", sa.String(), nullable=False),
        sa.Column("pid", sa.BigInteger(), nullable=False),
        sa.Column("queues", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        *(
            sa.Column(
                name, sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False
            )
            for name in ("started_at", "heartbeat_at")
        ),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_workers")),
    )
    for name, columns in _INDEXES.items():
        op.create_index(name, "audit", columns)


def downgrade() -> None:
    for name in _INDEXES:
        op.drop_index(name, "audit")
    op.drop_table("workers")
    op.drop_column("users", "must_change_password")
