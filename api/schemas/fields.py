"""What an example brought besides itself, as far as annotators see it."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, StringConstraints
from sqlalchemy import ColumnElement, Text, func, select

from core.field_conditions import parse_condition
from core.tables import Example


def _condition(text: str) -> str:
    parse_condition(text)
    return text


OnField = Annotated[str, StringConstraints(max_length=2500), AfterValidator(_condition)]
"""A condition on a field, as it is written."""


class ShownField(BaseModel):
    """A field that came with an example, by the name that it has in the import."""

    name: str
    value: str | int | float | bool


class Fields(BaseModel):
    """Each name once, with one of its values."""

    items: list[ShownField]


class FieldValue(BaseModel):
    """A value that a field has, as text, and how many examples have it."""

    value: str
    count: int


class FieldValues(BaseModel):
    """Values of a field, the most frequent first; none where there are `many`, more than 50.

    Where not `exact`, they are those of a part of the pool, and counts are what it suggests.
    """

    items: list[FieldValue]
    many: bool
    exact: bool


def brought(names: ColumnElement[Any]) -> ColumnElement[Any]:
    """Of ``Example.meta`` these names alone, as JSON; null if it has none of them.

    A row may have a thousand fields of a thousand characters.
    """
    name = func.unnest(names, type_=Text).column_valued("field")
    found = select(func.jsonb_object_agg(name, Example.meta[name]))
    return found.where(Example.meta.has_key(name)).correlate(Example).scalar_subquery()


def shown_fields(names: Sequence[str], meta: Mapping[str, Any] | None) -> list[ShownField]:
    """Those of ``names`` that ``meta`` has, in this order; what is nested is not shown."""
    found = ((name, (meta or {}).get(name)) for name in names)
    return [ShownField(name=name, value=value) for name, value in found if _is_plain(value)]


def _is_plain(value: object) -> bool:
    return isinstance(value, str | int | float)
