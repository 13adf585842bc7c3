"""Images that stay where they are, and the key that links to images are signed with."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("examples", sa.Column("location", sa.String(), nullable=True))
    op.add_column("examples", sa.Column("location_tag", sa.String(), nullable=True))
    op.create_table(
        "signing_keys",
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("secret", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_signing_keys")),
    )


def downgrade() -> None:
    op.drop_table("signing_keys")
    op.drop_column("examples", "location_tag")
    op.drop_column("examples", "location")
