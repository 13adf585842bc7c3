"""Notes beside verdicts in requests and answers."""

from datetime import datetime
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, Field, StringConstraints

from core.states import Verdict
from core.tasks.registry import AnyLabel, label_of
from core.verdicts.notes import MOST, plain_note

Note = Annotated[
    Annotated[
        str,
        StringConstraints(strip_whitespace=True, max_length=MOST),
        AfterValidator(plain_note),
    ]
    | None,
    Field(description="Plain text beside the verdict, at most 500 characters."),
]


class NoteOut(BaseModel):
    """A note and the verdict that it stands beside, whose `id` it has."""

    id: int
    note: str
    verdict: Verdict
    class_id: int | None
    label: AnyLabel | None
    created_at: datetime

    @classmethod
    def of(cls, row: Any) -> "NoteOut":
        """The note of a row that has these columns."""
        return cls(
            id=row.id,
            note=row.note,
            verdict=row.verdict,
            class_id=row.class_id,
            label=label_of(row.label),
            created_at=row.created_at,
        )
