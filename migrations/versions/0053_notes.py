"""Notes beside verdicts."""

import sqlalchemy as sa
from alembic import op

revision = "0053"
down_revision = "0052"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("annotations", sa.Column("note", sa.String()))
    op.create_index(
        "ix_annotations_note",
        "annotations",
        ["example_id"],
        postgresql_where=sa.text("note IS NOT NULL"),
    )


def downgrade() -> None:
    op.drop_index("ix_annotations_note", "annotations")
    op.drop_column("annotations", "note")
