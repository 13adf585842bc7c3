"""Single sign-on, second factors, and what people see of their sessions."""

import sqlalchemy as sa
from alembic import op

revision = "0039"
down_revision = "0038"
branch_labels = None
depends_on = None

_NOW = sa.text("now()")


def upgrade() -> None:
    for name in ("second_factor", "second_factor_required"):
        op.add_column(
            "users", sa.Column(name, sa.Boolean(), nullable=False, server_default=sa.false())
        )
    op.add_column("users", sa.Column("password_until", sa.DateTime(timezone=True), nullable=True))
    op.add_column(
        "sessions", sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False)
    )
    op.create_unique_constraint(op.f("uq_sessions_id"), "sessions", ["id"])
    op.add_column(
        "sessions",
        sa.Column("method", sa.String(length=32), nullable=False, server_default="password"),
    )
    op.create_check_constraint(
        op.f("ck_sessions_signinmethod"), "sessions", "method IN ('password', 'oidc')"
    )
    op.add_column("sessions", sa.Column("address", sa.String(), nullable=True))
    op.add_column("sessions", sa.Column("agent", sa.String(), nullable=True))
    op.add_column(
        "sessions",
        sa.Column("last_seen_at", sa.DateTime(timezone=True), nullable=False, server_default=_NOW),
    )
    op.execute("UPDATE sessions SET last_seen_at = created_at")
    op.add_column("sessions", sa.Column("id_token_sealed", sa.LargeBinary(), nullable=True))
    _tables()


def _tables() -> None:
    op.create_table(
        "identities",
        sa.Column("issuer", sa.String(), nullable=False),
        sa.Column("subject", sa.String(), nullable=False),
        sa.Column("user_id", sa.BigInteger(), nullable=False),
        sa.Column(
            "created_at", sa.DateTime(timezone=True), server_default=_NOW, nullable=False
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name=op.f("fk_identities_user_id_users"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("issuer", "subject", name=op.f("pk_identities")),
        sa.UniqueConstraint("user_id", "issuer", name=op.f("uq_identities_user_id_issuer")),
    )  # fmt: skip
    op.create_table(
        "second_factors",
        sa.Column("user_id", sa.BigInteger(), nullable=False),
        sa.Column("secret_sealed", sa.LargeBinary(), nullable=False),
        sa.Column("last_step", sa.BigInteger(), nullable=True),
        sa.Column("failures", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("confirmed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column(
            "created_at", sa.DateTime(timezone=True), server_default=_NOW, nullable=False
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name=op.f("fk_second_factors_user_id_users"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("user_id", name=op.f("pk_second_factors")),
    )  # fmt: skip
    op.create_table(
        "recovery_codes",
        sa.Column("code_hash", sa.String(), nullable=False),
        sa.Column("user_id", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name=op.f("fk_recovery_codes_user_id_users"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("code_hash", name=op.f("pk_recovery_codes")),
    )  # fmt: skip
    op.create_index(op.f("ix_recovery_codes_user_id"), "recovery_codes", ["user_id"])


def downgrade() -> None:
    for table in ("recovery_codes", "second_factors", "identities"):
        op.drop_table(table)
    # Of the version before, every session is one of somebody who typed a password.
    op.execute("DELETE FROM sessions WHERE method <> 'password'")
    for name in ("id_token_sealed", "last_seen_at", "agent", "address", "method", "id"):
        op.drop_column("sessions", name)
    for name in ("password_until", "second_factor_required", "second_factor"):
        op.drop_column("users", name)
