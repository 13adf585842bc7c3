"""What a worker computes on, so that jobs are offered with a network that suits it."""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("workers", sa.Column("device", sa.String(), nullable=True))


def downgrade() -> None:
    op.drop_column("workers", "device")
