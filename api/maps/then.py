"""What was known of images when a round closed. What was said since changes nothing of it."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Self

from sqlalchemy import ColumnElement, Select, and_, func, or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from api.maps.schemas import Standing
from core.states import ExampleState, RoundState
from core.tables import Annotation, Example, Job, Round
from core.tasks.boxes import BoxesLabel
from core.tasks.registry import class_of
from core.tasks.spec import Label
from core.verdicts.consensus import Vote, outcome, votes

_UNDER_WAY: Final = (RoundState.SELECTING, RoundState.OPEN)
# Nothing is said of an image in any of these.
_NO_VERDICT: Final = (ExampleState.UNLABELED, ExampleState.QUERIED)

Verdicts = Mapping[int, tuple[ExampleState, Label | None]]


def boxes_of_label() -> ColumnElement[int | None]:
    """How many boxes the label of an image has; null of any other label."""
    return func.jsonb_array_length(Example.label["boxes"]).label("boxes")


@dataclass(frozen=True)
class Closing:
    """When a round was closed, as far as its model was concerned.

    Attributes:
        project_id: Its project.
        number: Of the round.
        at: When what was known was taken down.
    """

    project_id: int
    number: int
    at: datetime

    @classmethod
    async def of(cls, session: AsyncSession, project_id: int, number: int) -> Self | None:
        """The closing of a round; None while it goes on, or if there is none of that number.

        Of one that was closed once more, so that another could follow, the last.
        """
        statement = (
            select(func.coalesce(Job.started_at, Round.closed_at))
            .select_from(Round)
            .outerjoin(Job, Job.id == Round.job_id)
            .where(
                Round.project_id == project_id,
                Round.number == number,
                Round.state.not_in(_UNDER_WAY),
            )
        )
        at = await session.scalar(statement)
        return None if at is None else cls(project_id, number, at)

    def knew(self, one: type[Annotation]) -> ColumnElement[bool]:
        """Condition: an annotation was known, and counted to no later round."""
        rounds = select(Round.id).where(
            Round.project_id == self.project_id, Round.number <= self.number
        )
        # An imported label may say when it was given, which is before anybody here knew of it.
        imported_at = select(Job.started_at).where(Job.id == one.job_id).scalar_subquery()
        return and_(
            or_(one.round_id.is_(None), one.round_id.in_(rounds)),
            func.greatest(one.created_at, imported_at) <= self.at,
        )

    async def verdicts(
        self, session: AsyncSession, examples: Collection[int] | Select[int]
    ) -> Verdicts:
        """State and class of those of the examples that anybody had said anything of."""
        said: dict[int, list[Vote]] = defaultdict(list)
        wanted = Annotation.example_id.in_(examples)
        for row in await session.execute(votes(self.knew).where(wanted)):
            said[row.example_id].append(Vote.of(row))
        return {example_id: outcome(found) for example_id, found in said.items()}


def stands(row: Any, then: Verdicts | None) -> tuple[Standing, Standing | None]:
    """Where an image stood, and where it stands now if that is somewhere else.

    Args:
        row: ``id``, ``state``, ``label_class_id`` and ``boxes`` of the image, as they are now.
        then: What ``Closing.verdicts`` said; None of a round that has not closed.
    """
    now = Standing(state=row.state, class_id=row.label_class_id, boxes=row.boxes)
    if then is None:
        return now, None
    state, label = then.get(row.id, (ExampleState.UNLABELED, None))
    boxes = len(label.boxes) if isinstance(label, BoxesLabel) else None
    before = Standing(state=state, class_id=class_of(label), boxes=boxes)
    is_same = now == before or (now.state in _NO_VERDICT and before.state in _NO_VERDICT)
    return before, None if is_same else now
