"""Models may see whole images: a setting of projects, and a parameter of the job that resizes."""

from alembic import op

revision = "0051"
down_revision = "0050"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Without the setting models see the middle square, as they did."""


def downgrade() -> None:
    for table in ("projects", "rounds"):
        op.execute(f"UPDATE {table} SET settings = settings - 'fit'")
    op.execute("UPDATE jobs SET params = params - 'fit' WHERE kind = 'resize'")
