"""Images in which nothing of the classes is, told from those with boxes."""

import sqlalchemy as sa
from alembic import op

revision = "0046"
down_revision = "0045"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index(
        "ix_examples_no_objects",
        "examples",
        ["project_id", "split", "pool_index"],
        postgresql_where=sa.text("(label -> 'boxes') = '[]'"),
    )


def downgrade() -> None:
    op.drop_index("ix_examples_no_objects", "examples")
