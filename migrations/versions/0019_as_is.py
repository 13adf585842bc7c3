"""Whether browsers show an original as everybody is to see it, found out when first asked for."""

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # Null for all there are, so that no row is written.
    op.add_column("examples", sa.Column("as_is", sa.Boolean(), nullable=True))


def downgrade() -> None:
    op.drop_column("examples", "as_is")
