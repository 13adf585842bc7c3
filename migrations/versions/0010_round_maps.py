"""The query set of a round, answered or not.

A BRIN index: rows of a round are written together and its number never changes, so a few bytes per
megabyte of table find them, and leasing and answering do not pay for it.
"""

from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index(
        "ix_queries_round",
        "queries",
        ["round_id"],
        postgresql_using="brin",
        postgresql_with={"pages_per_range": "16"},
    )


def downgrade() -> None:
    op.drop_index("ix_queries_round", "queries")
