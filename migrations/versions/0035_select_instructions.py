"""Jobs that choose instructions worth tuning on, and what they have chosen."""

from alembic import op

from migrations.checks import allow

revision = "0035"
down_revision = "0034"
branch_labels = None
depends_on = None


def upgrade() -> None:
    allow("jobs", "kind", "jobkind", add=("select_instructions",))
    allow("artifacts", "kind", "artifactkind", add=("selection",))


def downgrade() -> None:
    op.execute("DELETE FROM artifacts WHERE kind = 'selection'")
    op.execute("DELETE FROM jobs WHERE kind = 'select_instructions'")
    allow("artifacts", "kind", "artifactkind", remove=("selection",))
    allow("jobs", "kind", "jobkind", remove=("select_instructions",))
