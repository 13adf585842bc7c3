"""Jobs that wait for somebody to decide how they go on."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0043"
down_revision = "0042"
branch_labels = None
depends_on = None

_STATES = ("queued", "running", "succeeded", "failed", "cancelled")


def upgrade() -> None:
    op.add_column(
        "jobs", sa.Column("pause", postgresql.JSONB(astext_type=sa.Text()), nullable=True)
    )
    _states((*_STATES, "paused"))


def downgrade() -> None:
    # As it was before there were pauses: what was reached is an error, and a retry goes on.
    op.execute(
        "UPDATE jobs SET state = 'failed', finished_at = now(), error = jsonb_build_object("
        "'code', pause ->> 'reason', 'detail', 'The job has reached its spending cap.') "
        "WHERE state = 'paused'"
    )
    _states(_STATES)
    op.drop_column("jobs", "pause")


def _states(states: tuple[str, ...]) -> None:
    name = op.f("ck_jobs_jobstate")
    op.drop_constraint(name, "jobs", type_="check")
    values = ", ".join(f"'{one}'" for one in states)
    op.create_check_constraint(name, "jobs", f"state IN ({values})")
