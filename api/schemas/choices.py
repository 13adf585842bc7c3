"""Values that are of one of several kinds, such as the words of one list or of another."""

from enum import Enum
from typing import Any

from pydantic import GetCoreSchemaHandler
from pydantic_core import CoreSchema


class OneOf:
    """Marks a union: that a value is of none of its kinds is said once, of the field.

    Pydantic says it of each, and where by its own names of them: `state.str-enum[ExampleState]`.
    """

    @staticmethod
    def __get_pydantic_core_schema__(source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        schema: Any = handler(source)
        *others, last = (text for choice in schema["choices"] for text in _texts(choice))
        expected = f"{', '.join(others)} or {last}"
        schema.update(custom_error_type="enum", custom_error_context={"expected": expected})
        found: CoreSchema = schema
        return found


def _texts(choice: Any) -> list[str]:
    match choice["type"]:
        case "enum":
            values = choice["members"]
        case "literal":
            values = choice["expected"]
        case _:
            # A number beside words is that of something.
            return ["an id"]
    return [repr(one.value if isinstance(one, Enum) else one) for one in values]
