"""What refers to the classes, jobs and rounds that a project's deletion removes one by one."""

import sqlalchemy as sa
from alembic import op

revision = "0045"
down_revision = "0044"
branch_labels = None
depends_on = None

_INDEXES = (
    ("ix_annotations_class", "annotations", "class_id"),
    ("ix_examples_class", "examples", "label_class_id"),
    ("ix_suggestions_given_class", "suggestions", "given_class_id"),
    ("ix_suggestions_suggested_class", "suggestions", "suggested_class_id"),
    ("ix_artifacts_job_id", "artifacts", "job_id"),
    ("ix_artifacts_round_id", "artifacts", "round_id"),
    ("ix_certificates_job_id", "certificates", "job_id"),
    ("ix_rounds_job_id", "rounds", "job_id"),
    ("ix_syncs_import_id", "syncs", "import_id"),
)
# Where most rows have none.
_PARTIAL = ("annotations", "examples")


def upgrade() -> None:
    for name, table, column in _INDEXES:
        where = sa.text(f"{column} IS NOT NULL") if table in _PARTIAL else None
        op.create_index(name, table, [column], postgresql_where=where)


def downgrade() -> None:
    for name, table, _ in _INDEXES:
        op.drop_index(name, table)
