"""Labels from files, relabeling, and what reviewers decide.

A label of the pool's images is kept beside its state, so that nobody has to look for it among the
annotations, of which an image may now have several.
"""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

_CHECKS = {
    ("jobs", "ck_jobs_jobkind"): (
        "kind IN ('import_pool', 'advance_round', 'learn_features', 'taufe', 'prune')",
        "kind IN ('import_pool', 'advance_round', 'learn_features', 'taufe', 'prune', 'relabel')",
    ),
    ("artifacts", "ck_artifacts_artifactkind"): (
        "kind IN ('checkpoint', 'meta_model', 'scores', 'import_report', 'comparison', 'subset')",
        "kind IN ('checkpoint', 'meta_model', 'scores', 'import_report', 'comparison', 'subset', "
        "'relabels')",
    ),
}
_LABELS = """
    UPDATE examples SET label_class_id = latest.class_id
    FROM (
        SELECT DISTINCT ON (example_id) example_id, class_id FROM annotations
        WHERE counted ORDER BY example_id, id DESC
    ) AS latest
    WHERE latest.example_id = examples.id AND examples.split = 'pool'
        AND examples.state = 'labeled'
"""
_ONLY_ANSWERED = ("query_id", "round_id", "annotator_id")


def upgrade() -> None:
    for (table, name), (_, after) in _CHECKS.items():
        op.drop_constraint(op.f(name), table, type_="check")
        op.create_check_constraint(op.f(name), table, after)
    _annotations()
    _suggestions()
    op.create_index("ix_examples_name", "examples", ["project_id", "name"])
    op.execute(_LABELS)


def _annotations() -> None:
    op.add_column(
        "annotations",
        sa.Column(
            "source",
            sa.Enum(
                "annotator",
                "import",
                "review",
                name="source",
                native_enum=False,
                create_constraint=True,
                length=32,
            ),
            server_default="annotator",
            nullable=False,
        ),
    )
    op.add_column("annotations", sa.Column("source_name", sa.String(), nullable=True))
    op.add_column("annotations", sa.Column("job_id", sa.BigInteger(), nullable=True))
    op.create_foreign_key(
        op.f("fk_annotations_job_id_jobs"),
        "annotations",
        "jobs",
        ["job_id"],
        ["id"],
        ondelete="SET NULL",
    )
    op.create_index(
        "ix_annotations_job",
        "annotations",
        ["job_id"],
        postgresql_where=sa.text("job_id IS NOT NULL"),
    )
    for column in _ONLY_ANSWERED:
        op.alter_column("annotations", column, nullable=True)
    op.create_check_constraint(
        op.f("ck_annotations_provenance"),
        "annotations",
        "CASE source"
        " WHEN 'annotator' THEN query_id IS NOT NULL AND round_id IS NOT NULL"
        " AND annotator_id IS NOT NULL"
        " WHEN 'import' THEN source_name IS NOT NULL AND annotator_id IS NULL"
        " ELSE annotator_id IS NOT NULL END",
    )


def _suggestions() -> None:
    op.create_table(
        "suggestions",
        sa.Column("id", sa.BigInteger(), nullable=False),
        sa.Column("project_id", sa.BigInteger(), nullable=False),
        sa.Column("job_id", sa.BigInteger(), nullable=False),
        sa.Column("example_id", sa.BigInteger(), nullable=False),
        sa.Column("rank", sa.BigInteger(), nullable=False),
        sa.Column("given_class_id", sa.BigInteger(), nullable=False),
        sa.Column("suggested_class_id", sa.BigInteger(), nullable=False),
        sa.Column("confidence", sa.Double(), nullable=False),
        sa.Column("quality", sa.Double(), nullable=True),
        sa.Column("lease_holder", sa.BigInteger(), nullable=True),
        sa.Column("lease_expires_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column(
            "decision",
            sa.Enum(
                "keep",
                "accept",
                "ood",
                "unsure",
                name="decision",
                native_enum=False,
                create_constraint=True,
                length=32,
            ),
            nullable=True,
        ),
        sa.Column("annotation_id", sa.BigInteger(), nullable=True),
        *(
            sa.ForeignKeyConstraint(
                [column],
                [f"{table}.id"],
                name=op.f(f"fk_suggestions_{column}_{table}"),
                ondelete=rule,
            )
            for column, table, rule in (
                ("project_id", "projects", "CASCADE"),
                ("job_id", "jobs", "CASCADE"),
                ("example_id", "examples", "CASCADE"),
                ("given_class_id", "classes", "CASCADE"),
                ("suggested_class_id", "classes", "CASCADE"),
                ("lease_holder", "users", None),
                ("annotation_id", "annotations", "SET NULL"),
            )
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_suggestions")),
        sa.UniqueConstraint("job_id", "example_id", name=op.f("uq_suggestions_job_id_example_id")),
    )
    op.create_index("ix_suggestions_example", "suggestions", ["example_id"])
    op.create_index("ix_suggestions_decision", "suggestions", ["job_id", "decision"])
    op.create_index("ix_suggestions_annotation", "suggestions", ["annotation_id"])
    op.create_index(
        "ix_suggestions_open",
        "suggestions",
        ["job_id", "rank"],
        postgresql_where=sa.text("decision IS NULL"),
    )


def downgrade() -> None:
    op.drop_table("suggestions")
    op.execute("UPDATE examples SET label_class_id = NULL WHERE split = 'pool'")
    op.drop_index("ix_examples_name", "examples")
    # A label that nobody gave as an answer to a query has no place in the schema before.
    op.execute(
        "UPDATE examples SET state = 'unlabeled' WHERE id IN"
        " (SELECT example_id FROM annotations WHERE source = 'import')"
        " AND NOT EXISTS (SELECT FROM annotations WHERE example_id = examples.id"
        " AND source = 'annotator')"
    )
    op.execute("DELETE FROM annotations WHERE source <> 'annotator'")
    op.drop_constraint(op.f("ck_annotations_provenance"), "annotations", type_="check")
    for column in _ONLY_ANSWERED:
        op.alter_column("annotations", column, nullable=False)
    op.drop_index("ix_annotations_job", "annotations")
    for column in ("job_id", "source_name", "source"):
        op.drop_column("annotations", column)
    op.execute("DELETE FROM artifacts WHERE job_id IN (SELECT id FROM jobs WHERE kind = 'relabel')")
    op.execute("DELETE FROM artifacts WHERE kind = 'relabels'")
    op.execute("DELETE FROM jobs WHERE kind = 'relabel'")
    for (table, name), (before, _) in _CHECKS.items():
        op.drop_constraint(op.f(name), table, type_="check")
        op.create_check_constraint(op.f(name), table, before)
