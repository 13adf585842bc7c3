"""What was written beside the verdicts that a review decides between."""

from collections import defaultdict
from collections.abc import Sequence

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from api.schemas.notes import NoteOut
from core.database.among import among
from core.tables import Annotation, Suggestion
from core.verdicts.consensus import holds


async def notes_on(
    session: AsyncSession, suggestions: Sequence[Suggestion]
) -> dict[int, list[NoteOut]]:
    """By suggestion the notes beside verdicts that hold, but for that of its own decision."""
    statement = (
        select(
            Annotation.id,
            Annotation.example_id,
            Annotation.note,
            Annotation.verdict,
            Annotation.class_id,
            Annotation.label,
            Annotation.created_at,
        )
        .where(
            among(Annotation.example_id, [one.example_id for one in suggestions]),
            Annotation.note.is_not(None),
            holds(),
        )
        .order_by(Annotation.created_at, Annotation.id)
    )
    found = defaultdict(list)
    for row in await session.execute(statement):
        found[row.example_id].append(row)
    return {
        one.id: [NoteOut.of(row) for row in found[one.example_id] if row.id != one.annotation_id]
        for one in suggestions
    }
