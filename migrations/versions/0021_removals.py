"""What deleted projects leave behind, until it is removed."""

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute(sa.schema.CreateSequence(sa.Sequence("collections", data_type=sa.BigInteger())))
    op.create_table(
        "removals",
        sa.Column("id", sa.BigInteger(), nullable=False),
        sa.Column("project_id", sa.BigInteger(), nullable=False),
        sa.Column("project", sa.String(), nullable=False),
        *(
            sa.Column(name, sa.BigInteger(), server_default=sa.text("0"), nullable=False)
            for name in ("images", "image_bytes", "freed_files", "freed_bytes")
        ),
        sa.Column(
            "deleted_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_removals")),
    )
    op.create_table(
        "removal_items",
        sa.Column("id", sa.BigInteger(), nullable=False),
        sa.Column("removal_id", sa.BigInteger(), nullable=False),
        sa.Column("content_hash", sa.LargeBinary(), nullable=True),
        sa.Column("path", sa.String(), nullable=True),
        sa.Column("bytes", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("removed_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "(content_hash IS NULL) <> (path IS NULL)", name=op.f("ck_removal_items_one_name")
        ),
        sa.ForeignKeyConstraint(
            ["removal_id"],
            ["removals.id"],
            name=op.f("fk_removal_items_removal_id_removals"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_removal_items")),
    )
    op.create_index(op.f("ix_removal_items_removed_at"), "removal_items", ["removed_at"])


def downgrade() -> None:
    op.drop_table("removal_items")
    op.drop_table("removals")
    op.execute(sa.schema.DropSequence(sa.Sequence("collections")))
