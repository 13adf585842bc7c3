"""Images on which annotators disagree, and their review."""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None

# As ``core.verdicts.consensus.is_disputed``.
_DISPUTED = """
    UPDATE examples SET disputed = true FROM (
        SELECT a.example_id FROM annotations a
        WHERE a.counted AND NOT EXISTS (
            SELECT FROM annotations c WHERE c.supersedes_id = a.id AND c.counted
        )
        GROUP BY a.example_id
        HAVING count(DISTINCT coalesce(a.class_id, 0)) FILTER (
            WHERE a.verdict IN ('class', 'ood')
        ) > 1 AND NOT bool_or(a.source = 'review' AND a.verdict <> 'skip')
    ) said WHERE said.example_id = examples.id
"""
_DECIDED = "decision IN ('keep', 'accept', {}'ood', 'unsure')"
_OPTIONAL = ("job_id", "given_class_id", "suggested_class_id")


def upgrade() -> None:
    op.add_column(
        "examples",
        sa.Column("disputed", sa.Boolean(), server_default=sa.text("false"), nullable=False),
    )
    op.execute(_DISPUTED)
    op.create_index(
        "ix_examples_disputed",
        "examples",
        ["project_id", "id"],
        postgresql_where=sa.text("disputed"),
    )
    _allow("'other', ")
    for column in _OPTIONAL:
        op.alter_column("suggestions", column, nullable=True)
    op.create_index(
        "uq_suggestions_disputed",
        "suggestions",
        ["example_id"],
        unique=True,
        postgresql_where=sa.text("job_id IS NULL"),
    )
    op.drop_index("ix_suggestions_decision", "suggestions")
    op.create_index("ix_suggestions_decision", "suggestions", ["project_id", "job_id", "decision"])


def downgrade() -> None:
    op.drop_index("ix_suggestions_decision", "suggestions")
    op.create_index("ix_suggestions_decision", "suggestions", ["job_id", "decision"])
    op.drop_index("uq_suggestions_disputed", "suggestions")
    unknown = " OR ".join(f"{column} IS NULL" for column in _OPTIONAL)
    op.execute(f"DELETE FROM suggestions WHERE decision = 'other' OR {unknown}")
    _allow("")
    for column in _OPTIONAL:
        op.alter_column("suggestions", column, nullable=False)
    op.drop_index("ix_examples_disputed", "examples")
    op.drop_column("examples", "disputed")


def _allow(more: str) -> None:
    op.drop_constraint(op.f("ck_suggestions_decision"), "suggestions", type_="check")
    op.create_check_constraint(
        op.f("ck_suggestions_decision"), "suggestions", _DECIDED.format(more)
    )
