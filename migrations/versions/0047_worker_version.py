"""Which Karat a worker is, so that an admin sees one that was not upgraded with the others."""

import sqlalchemy as sa
from alembic import op

revision = "0047"
down_revision = "0046"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("workers", sa.Column("version", sa.String(), nullable=True))


def downgrade() -> None:
    op.drop_column("workers", "version")
