"""Rows of instruction data within an import: their parts, and all of each as one text."""

import re
import unicodedata
from collections.abc import Sequence
from hashlib import blake2b
from typing import Final

from pydantic import ValidationError
from sqlalchemy import select
from sqlalchemy.orm import Session

from core.files.storage import Storage
from core.settings import Settings
from core.tables import Example, ExampleText, Project
from core.tasks.instruction_rows import InstructionRow, asked, rendered, stored_row
from workers.imports.items import Item, Refused
from workers.imports.media.base import Content, Made, unwrapped
from workers.imports.media.text import MadeText, TextMedium, TextReading

NEARLY: Final = (
    "nearly the same as another row: only case, punctuation or spaces differ; both are kept"
)
_NO_ROW: Final = (
    "it is no table of instruction data; import JSON Lines, JSON, CSV or Parquet, or a zip of these"
)
_BETWEEN: Final = re.compile(r"[\W_]+")
# Texts of the database that are held in memory at a time.
_AT_ONCE: Final = 500


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

    def _words(self, content: bytes) -> str:
        """What a row asks."""
        return asked(InstructionRow.model_validate_json(content))

    def unlike(self, item: Item) -> Refused | None:
        """Why a file is no row; rows of a table have no size."""
        return Refused(_NO_ROW) if item.size else None


class InstructionMedium(InstructionReading, TextMedium):
    """Rows of one project: the store for models has what they are as texts."""

    def __init__(
        self, session: Session, storage: Storage, project: Project, settings: Settings
    ) -> None:
        """Take up a pool, and learn which rows it has.

        Args:
            session: For reading what the pool has.
            storage: For the text store.
            project: The project.
            settings: For the longest text.
        """
        super().__init__(session, storage, project, settings)
        statement = (
            select(ExampleText.content)
            .join(Example, Example.id == ExampleText.example_id)
            .where(Example.project_id == project.id)
            .execution_options(yield_per=_AT_ONCE)
        )
        # Eight bytes a row: two of a million rows are taken for one with a chance of 10⁻⁷.
        self._seen = {_key(content) for content in session.scalars(statement)}

    def make(self, contents: Sequence[bytes]) -> Sequence[Made | Refused]:
        """Rows of canonical JSON that ``read`` gave; those nearly like another say so."""
        return [self._made(InstructionRow.model_validate_json(content)) for content in contents]

    def _made(self, row: InstructionRow) -> MadeText:
        said = rendered(row)
        key = _key(said)
        notes = (NEARLY,) if key in self._seen else ()
        self._seen.add(key)
        return MadeText(said, fields=stored_row(row), notes=notes)


def _key(content: str) -> int:
    """What is the same of texts that differ in case, punctuation or spaces only."""
    plain = _BETWEEN.sub("", unicodedata.normalize("NFKC", content).casefold())
    return int.from_bytes(blake2b(plain.encode(), digest_size=8).digest())
