"""Certificates, their lots, and the labels that a model gives under them."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from migrations.checks import allow

revision = "0037"
down_revision = "0036"
branch_labels = None
depends_on = None

_PEOPLE = (
    "CASE source"
    " WHEN 'annotator' THEN query_id IS NOT NULL AND round_id IS NOT NULL"
    " AND annotator_id IS NOT NULL"
    " WHEN 'import' THEN source_name IS NOT NULL AND annotator_id IS NULL"
    "{model}"
    " ELSE annotator_id IS NOT NULL END"
)
_MODEL = " WHEN 'model' THEN lot_id IS NOT NULL AND annotator_id IS NULL AND query_id IS NULL"

# As ``core.verdicts.consensus.by_people`` has it: what was taken back says nothing.
_LABELED_BY_NOBODY = """
    UPDATE examples SET state = 'unlabeled', label = NULL
    WHERE state IN ('labeled', 'ood')
        AND EXISTS (
            SELECT FROM annotations given
            WHERE given.example_id = examples.id AND given.source = 'model'
        )
        AND NOT EXISTS (
            SELECT FROM annotations said
            WHERE said.example_id = examples.id AND said.source <> 'model'
                AND said.verdict <> 'skip' AND said.counted
                AND NOT EXISTS (
                    SELECT FROM annotations correction
                    WHERE correction.supersedes_id = said.id AND correction.counted
                )
        )
"""


def upgrade() -> None:
    _certificates()
    _lots()
    allow("jobs", "kind", "jobkind", add=("certify",))
    allow("artifacts", "kind", "artifactkind", add=("certificate",))
    allow("annotations", "source", "source", add=("model",))
    op.add_column("annotations", sa.Column("lot_id", sa.BigInteger(), nullable=True))
    op.add_column("annotations", sa.Column("probability", sa.Float(), nullable=True))
    op.create_foreign_key(
        op.f("fk_annotations_lot_id_certificate_lots"),
        "annotations",
        "certificate_lots",
        ["lot_id"],
        ["id"],
        ondelete="CASCADE",
    )
    op.create_index(
        "ix_annotations_lot",
        "annotations",
        ["lot_id"],
        postgresql_where=sa.text("lot_id IS NOT NULL"),
    )
    _provenance(_MODEL)


def downgrade() -> None:
    # The version before knows no setting that it has not got.
    for table in ("projects", "rounds"):
        op.execute(f"UPDATE {table} SET settings = settings - 'learn_from_model_labels'")
    op.execute(_LABELED_BY_NOBODY)
    op.execute("DELETE FROM annotations WHERE source = 'model'")
    op.execute("DELETE FROM artifacts WHERE kind = 'certificate'")
    op.execute("DELETE FROM jobs WHERE kind = 'certify'")
    _provenance("")
    op.drop_column("annotations", "probability")
    op.drop_column("annotations", "lot_id")
    allow("annotations", "source", "source", remove=("model",))
    allow("artifacts", "kind", "artifactkind", remove=("certificate",))
    allow("jobs", "kind", "jobkind", remove=("certify",))
    op.drop_table("certificate_lots")
    op.drop_table("certificates")


def _certificates() -> None:
    op.create_table(
        "certificates",
        sa.Column("id", sa.BigInteger(), nullable=False),
        sa.Column("project_id", sa.BigInteger(), nullable=False),
        sa.Column("job_id", sa.BigInteger(), nullable=True),
        sa.Column(
            "state",
            sa.Enum(
                "scoring", "asking", "ready", "applied", "revoked", "refused",
                name="certificatestate", native_enum=False, create_constraint=True, length=32,
            ),
            nullable=False,
        ),
        sa.Column("settings", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("images", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("model", postgresql.JSONB(astext_type=sa.Text()), nullable=True),
        sa.Column("data_digest", sa.String(), nullable=True),
        sa.Column("settings_digest", sa.String(), nullable=True),
        sa.Column(
            "observations", postgresql.JSONB(astext_type=sa.Text()),
            server_default=sa.text("'[]'"), nullable=False,
        ),
        sa.Column(
            "result", postgresql.JSONB(astext_type=sa.Text()),
            server_default=sa.text("'{}'"), nullable=False,
        ),
        sa.Column("refused", sa.String(), nullable=True),
        sa.Column("created_by", sa.BigInteger(), nullable=True),
        sa.Column(
            "created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.Column("closed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("applied_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("revoked_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_certificates_project_id_projects"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["job_id"], ["jobs.id"], name=op.f("fk_certificates_job_id_jobs"), ondelete="SET NULL",
        ),
        sa.ForeignKeyConstraint(
            ["created_by"], ["users.id"], name=op.f("fk_certificates_created_by_users"),
            ondelete="SET NULL",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_certificates")),
    )  # fmt: skip
    op.create_index("ix_certificates_project", "certificates", ["project_id", "id"])
    op.create_index(
        "ix_certificates_asking",
        "certificates",
        ["id"],
        postgresql_where=sa.text("state = 'asking'"),
    )


def _lots() -> None:
    op.create_table(
        "certificate_lots",
        sa.Column("id", sa.BigInteger(), nullable=False),
        sa.Column("certificate_id", sa.BigInteger(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("class_id", sa.BigInteger(), nullable=True),
        sa.Column("low", sa.Float(), nullable=False),
        sa.Column("high", sa.Float(), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column(
            "state",
            sa.Enum(
                "open", "passed", "people",
                name="lotstate", native_enum=False, create_constraint=True, length=32,
            ),
            nullable=False,
        ),
        sa.Column("drawn", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("wrong", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("unsure", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("bound", sa.Float(), nullable=True),
        sa.Column("expected", sa.BigInteger(), nullable=True),
        sa.Column("labeled", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.ForeignKeyConstraint(
            ["certificate_id"], ["certificates.id"],
            name=op.f("fk_certificate_lots_certificate_id_certificates"), ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_certificate_lots")),
        sa.UniqueConstraint(
            "certificate_id", "number", name=op.f("uq_certificate_lots_certificate_id_number")
        ),
    )  # fmt: skip


def _provenance(model: str) -> None:
    name = op.f("ck_annotations_provenance")
    op.drop_constraint(name, "annotations", type_="check")
    op.create_check_constraint(name, "annotations", _PEOPLE.format(model=model))
