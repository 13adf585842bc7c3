"""Boxes that a model proposes where it asks: ``queries.proposals``."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0030"
down_revision = "0029"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("queries", sa.Column("proposals", JSONB(none_as_null=True), nullable=True))


def downgrade() -> None:
    found = sa.text("SELECT name FROM projects WHERE task = 'boxes' ORDER BY id")
    if names := list(op.get_bind().scalars(found)):
        raise RuntimeError(
            f"The version before has no place for boxes: {', '.join(names)}. Export these "
            "projects and delete them first."
        )
    # The version before knows no setting that it has not got.
    for table in ("projects", "rounds"):
        op.execute(f"UPDATE {table} SET settings = settings - 'shifted_proposals'")
    op.drop_column("queries", "proposals")
