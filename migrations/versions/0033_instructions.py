"""Rows of instruction data, and queries that ask about several examples together."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0033"
down_revision = "0032"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("example_texts", sa.Column("fields", JSONB(none_as_null=True), nullable=True))
    op.create_table(
        "query_members",
        sa.Column("query_id", sa.BigInteger(), nullable=False),
        sa.Column("place", sa.BigInteger(), nullable=False),
        sa.Column("example_id", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["query_id"], ["queries.id"], ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["example_id"], ["examples.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("query_id", "place"),
    )
    op.create_index("ix_query_members_example", "query_members", ["example_id"])


def downgrade() -> None:
    found = sa.text("SELECT name FROM projects WHERE task = 'instructions' ORDER BY id")
    if names := list(op.get_bind().scalars(found)):
        raise RuntimeError(
            f"The version before has no place for instructions: {', '.join(names)}. Export these "
            "projects and delete them first."
        )
    op.drop_table("query_members")
    op.drop_column("example_texts", "fields")
