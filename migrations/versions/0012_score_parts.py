"""Jobs that are parts of another."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None

_KINDS = "'import_pool', 'advance_round', 'learn_features', 'taufe', 'prune', 'relabel'"


def upgrade() -> None:
    _check(f"{_KINDS}, 'score_part'")
    op.add_column("jobs", sa.Column("parent_id", sa.BigInteger(), nullable=True))
    op.create_foreign_key(
        op.f("fk_jobs_parent_id_jobs"), "jobs", "jobs", ["parent_id"], ["id"], ondelete="CASCADE"
    )
    op.create_index(
        "ix_jobs_parent",
        "jobs",
        ["parent_id"],
        postgresql_where=sa.text("parent_id IS NOT NULL"),
    )


def downgrade() -> None:
    op.execute("DELETE FROM jobs WHERE kind = 'score_part'")
    op.drop_index("ix_jobs_parent", "jobs")
    op.drop_constraint(op.f("fk_jobs_parent_id_jobs"), "jobs", type_="foreignkey")
    op.drop_column("jobs", "parent_id")
    _check(_KINDS)


def _check(kinds: str) -> None:
    name = op.f("ck_jobs_jobkind")
    op.drop_constraint(name, "jobs", type_="check")
    op.create_check_constraint(name, "jobs", f"kind IN ({kinds})")
