"""What every table is made from."""

import enum
from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, ColumnElement, Computed, DateTime, Enum, MetaData, literal_column
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import DeclarativeBase

_NAMING = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}


class Base(DeclarativeBase):
    """Base of every table; the naming convention keeps migrations deterministic."""

    metadata = MetaData(naming_convention=_NAMING)
    type_annotation_map = {  # noqa: RUF012  SQLAlchemy reads it from the class
        int: BigInteger,
        datetime: DateTime(timezone=True),
        dict[str, Any]: JSONB,
        list[str]: JSONB,
        # Text with a CHECK: adding a value is an ordinary migration, not ALTER TYPE.
        enum.StrEnum: Enum(
            enum.StrEnum,
            native_enum=False,
            length=32,
            create_constraint=True,
            values_callable=lambda states: [state.value for state in states],
        ),
    }


# NULL in the database where there is no label, and not the JSON null.
LABEL = JSONB(none_as_null=True)


def class_of_label(column: str = "label") -> Computed:
    """What a column is made from that holds the class of the label in ``column``."""
    return Computed(f"({column} ->> 'class_id')::bigint", persisted=True)


def no_objects(label: Any) -> ColumnElement[bool]:
    """Condition: a stored label is one of boxes, and has none; of any other it is null.

    Word for word as in the index of examples, and without a parameter, or it is not found by that.
    """
    boxes: ColumnElement[Any] = label.op("->")(literal_column("'boxes'"))
    return boxes == literal_column("'[]'")
