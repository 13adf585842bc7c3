"""Places of buckets that pools follow."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0041"
down_revision = "0040"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "syncs",
        sa.Column("id", sa.BigInteger(), nullable=False),
        sa.Column("project_id", sa.BigInteger(), nullable=False),
        sa.Column("location", sa.String(), nullable=False),
        sa.Column("params", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("every_minutes", sa.BigInteger(), nullable=True),
        sa.Column("due_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("asked", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("sent_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("looking_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("looked_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("objects", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("new", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("changed", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("gone", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("fault", sa.String(), nullable=True),
        sa.Column("detail", sa.String(), nullable=True),
        sa.Column("import_id", sa.BigInteger(), nullable=True),
        sa.Column("created_by", sa.BigInteger(), nullable=True),
        sa.Column(
            "created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_syncs_project_id_projects"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["import_id"], ["jobs.id"], name=op.f("fk_syncs_import_id_jobs"), ondelete="SET NULL",
        ),
        sa.ForeignKeyConstraint(
            ["created_by"], ["users.id"], name=op.f("fk_syncs_created_by_users"),
            ondelete="SET NULL",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_syncs")),
        sa.UniqueConstraint(
            "project_id", "location", name=op.f("uq_syncs_project_id_location")
        ),
    )  # fmt: skip
    op.create_index(
        "ix_syncs_due", "syncs", ["due_at"], postgresql_where=sa.text("due_at IS NOT NULL")
    )
    op.create_table(
        "sync_objects",
        sa.Column("sync_id", sa.BigInteger(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column(
            "finding",
            sa.Enum("passed", "changed", "gone", name="syncfinding", native_enum=False,
                    length=32, create_constraint=True),
            nullable=False,
        ),
        sa.Column("tag", sa.String(), nullable=False),
        sa.Column(
            "since", sa.DateTime(timezone=True), server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.Column(
            "seen_at", sa.DateTime(timezone=True), server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.ForeignKeyConstraint(
            ["sync_id"], ["syncs.id"], name=op.f("fk_sync_objects_sync_id_syncs"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("sync_id", "name", name=op.f("pk_sync_objects")),
    )  # fmt: skip


def downgrade() -> None:
    op.drop_table("sync_objects")
    op.drop_table("syncs")
