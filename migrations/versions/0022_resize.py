"""Images that are brought to another size, and sizes that are chosen by the first import."""

from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None

_KINDS = (
    "'import_pool', 'advance_round', 'learn_features', 'taufe', 'prune', 'relabel', 'score_part'"
)


def upgrade() -> None:
    _check(f"{_KINDS}, 'resize'")
    # What was not said was 32 up to here, and nothing is chosen anew for what there is.
    for table in ("projects", "rounds"):
        op.execute(
            f"UPDATE {table} SET settings = settings || '{{\"input_size\": 32}}' "
            "WHERE settings->'input_size' IS NULL"
        )


def downgrade() -> None:
    op.execute("DELETE FROM jobs WHERE kind = 'resize'")
    # Up to there a project had a size before it had images.
    op.execute(
        "UPDATE projects SET settings = settings || '{\"input_size\": 32}' "
        "WHERE settings->>'input_size' IS NULL"
    )
    _check(_KINDS)


def _check(kinds: str) -> None:
    name = op.f("ck_jobs_jobkind")
    op.drop_constraint(name, "jobs", type_="check")
    op.create_check_constraint(name, "jobs", f"kind IN ({kinds})")
