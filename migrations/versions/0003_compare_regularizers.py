"""Jobs that compare regularizers, and what they find."""

from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

_CHECKS = {
    ("jobs", "ck_jobs_jobkind"): (
        "kind IN ('import_pool', 'advance_round', 'learn_features')",
        "kind IN ('import_pool', 'advance_round', 'learn_features', 'taufe')",
    ),
    ("artifacts", "ck_artifacts_artifactkind"): (
        "kind IN ('checkpoint', 'meta_model', 'scores', 'import_report')",
        "kind IN ('checkpoint', 'meta_model', 'scores', 'import_report', 'comparison')",
    ),
}


def upgrade() -> None:
    for (table, name), (_, after) in _CHECKS.items():
        op.drop_constraint(op.f(name), table, type_="check")
        op.create_check_constraint(op.f(name), table, after)


def downgrade() -> None:
    op.execute("DELETE FROM artifacts WHERE job_id IN (SELECT id FROM jobs WHERE kind = 'taufe')")
    op.execute("DELETE FROM artifacts WHERE kind = 'comparison'")
    op.execute("DELETE FROM jobs WHERE kind = 'taufe'")
    for (table, name), (before, _) in _CHECKS.items():
        op.drop_constraint(op.f(name), table, type_="check")
        op.create_check_constraint(op.f(name), table, before)
