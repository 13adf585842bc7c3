"""Images that show the same picture, the job that finds them, and files to find the like of."""

import re

import sqlalchemy as sa
from alembic import op

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None

_JOBS = ("compare", "look_up")
_ARTIFACTS = ("alike",)


def upgrade() -> None:
    _allow("jobs", "jobkind", add=_JOBS)
    _allow("artifacts", "artifactkind", add=_ARTIFACTS)
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
    _allow("artifacts", "artifactkind", remove=_ARTIFACTS)
    _allow("jobs", "jobkind", remove=_JOBS)


def _allow(
    table: str, constraint: str, add: tuple[str, ...] = (), remove: tuple[str, ...] = ()
) -> None:
    """Change the values of a column, whatever others it has."""
    name = op.f(f"ck_{table}_{constraint}")
    definition = op.get_bind().scalar(
        sa.text("SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conname = :name"),
        {"name": name},
    )
    found = [one for one in re.findall(r"'([a-z_]+)'", definition) if one not in (*add, *remove)]
    kinds = ", ".join(f"'{one}'" for one in (*found, *add))
    op.drop_constraint(name, table, type_="check")
    op.create_check_constraint(name, table, f"kind IN ({kinds})")
