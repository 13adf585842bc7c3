"""Scopes of API tokens, and failed logins that every API process counts."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column(
        "api_tokens",
        sa.Column(
            "scope",
            sa.Enum(
                "read",
                "label",
                "write",
                "admin",
                name="scope",
                native_enum=False,
                length=32,
                create_constraint=True,
            ),
            server_default=sa.text("'admin'"),
            nullable=False,
        ),
    )
    op.create_table(
        "login_attempts",
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("failures", sa.BigInteger(), nullable=False),
        sa.Column("since", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_login_attempts")),
    )
    op.create_index(op.f("ix_login_attempts_since"), "login_attempts", ["since"])


def downgrade() -> None:
    op.drop_table("login_attempts")
    # They would do everything that their owners may.
    op.execute(
        "UPDATE api_tokens SET revoked_at = now() WHERE scope <> 'admin' AND revoked_at IS NULL"
    )
    op.drop_column("api_tokens", "scope")
