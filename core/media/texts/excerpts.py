"""How texts begin, and what they are made of, as columns of statements that list examples."""

from typing import Any

from sqlalchemy import ColumnElement, case, func, literal_column, select

from core.media.texts.medium import EXCERPT
from core.tables import Example, ExampleText


def beginning(
    longest: int = EXCERPT, example_id: Any = Example.id, width: Any = Example.width
) -> ColumnElement[str | None]:
    """The first characters of a text; null of an image, for which nothing is looked up.

    Of a long text only so much is unpacked.

    Args:
        longest: How many characters.
        example_id: Column of the example, where it is not ``Example.id``.
        width: Column of its width.
    """
    content = (
        # Not a parameter: plans of prepared statements are kept by their text.
        select(func.left(ExampleText.content, literal_column(str(longest))))
        .where(ExampleText.example_id == example_id)
        .correlate_except(ExampleText)
        .scalar_subquery()
    )
    return case((width.is_(None), content))


def row_fields(example_id: Any = Example.id, width: Any = Example.width) -> ColumnElement[Any]:
    """The parts of a row of instruction data; null of everything else.

    Args:
        example_id: Column of the example, where it is not ``Example.id``.
        width: Column of its width.
    """
    fields = (
        select(ExampleText.fields)
        .where(ExampleText.example_id == example_id)
        .correlate_except(ExampleText)
        .scalar_subquery()
    )
    return case((width.is_(None), fields))
