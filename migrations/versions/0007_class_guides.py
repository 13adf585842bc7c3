"""What belongs to each class: a description, and images pinned as examples."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("classes", sa.Column("guide", sa.String(), server_default="", nullable=False))
    op.add_column(
        "classes",
        sa.Column("pinned", postgresql.ARRAY(sa.BigInteger()), server_default="{}", nullable=False),
    )


def downgrade() -> None:
    op.drop_column("classes", "pinned")
    op.drop_column("classes", "guide")
