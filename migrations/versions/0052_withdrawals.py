"""Examples can be withdrawn: of each a row is left that tells nothing of it."""

import sqlalchemy as sa
from alembic import op

revision = "0052"
down_revision = "0051"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # What is withdrawn is in no split: whatever asks for one passes it by.
    op.alter_column("examples", "split", nullable=True)
    op.add_column("removals", sa.Column("withdrawal_id", sa.BigInteger()))
    op.create_table(
        "withdrawals",
        sa.Column("id", sa.BigInteger(), nullable=False),
        sa.Column("project_id", sa.BigInteger(), nullable=False),
        sa.Column("import_id", sa.BigInteger()),
        sa.Column("images", sa.BigInteger(), nullable=False),
        sa.Column("answered", sa.BigInteger(), nullable=False),
        sa.Column("done", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("last_id", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("created_by", sa.BigInteger()),
        sa.Column(
            "created_at", sa.DateTime(timezone=True), server_default=sa.func.now(), nullable=False
        ),
        sa.Column("withdrawn_at", sa.DateTime(timezone=True)),
        sa.Column("erased_at", sa.DateTime(timezone=True)),
        sa.ForeignKeyConstraint(
            ["project_id"],
            ["projects.id"],
            name=op.f("fk_withdrawals_project_id_projects"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["created_by"],
            ["users.id"],
            name=op.f("fk_withdrawals_created_by_users"),
            ondelete="SET NULL",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_withdrawals")),
    )
    op.create_index("ix_withdrawals_project", "withdrawals", ["project_id", "id"])
    op.create_index(
        "ix_withdrawals_unfinished",
        "withdrawals",
        ["id"],
        postgresql_where=sa.text("erased_at IS NULL"),
    )
    op.create_table(
        "withdrawal_items",
        sa.Column("example_id", sa.BigInteger(), nullable=False),
        sa.Column("withdrawal_id", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["example_id"],
            ["examples.id"],
            name=op.f("fk_withdrawal_items_example_id_examples"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["withdrawal_id"],
            ["withdrawals.id"],
            name=op.f("fk_withdrawal_items_withdrawal_id_withdrawals"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("example_id", name=op.f("pk_withdrawal_items")),
    )
    op.create_index(
        "ix_withdrawal_items_withdrawal", "withdrawal_items", ["withdrawal_id", "example_id"]
    )
    op.create_table(
        "withdrawn_objects",
        sa.Column("project_id", sa.BigInteger(), nullable=False),
        sa.Column("key", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["project_id"],
            ["projects.id"],
            name=op.f("fk_withdrawn_objects_project_id_projects"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("project_id", "key", name=op.f("pk_withdrawn_objects")),
    )


def downgrade() -> None:
    for table in ("withdrawn_objects", "withdrawal_items", "withdrawals"):
        op.drop_table(table)
    op.drop_column("removals", "withdrawal_id")
    # Rows that tell nothing stay in their places, and nobody is asked about them.
    op.execute("UPDATE examples SET split = 'pool' WHERE split IS NULL")
    op.alter_column("examples", "split", nullable=False)
