"""Labels of any task type: ``label`` holds them, and classes are taken out of it.

A table is written twice for each of its columns, and no row of it is left dead.
"""

import sqlalchemy as sa
from alembic import op

revision = "0029"
down_revision = "0028"
branch_labels = None
depends_on = None

# Table, column of a class, what it is taken out of now, and what becomes of it without the class.
_COLUMNS = (
    ("annotations", "class_id", "label", ""),
    ("examples", "label_class_id", "label", ""),
    ("suggestions", "given_class_id", "given_label", " ON DELETE CASCADE"),
    ("suggestions", "suggested_class_id", "suggested_label", " ON DELETE CASCADE"),
)


def upgrade() -> None:
    op.drop_constraint(op.f("ck_projects_task"), "projects", type_="check")
    op.drop_constraint(op.f("ck_annotations_class_iff_verdict"), "annotations", type_="check")
    for table, column, label, rule in _COLUMNS:
        foreign = f"fk_{table}_{column}_classes"
        op.drop_constraint(op.f(foreign), table, type_="foreignkey")
        op.execute(
            f"ALTER TABLE {table} ALTER COLUMN {column} TYPE jsonb USING CASE "
            f"WHEN {column} IS NOT NULL THEN "
            f"jsonb_build_object('type', 'classification', 'class_id', {column}) END"
        )
        op.alter_column(table, column, new_column_name=label)
        op.execute(
            f"ALTER TABLE {table} "
            f"ADD COLUMN {column} bigint "
            f"GENERATED ALWAYS AS (({label} ->> 'class_id')::bigint) STORED, "
            f"ADD CONSTRAINT {foreign} FOREIGN KEY ({column}) REFERENCES classes (id){rule}"
        )
    op.create_check_constraint(
        op.f("ck_annotations_label_iff_verdict"),
        "annotations",
        "(verdict = 'class') = (label IS NOT NULL)",
    )
    # Of columns that were written anew nothing is known, and vacuum would be long in coming.
    op.execute("ANALYZE annotations, examples, suggestions")


def downgrade() -> None:
    others = op.get_bind().scalars(
        sa.text("SELECT name FROM projects WHERE task <> 'classification' ORDER BY id")
    )
    if names := ", ".join(others):
        raise RuntimeError(
            "The schema before knows labels of one class only, and these projects have others: "
            f"{names}. Export and delete them, or stay at this version."
        )
    op.drop_constraint(op.f("ck_annotations_label_iff_verdict"), "annotations", type_="check")
    for table, column, label, _ in _COLUMNS:
        op.execute(
            f"ALTER TABLE {table} ALTER COLUMN {column} DROP EXPRESSION, DROP COLUMN {label}"
        )
    op.create_check_constraint(
        op.f("ck_annotations_class_iff_verdict"),
        "annotations",
        "(verdict = 'class') = (class_id IS NOT NULL)",
    )
    op.create_check_constraint(op.f("ck_projects_task"), "projects", "task = 'classification'")
