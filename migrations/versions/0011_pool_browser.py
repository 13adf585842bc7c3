"""Images that are held out, the import of each image, and queries that somebody asked for."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

_STATES = "'unlabeled', 'queried', 'labeled', 'ood', 'unsure'"


def upgrade() -> None:
    _check(f"{_STATES}, 'held_out'")
    op.add_column("examples", sa.Column("import_id", sa.BigInteger(), nullable=True))
    op.add_column(
        "queries",
        sa.Column("requested", sa.Boolean(), server_default=sa.text("false"), nullable=False),
    )
    op.add_column("queries", sa.Column("again_after", sa.BigInteger(), nullable=True))


def downgrade() -> None:
    op.drop_column("queries", "again_after")
    op.drop_column("queries", "requested")
    op.drop_column("examples", "import_id")
    op.execute("UPDATE examples SET state = 'unlabeled' WHERE state = 'held_out'")
    _check(_STATES)


def _check(states: str) -> None:
    name = op.f("ck_examples_examplestate")
    op.drop_constraint(name, "examples", type_="check")
    op.create_check_constraint(name, "examples", f"state IN ({states})")
