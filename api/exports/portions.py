"""Blocks of rows whose labels fit memory together: of an image's boxes there may be thousands."""

from typing import Any, Final

from sqlalchemy import ColumnElement, Subquery, func, select

MOST_BYTES: Final = 1 << 18
"""Of labels as the database stores them: some megabytes of JSON, some tens as objects."""


def stored_bytes(label: Any) -> ColumnElement[int]:
    """What a label takes in the database, which is known without reading it."""
    return func.coalesce(func.pg_column_size(label), 0)


def within_bytes(first: Subquery, order: str) -> Subquery:
    """As many rows of ``first`` as fit memory, and at least one.

    Args:
        first: With the columns ``bytes`` and ``order``.
        order: The column that they are ordered by; no two are equal.
    """
    before = func.sum(first.c.bytes).over(order_by=first.c[order]) - first.c.bytes
    sized = select(first, before.label("before")).subquery()
    return select(sized).where(sized.c.before < MOST_BYTES).subquery()
