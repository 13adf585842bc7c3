"""``column IN (…)`` for any number of values."""

from collections.abc import Collection
from typing import Any

from sqlalchemy import ARRAY, ColumnElement, any_, bindparam


def among(column: Any, values: Collection[Any]) -> ColumnElement[bool]:
    """``column`` is one of ``values``, which are sent as one array.

    A parameter for each would be a statement of its own for each number of them, parsed anew by
    driver and server, and no statement may have more than 65,535.

    Args:
        column: A column or an expression whose type is known.
        values: Of the type of the column.
    """
    wanted = bindparam(None, list(values), type_=ARRAY(column.type), unique=True)
    found: ColumnElement[bool] = column == any_(wanted)
    return found
