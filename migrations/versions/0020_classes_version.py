"""Which version of the classes an answer was given to, and what the classes were called before.

Neither column rewrites its table: the one has a constant default, the other none.
"""

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column(
        "projects",
        sa.Column("classes_version", sa.BigInteger(), server_default=sa.text("1"), nullable=False),
    )
    op.add_column("annotations", sa.Column("classes_version", sa.BigInteger(), nullable=True))
    op.create_table(
        "former_class_names",
        sa.Column("project_id", sa.BigInteger(), nullable=False),
        sa.Column("class_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("until", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ["project_id"],
            ["projects.id"],
            name="fk_former_class_names_project_id_projects",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("project_id", "class_id", "until", name="pk_former_class_names"),
    )


def downgrade() -> None:
    op.drop_table("former_class_names")
    op.drop_column("annotations", "classes_version")
    op.drop_column("projects", "classes_version")
