"""Jobs that choose instructions worth tuning on, and what they have chosen."""

import re

import sqlalchemy as sa
from alembic import op

revision = "0035"
down_revision = "0034"
branch_labels = None
depends_on = None


def upgrade() -> None:
    _allow("jobs", "kind", "jobkind", add=("select_instructions",))
    _allow("artifacts", "kind", "artifactkind", add=("selection",))


def downgrade() -> None:
    op.execute("DELETE FROM artifacts WHERE kind = 'selection'")
    op.execute("DELETE FROM jobs WHERE kind = 'select_instructions'")
    _allow("artifacts", "kind", "artifactkind", remove=("selection",))
    _allow("jobs", "kind", "jobkind", remove=("select_instructions",))


def _allow(
    table: str, column: str, type_: str, add: tuple[str, ...] = (), remove: tuple[str, ...] = ()
) -> None:
    """Change the values of a column, whatever others there are."""
    name = op.f(f"ck_{table}_{type_}")
    definition = op.get_bind().scalar(
        sa.text("SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conname = :name"),
        {"name": name},
    )
    found = [one for one in re.findall(r"'([a-z_]+)'", definition) if one not in (*add, *remove)]
    values = ", ".join(f"'{one}'" for one in (*found, *add))
    op.drop_constraint(name, table, type_="check")
    op.create_check_constraint(name, table, f"{column} IN ({values})")
