"""Weights that admins have uploaded, and what the workers found of published ones."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "weights",
        sa.Column("id", sa.BigInteger(), nullable=False),
        *(
            sa.Column(name, sa.String(), nullable=False)
            for name in ("name", "library", "architecture", "filename", "storage_key", "sha256")
        ),
        sa.Column("bytes", sa.BigInteger(), nullable=False),
        sa.Column("tensors", sa.BigInteger(), nullable=False),
        sa.Column("meta", JSONB(), server_default=sa.text("'{}'"), nullable=False),
        sa.Column("left_aside", JSONB(), server_default=sa.text("'[]'"), nullable=False),
        sa.Column("problem", sa.String(), nullable=True),
        sa.Column("checked_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("created_by", sa.BigInteger(), nullable=True),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.ForeignKeyConstraint(
            ["created_by"],
            ["users.id"],
            name=op.f("fk_weights_created_by_users"),
            ondelete="SET NULL",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_weights")),
        sa.UniqueConstraint("name", name=op.f("uq_weights_name")),
        sa.UniqueConstraint("storage_key", name=op.f("uq_weights_storage_key")),
        sa.UniqueConstraint("sha256", name=op.f("uq_weights_sha256")),
    )
    op.create_table(
        "published_weights",
        sa.Column("id", sa.BigInteger(), nullable=False),
        sa.Column("library", sa.String(), nullable=False),
        sa.Column("architecture", sa.String(), nullable=False),
        sa.Column("problem", sa.String(), nullable=True),
        sa.Column("checked_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_published_weights")),
        sa.UniqueConstraint(
            "library", "architecture", name=op.f("uq_published_weights_library_architecture")
        ),
    )


def downgrade() -> None:
    op.drop_table("published_weights")
    op.drop_table("weights")
