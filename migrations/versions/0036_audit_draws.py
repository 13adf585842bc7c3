"""Random draws among what a queue asks about, which no model learns from."""

import sqlalchemy as sa
from alembic import op

revision = "0036"
down_revision = "0035"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column(
        "queries", sa.Column("audit", sa.Boolean(), nullable=False, server_default=sa.false())
    )
    op.add_column("queries", sa.Column("audit_probability", sa.Float(), nullable=True))
    op.add_column("queries", sa.Column("audit_rank", sa.BigInteger(), nullable=True))
    op.add_column("queries", sa.Column("audit_released", sa.BigInteger(), nullable=True))
    op.create_index(
        "ix_queries_audit", "queries", ["project_id"], postgresql_where=sa.text("audit")
    )


def downgrade() -> None:
    # The version before knows no setting that it has not got.
    for table in ("projects", "rounds"):
        op.execute(f"UPDATE {table} SET settings = settings - 'audit_share'")
    op.drop_index("ix_queries_audit", table_name="queries")
    for name in ("audit_released", "audit_rank", "audit_probability", "audit"):
        op.drop_column("queries", name)
