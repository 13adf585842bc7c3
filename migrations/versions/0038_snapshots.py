"""Data sets as they were, under a name."""

import re

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0038"
down_revision = "0037"
branch_labels = None
depends_on = None


def upgrade() -> None:
    _allow(add="snapshot")
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
    _allow(remove="snapshot")


def _allow(add: str = "", remove: str = "") -> None:
    """Change the kinds of artifacts, whatever others there are."""
    name = op.f("ck_artifacts_artifactkind")
    definition = op.get_bind().scalar(
        sa.text("SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conname = :name"),
        {"name": name},
    )
    found = [one for one in re.findall(r"'([a-z_]+)'", definition) if one not in (add, remove)]
    values = ", ".join(f"'{one}'" for one in (*found, *([add] if add else [])))
    op.drop_constraint(name, "artifacts", type_="check")
    op.create_check_constraint(name, "artifacts", f"kind IN ({values})")
