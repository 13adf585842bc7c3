"""The classes that labels of boxes show, where the rows are."""

from typing import Any

from sqlalchemy import BigInteger, ColumnElement, FromClause, cast, column, func, join, true
from sqlalchemy.dialects.postgresql import JSONB

from core.tables import Example


def each_box() -> tuple[ColumnElement[Any], FromClause]:
    """The class of a box, and a row for each box of an example."""
    boxes = func.jsonb_array_elements(Example.label["boxes"]).table_valued(
        column("value", JSONB), joins_implicitly=True
    )
    return cast(boxes.c.value["class_id"].astext, BigInteger), join(Example, boxes, true())
