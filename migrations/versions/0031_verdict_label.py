"""The verdict that comes with a label is called ``label``: labels need not be classes.

The table is written anew once, so that no row of it is left dead.
"""

from alembic import op

revision = "0031"
down_revision = "0030"
branch_labels = None
depends_on = None

_CHECKS = ("ck_annotations_verdict", "ck_annotations_label_iff_verdict")


def upgrade() -> None:
    _rename("class", "label")


def downgrade() -> None:
    _rename("label", "class")


def _rename(old: str, new: str) -> None:
    verdict, label_iff_verdict = _CHECKS
    for name in _CHECKS:
        op.drop_constraint(op.f(name), "annotations", type_="check")
    op.execute(
        "ALTER TABLE annotations ALTER COLUMN verdict TYPE varchar(32) "
        f"USING CASE verdict WHEN '{old}' THEN '{new}' ELSE verdict END, "
        f"ADD CONSTRAINT {verdict} CHECK (verdict IN ('{new}', 'ood', 'skip', 'unsure')), "
        f"ADD CONSTRAINT {label_iff_verdict} CHECK ((verdict = '{new}') = (label IS NOT NULL))"
    )
    # Of a column that was written anew nothing is known, and vacuum would be long in coming.
    op.execute("ANALYZE annotations")
