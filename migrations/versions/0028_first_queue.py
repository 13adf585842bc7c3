"""Which images of a first queue were chosen as typical, and not drawn at random."""

import sqlalchemy as sa
from alembic import op

revision = "0028"
down_revision = "0027"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column(
        "queries", sa.Column("typical", sa.Boolean(), nullable=False, server_default=sa.false())
    )

    # An image that was shown and given back had no token before: who has seen it nobody knows.
    op.execute(
        "UPDATE queries SET lease_token = gen_random_uuid() FROM rounds "
        "WHERE rounds.id = queries.round_id AND rounds.number = 0 AND rounds.state <> 'closed' "
        "AND queries.lease_token IS NULL"
    )


def downgrade() -> None:
    # The version before knows no setting that it has not got.
    for table in ("projects", "rounds"):
        op.execute(f"UPDATE {table} SET settings = settings - 'first_queue' - 'second_looks'")
    op.drop_column("queries", "typical")
