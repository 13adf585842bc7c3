"""Single sign-on that ends, and certificates that are applied a part at a time."""

import sqlalchemy as sa
from alembic import op

revision = "0042"
down_revision = "0041"
branch_labels = None
depends_on = None

_NOW = sa.text("now()")
_STATES = ("scoring", "asking", "ready", "applied", "revoked", "refused")


def upgrade() -> None:
    op.add_column(
        "identities",
        sa.Column(
            "signed_in_at", sa.DateTime(timezone=True), nullable=False, server_default=_NOW
        ),
    )  # fmt: skip
    op.add_column("sessions", sa.Column("oidc_sid", sa.String(), nullable=True))
    # Nothing has ever written it.
    op.drop_column("certificate_lots", "expected")
    _states((*_STATES, "applying", "revoking"), "state IN ('asking', 'applying', 'revoking')")


def downgrade() -> None:
    op.execute("UPDATE certificates SET state = 'applied' WHERE state IN ('applying', 'revoking')")
    _states(_STATES, "state = 'asking'")
    op.add_column("certificate_lots", sa.Column("expected", sa.BigInteger(), nullable=True))
    op.drop_column("sessions", "oidc_sid")
    op.drop_column("identities", "signed_in_at")


def _states(states: tuple[str, ...], at_work: str) -> None:
    name = op.f("ck_certificates_certificatestate")
    op.drop_constraint(name, "certificates", type_="check")
    values = ", ".join(f"'{one}'" for one in states)
    op.create_check_constraint(name, "certificates", f"state IN ({values})")
    op.drop_index("ix_certificates_asking", "certificates")
    op.create_index(
        "ix_certificates_asking", "certificates", ["id"], postgresql_where=sa.text(at_work)
    )
