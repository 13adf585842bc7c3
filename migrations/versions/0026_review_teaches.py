"""What a review learns by: probabilities, groups of alike suggestions, and audits."""

import sqlalchemy as sa
from alembic import op

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("suggestions", sa.Column("wrong", sa.Float(), nullable=True))
    op.add_column("suggestions", sa.Column("alike", sa.BigInteger(), nullable=True))
    op.add_column("suggestions", sa.Column("inclusion", sa.Float(), nullable=True))


def downgrade() -> None:
    # It came without a revision of its own, after 0025: the version before knows no goal but one.
    for table in ("projects", "rounds"):
        op.execute(f"UPDATE {table} SET settings = settings - 'goal'")
    # Without their inclusion they would count as suggestions; what was decided stays on record.
    op.execute("DELETE FROM suggestions WHERE inclusion IS NOT NULL")
    for column in ("inclusion", "alike", "wrong"):
        op.drop_column("suggestions", column)
