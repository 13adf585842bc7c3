"""Keyset pagination: the cursor is the last id seen, so that a page costs the same anywhere."""

from typing import Annotated, Generic, TypeVar

from fastapi import Query
from pydantic import BaseModel

Item = TypeVar("Item")

Cursor = Annotated[int | None, Query(ge=0, lt=2**63, description="next_cursor of the page before.")]
Limit = Annotated[int, Query(ge=1, le=500)]


class Page(BaseModel, Generic[Item]):
    items: list[Item]
    next_cursor: int | None


class Items(BaseModel, Generic[Item]):
    """A list that is short by nature, and therefore whole."""

    items: list[Item]
