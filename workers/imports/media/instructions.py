"""Rows of instruction data within an import: their parts, and all of each as one text."""

from collections.abc import Sequence

from pydantic import ValidationError

from core.tasks.instruction_rows import InstructionRow, rendered, stored_row
from workers.imports.items import Item, Refused
from workers.imports.media.base import Content, Made, unwrapped
from workers.imports.media.text import MadeText, TextMedium, TextReading

MEDIA_TYPE = "application/json"
_NO_ROW = (
    "it is no table of instruction data; import JSON Lines, JSON, CSV or Parquet, or a zip of these"
)


class InstructionReading(TextReading):
    """Reads rows, which sources make: a file that is one text alone is none."""

    def read(self, item: Item) -> Content | Refused:
        """The row that an item brings, as canonical JSON."""
        if item.size:
            return Refused(_NO_ROW)
        found = item.read()
        if isinstance(found, Refused):
            return found
        content = unwrapped(found)
        try:
            InstructionRow.model_validate_json(content.content)
        except ValidationError:
            return Refused(_NO_ROW)
        return content

    def unlike(self, item: Item) -> Refused | None:
        """Why a file is no row; rows of a table have no size."""
        return Refused(_NO_ROW) if item.size else None


class InstructionMedium(InstructionReading, TextMedium):
    """Rows of one project: the store for models has what they are as texts."""

    def make(self, contents: Sequence[bytes]) -> Sequence[Made | Refused]:
        """Rows of canonical JSON that ``read`` gave."""
        rows = [InstructionRow.model_validate_json(content) for content in contents]
        return [
            MadeText(rendered(row), media_type=MEDIA_TYPE, fields=stored_row(row)) for row in rows
        ]
