"""Jobs that learn where things are, and those that show where a classifier looks."""

from alembic import op

from migrations.checks import allow

revision = "0032"
down_revision = "0031"
branch_labels = None
depends_on = None

_JOBS = ("localize", "look_at")


def upgrade() -> None:
    allow("jobs", "kind", "jobkind", add=_JOBS)


def downgrade() -> None:
    op.execute("DELETE FROM jobs WHERE kind IN ('localize', 'look_at')")
    allow("jobs", "kind", "jobkind", remove=_JOBS)
