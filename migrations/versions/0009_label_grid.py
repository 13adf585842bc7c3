"""What the model takes a queried image for."""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

_COLUMNS: tuple[tuple[str, sa.types.TypeEngine[Any]], ...] = (
    ("predicted_class_id", sa.BigInteger()),
    ("probability", sa.Double()),
    ("in_probability", sa.Double()),
)


def upgrade() -> None:
    for name, type_ in _COLUMNS:
        op.add_column("queries", sa.Column(name, type_, nullable=True))


def downgrade() -> None:
    for name, _ in _COLUMNS:
        op.drop_column("queries", name)
