"""Pools that are laid out on a plane."""

from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None

_JOBS = (
    "'import_pool', 'advance_round', 'learn_features', 'taufe', 'prune', 'relabel', 'score_part', "
    "'resize'"
)
_ARTIFACTS = (
    "'checkpoint', 'meta_model', 'scores', 'import_report', 'comparison', 'subset', 'relabels'"
)


def upgrade() -> None:
    _check("jobs", "jobkind", f"{_JOBS}, 'embedding_map'")
    _check("artifacts", "artifactkind", f"{_ARTIFACTS}, 'embedding_map'")


def downgrade() -> None:
    op.execute("DELETE FROM artifacts WHERE kind = 'embedding_map'")
    op.execute("DELETE FROM jobs WHERE kind = 'embedding_map'")
    _check("artifacts", "artifactkind", _ARTIFACTS)
    _check("jobs", "jobkind", _JOBS)


def _check(table: str, name: str, kinds: str) -> None:
    constraint = op.f(f"ck_{table}_{name}")
    op.drop_constraint(constraint, table, type_="check")
    op.create_check_constraint(constraint, table, f"kind IN ({kinds})")
