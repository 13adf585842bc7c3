"""Images that show the same picture, the job that finds them, and files to find the like of."""

import sqlalchemy as sa
from alembic import op

from migrations.checks import allow

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None

_JOBS = ("compare", "look_up")
_ARTIFACTS = ("alike",)


def upgrade() -> None:
    allow("jobs", "kind", "jobkind", add=_JOBS)
    allow("artifacts", "kind", "artifactkind", add=_ARTIFACTS)
    op.add_column("examples", sa.Column("duplicates_of", sa.BigInteger(), nullable=True))
    op.create_index(
        "ix_examples_duplicates",
        "examples",
        ["project_id", "duplicates_of"],
        postgresql_where=sa.text("duplicates_of IS NOT NULL"),
    )


def downgrade() -> None:
    op.drop_index("ix_examples_duplicates", "examples")
    op.drop_column("examples", "duplicates_of")
    op.execute("DELETE FROM artifacts WHERE kind = 'alike'")
    op.execute("DELETE FROM jobs WHERE kind IN ('compare', 'look_up')")
    allow("artifacts", "kind", "artifactkind", remove=_ARTIFACTS)
    allow("jobs", "kind", "jobkind", remove=_JOBS)
