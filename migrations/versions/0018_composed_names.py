"""Names of images are found however their letters are composed.

Revision ID: 0018
Revises: 0017
"""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.drop_index("ix_examples_name", "examples")
    op.create_index("ix_examples_name", "examples", ["project_id", sa.text("normalize(name)")])


def downgrade() -> None:
    op.drop_index("ix_examples_name", "examples")
    op.create_index("ix_examples_name", "examples", ["project_id", "name"])
