"""Which round annotators are working on, and what the label page says about it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final, Literal, Protocol, TypeVar

from sqlalchemy import ColumnElement, Select, and_, func, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import aliased

from api.labeling.schemas import MyCounts, RoundStatus, Status
from api.schemas import days
from core.files.disk import room
from core.settings import settings
from core.settings.project import Cost, ProjectSettings
from core.states import ProjectState, RoundState
from core.tables import Annotation, Round

UNLIMITED: Final = 2**31
"""More verdicts than anybody gives; prices near zero pay for infinitely many."""

WaitingFor = Literal["nothing", "training", "failed", "disk", "paused", "finished", "others"]


def unfinished(project_id: int) -> Select[Round]:
    """The rounds of a project that are not closed, oldest first."""
    return (
        select(Round)
        .where(Round.project_id == project_id, Round.state != RoundState.CLOSED)
        .order_by(Round.number)
    )


class RoundLike(Protocol):
    """A round, or the part of one that was read for storing answers."""

    number: int
    state: RoundState
    spent: float
    budget: float
    settings: dict[str, Any]


AnyRound = TypeVar("AnyRound", bound=RoundLike)


@dataclass(slots=True)
class ReadRound:
    """What the hot path reads of a round."""

    id: int
    number: int
    state: RoundState
    spent: float
    budget: float
    settings: dict[str, Any]
    cost: Cost
    changed: bool = False

    @classmethod
    def of(cls, row: Any) -> "ReadRound":
        """From a row of columns, or from a ``Round``."""
        return cls(
            id=row.id,
            number=row.number,
            state=RoundState(row.state),
            spent=row.spent,
            budget=row.budget,
            settings=row.settings,
            cost=Cost.model_validate(row.settings["cost"]),
        )


def counting_round(rounds: Sequence[AnyRound]) -> AnyRound | None:
    """The round that an answer given now counts towards.

    That is the open one. While a round is closing (or its job failed), it is the next one, which is
    still selecting: zero-wait answers are its first answers. Once they have used up its budget, it
    is the one after. After the last round it is that.
    """
    waiting = [round_ for round_ in rounds if round_.state is RoundState.SELECTING]
    affordable = [round_ for round_ in waiting if round_.spent < round_.budget]
    opened = [round_ for round_ in rounds if round_.state is RoundState.OPEN]
    return next(iter([*opened, *affordable, *reversed(waiting), *reversed(rounds)]), None)


def serving_round(rounds: Sequence[AnyRound]) -> AnyRound | None:
    """The round whose ranked queue is handed out now, if any."""
    if not rounds:
        return None
    first = rounds[0]
    if first.state is RoundState.OPEN:
        return first
    if first.state in {RoundState.CLOSING, RoundState.FAILED} and len(rounds) > 1:
        settings = ProjectSettings.model_validate(first.settings)
        # What the next round can pay for is better chosen by the model that is being trained.
        if settings.zero_wait and rounds[1].spent < rounds[1].budget:
            return first
    return None


def remaining(round_: RoundLike | None) -> int | None:
    """How many more verdicts the budget pays for at least; unknown when seconds are charged."""
    if round_ is None:
        return None
    cost = Cost.model_validate(round_.settings["cost"])
    if cost.mode == "seconds":
        return None
    paid = (round_.budget - round_.spent) / max(cost.c_in, cost.c_ood)
    return max(0, math.ceil(min(UNLIMITED, paid)))


def describe(
    state: ProjectState,
    rounds: Sequence[RoundLike],
    *,
    classes_version: int,
    served: bool = False,
    mine: MyCounts | None = None,
) -> Status:
    """Status from rows already read.

    Args:
        state: The project's.
        rounds: ``unfinished`` rounds.
        classes_version: The project's.
        served: Whether the caller has queries to answer.
        mine: The caller's own counts.
    """
    counting = counting_round(rounds)
    return Status(
        classes_version=classes_version,
        project_state=state,
        round=RoundStatus(
            number=counting.number,
            state=counting.state,
            spent=counting.spent,
            budget=counting.budget,
        )
        if counting
        else None,
        waiting_for="nothing" if served else _waiting_for(state, rounds),
        remaining=remaining(counting),
        mine=mine,
    )


def _waiting_for(state: ProjectState, rounds: Sequence[RoundLike]) -> WaitingFor:
    if state is ProjectState.PAUSED:
        return "paused"
    if state is ProjectState.FINISHED or not rounds:
        return "finished"
    if rounds[0].state is RoundState.OPEN:
        return "others"
    if rounds[0].state is RoundState.FAILED:
        return "failed"
    # What trains waits then; see ``workers.execution.claiming``.
    return "training" if room(settings()).state == "ok" else "disk"


def own_answers(annotator_id: int) -> ColumnElement[bool]:
    """Condition: an annotation is somebody's answer to a query, as it stands after corrections."""
    correction = aliased(Annotation)
    return and_(
        Annotation.annotator_id == annotator_id,
        # Reviews, and verdicts by hand, answer none; a review is gone back to in the review.
        Annotation.query_id.is_not(None),
        ~select(correction.id).where(correction.supersedes_id == Annotation.id).exists(),
    )


async def my_counts(
    session: AsyncSession,
    project_id: int,
    annotator_id: int,
    round_: Round | None,
    ahead: timedelta,
) -> MyCounts:
    midnight = days.beginning(days.today(ahead), ahead)
    statement = select(
        func.count().filter(Annotation.created_at >= midnight),
        func.count(),
        func.count().filter(Annotation.round_id == (round_.id if round_ else None)),
    ).where(Annotation.project_id == project_id, own_answers(annotator_id))
    today, total, here = (await session.execute(statement)).one()
    return MyCounts(today=today, total=total, round=here)
