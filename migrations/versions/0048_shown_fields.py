"""Fields that came with examples can be shown to annotators: a setting of projects."""

from alembic import op

revision = "0048"
down_revision = "0047"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Without the setting none is shown."""


def downgrade() -> None:
    for table in ("projects", "rounds"):
        op.execute(f"UPDATE {table} SET settings = settings - 'shown_fields'")
