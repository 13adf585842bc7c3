"""Data sets as they were, under a name."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

from migrations.checks import allow

revision = "0038"
down_revision = "0037"
branch_labels = None
depends_on = None


def upgrade() -> None:
    allow("artifacts", "kind", "artifactkind", add=("snapshot",))
    op.create_table(
        "snapshots",
        sa.Column("id", sa.BigInteger(), nullable=False),
        sa.Column("project_id", sa.BigInteger(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("filters", JSONB(none_as_null=True), nullable=True),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("counts", JSONB(), nullable=False),
        sa.Column("classes", JSONB(), nullable=False),
        sa.Column("last_query_id", sa.BigInteger(), nullable=True),
        sa.Column("artifact_id", sa.BigInteger(), nullable=False),
        sa.Column("created_by", sa.BigInteger(), nullable=True),
        sa.Column(
            "taken_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False
        ),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_snapshots_project_id_projects"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["artifact_id"], ["artifacts.id"], name=op.f("fk_snapshots_artifact_id_artifacts"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["created_by"], ["users.id"], name=op.f("fk_snapshots_created_by_users"),
            ondelete="SET NULL",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_snapshots")),
        sa.UniqueConstraint("project_id", "name", name=op.f("uq_snapshots_project_id_name")),
    )  # fmt: skip
    op.create_index(op.f("ix_snapshots_artifact_id"), "snapshots", ["artifact_id"])


def downgrade() -> None:
    op.drop_table("snapshots")
    op.execute("DELETE FROM artifacts WHERE kind = 'snapshot'")
    allow("artifacts", "kind", "artifactkind", remove=("snapshot",))
