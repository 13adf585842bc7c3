"""Answers of rounds are counted without reading the queries of most of them."""

import sqlalchemy as sa
from alembic import op

revision = "0050"
down_revision = "0049"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # Half a second a million queries.
    op.create_index(
        "ix_queries_unusual",
        "queries",
        ["id"],
        postgresql_include=["requested", "audit", "typical"],
        postgresql_where=sa.text("requested OR audit OR typical"),
    )


def downgrade() -> None:
    op.drop_index("ix_queries_unusual", "queries")
