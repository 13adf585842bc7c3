"""The values that a column may have, which later revisions add to."""

import re

import sqlalchemy as sa
from alembic import op


def allow(
    table: str,
    column: str,
    type_: str,
    *,
    add: tuple[str, ...] = (),
    remove: tuple[str, ...] = (),
) -> None:
    """Change the values of a column, whatever others there are.

    Args:
        table: Of the tables that are migrated.
        column: Of it.
        type_: Name of its CHECK, as the naming convention has it.
        add: What it may be from now on.
        remove: What it may not be any more; no row is.
    """
    allowed = values(table, type_)
    wanted = [one for one in allowed if one not in remove]
    wanted += [one for one in add if one not in wanted]
    if wanted == allowed:
        # Each row would be read again.
        return
    name = op.f(f"ck_{table}_{type_}")
    op.drop_constraint(name, table, type_="check")
    listed = ", ".join(f"'{one}'" for one in wanted)
    op.create_check_constraint(name, table, f"{column} IN ({listed})")


def values(table: str, type_: str) -> list[str]:
    """The values that a CHECK allows."""
    # Of this table: those that a restore has set aside have constraints of the same names.
    definition = op.get_bind().scalar(
        sa.text(
            "SELECT pg_get_constraintdef(oid) FROM pg_constraint "
            "WHERE conname = :name AND conrelid = to_regclass(:table)"
        ),
        {"name": f"ck_{table}_{type_}", "table": table},
    )
    return re.findall(r"'([a-z_]+)'", definition)
