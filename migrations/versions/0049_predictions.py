"""What models of others predict: imported, and suggested where a query asks."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0049"
down_revision = "0048"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "predictions",
        sa.Column("example_id", sa.BigInteger(), nullable=False),
        sa.Column("model", sa.String(), nullable=False),
        sa.Column("project_id", sa.BigInteger(), nullable=False),
        sa.Column("import_id", sa.BigInteger(), nullable=False),
        sa.Column("proposals", JSONB(none_as_null=True), nullable=False),
        sa.Column("planted", JSONB(none_as_null=True), nullable=True),
        sa.Column("luck", sa.Float(), nullable=True),
        sa.ForeignKeyConstraint(
            ["example_id"],
            ["examples.id"],
            name="fk_predictions_example_id_examples",
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["project_id"],
            ["projects.id"],
            name="fk_predictions_project_id_projects",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("example_id", "model", name="pk_predictions"),
    )
    op.create_index("ix_predictions_model", "predictions", ["project_id", "model", "import_id"])
    op.add_column("queries", sa.Column("proposed_by", sa.String(), nullable=True))


def downgrade() -> None:
    # The version before takes all proposals for boxes of its own detector.
    op.execute("UPDATE queries SET proposals = NULL WHERE proposed_by IS NOT NULL")
    op.drop_column("queries", "proposed_by")
    op.drop_table("predictions")
