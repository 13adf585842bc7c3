"""Pools of texts."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column(
        "projects", sa.Column("medium", sa.String(32), server_default="image", nullable=False)
    )
    op.create_check_constraint("medium", "projects", "medium IN ('image', 'text')")
    for column in ("width", "height"):
        op.alter_column("examples", column, existing_type=sa.BigInteger(), nullable=True)
    op.create_check_constraint("size", "examples", "(width IS NULL) = (height IS NULL)")
    op.create_table(
        "example_texts",
        sa.Column("example_id", sa.BigInteger(), nullable=False),
        sa.Column("content", sa.String(), nullable=False),
        sa.Column(
            "words",
            postgresql.TSVECTOR(),
            sa.Computed("to_tsvector('simple', left(content, 100000))", persisted=True),
            nullable=False,
        ),
        sa.ForeignKeyConstraint(["example_id"], ["examples.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("example_id"),
    )
    op.create_index("ix_example_texts_words", "example_texts", ["words"], postgresql_using="gin")


def downgrade() -> None:
    found = sa.text("SELECT name FROM projects WHERE medium = 'text' ORDER BY id")
    if names := list(op.get_bind().scalars(found)):
        raise RuntimeError(
            f"The version before has no place for texts: {', '.join(names)}. Export these "
            "projects and delete them first."
        )
    op.drop_table("example_texts")
    op.drop_constraint(op.f("ck_examples_size"), "examples")
    for column in ("height", "width"):
        op.alter_column("examples", column, existing_type=sa.BigInteger(), nullable=False)
    op.drop_constraint(op.f("ck_projects_medium"), "projects")
    op.drop_column("projects", "medium")
