"""Jobs that learn where things are, and those that show where a classifier looks."""

import re

import sqlalchemy as sa
from alembic import op

revision = "0032"
down_revision = "0031"
branch_labels = None
depends_on = None

_JOBS = ("localize", "look_at")


def upgrade() -> None:
    _allow(add=_JOBS)


def downgrade() -> None:
    op.execute("DELETE FROM jobs WHERE kind IN ('localize', 'look_at')")
    _allow(remove=_JOBS)


def _allow(add: tuple[str, ...] = (), remove: tuple[str, ...] = ()) -> None:
    """Change the kinds of jobs, whatever others there are."""
    name = op.f("ck_jobs_jobkind")
    definition = op.get_bind().scalar(
        sa.text("SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conname = :name"),
        {"name": name},
    )
    found = [one for one in re.findall(r"'([a-z_]+)'", definition) if one not in (*add, *remove)]
    kinds = ", ".join(f"'{one}'" for one in (*found, *add))
    op.drop_constraint(name, "jobs", type_="check")
    op.create_check_constraint(name, "jobs", f"kind IN ({kinds})")
