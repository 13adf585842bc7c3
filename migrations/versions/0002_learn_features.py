"""Jobs that learn features."""

from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.drop_constraint(op.f("ck_jobs_jobkind"), "jobs", type_="check")
    op.create_check_constraint(
        op.f("ck_jobs_jobkind"),
        "jobs",
        "kind IN ('import_pool', 'advance_round', 'learn_features')",
    )


def downgrade() -> None:
    op.execute("DELETE FROM jobs WHERE kind = 'learn_features'")
    op.drop_constraint(op.f("ck_jobs_jobkind"), "jobs", type_="check")
    op.create_check_constraint(
        op.f("ck_jobs_jobkind"), "jobs", "kind IN ('import_pool', 'advance_round')"
    )
