"""Jobs that prune labels, and the subsets they find."""

from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

_CHECKS = {
    ("jobs", "ck_jobs_jobkind"): (
        "kind IN ('import_pool', 'advance_round', 'learn_features', 'taufe')",
        "kind IN ('import_pool', 'advance_round', 'learn_features', 'taufe', 'prune')",
    ),
    ("artifacts", "ck_artifacts_artifactkind"): (
        "kind IN ('checkpoint', 'meta_model', 'scores', 'import_report', 'comparison')",
        "kind IN ('checkpoint', 'meta_model', 'scores', 'import_report', 'comparison', 'subset')",
    ),
}


def upgrade() -> None:
    for (table, name), (_, after) in _CHECKS.items():
        op.drop_constraint(op.f(name), table, type_="check")
        op.create_check_constraint(op.f(name), table, after)


def downgrade() -> None:
    op.execute("DELETE FROM artifacts WHERE kind = 'subset'")
    op.execute("DELETE FROM jobs WHERE kind = 'prune'")
    for (table, name), (before, _) in _CHECKS.items():
        op.drop_constraint(op.f(name), table, type_="check")
        op.create_check_constraint(op.f(name), table, before)
