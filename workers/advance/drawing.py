"""Random draws of a queue: who is drawn, and which of them the strategy has caught up with."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from sqlalchemy import ColumnElement, and_, distinct, exists, func, select, text, update
from sqlalchemy.orm import Session, aliased

from core.database.among import among
from core.database.engines import database_time
from core.rounds import note_draws
from core.states import ExampleState, Source, Split
from core.tables import Annotation, Example, Query, Round
from core.tasks.registry import task_type
from core.verdicts.consensus import Vote, opinions, votes
from workers.advance.advance import Advance
from workers.labels.draws import reached

NOT_DRAWN: Final[Mapping[str, Any]] = {
    "audit": False, "audit_probability": None, "again_after": None,
}  # fmt: skip
"""The columns of a query that a strategy has chosen."""
_BLOCK: Final = 5000
_TWICE_OF_SEVERAL: Final = 0.2
"""Share of the draws that two people are to answer, where two or more label."""
_TWICE_OF_ONE: Final = 0.1
_MEET: Final = text(
    "UPDATE queries SET audit_rank = new.rank "
    "FROM unnest(CAST(:indices AS bigint[]), CAST(:ranks AS bigint[])) AS new (pool_index, rank), "
    "examples WHERE examples.project_id = :project AND examples.pool_index = new.pool_index "
    "AND queries.example_id = examples.id AND queries.audit AND queries.audit_released IS NULL"
)


@dataclass(frozen=True, slots=True)
class Draw:
    """An example that is to be asked about because it was drawn.

    Attributes:
        pool_index: Which.
        example_id: Which.
        probability: That each free example had of being drawn with it; None of a second look.
        again_after: Of a second look the vote that it is asked again after.
    """

    pool_index: int
    example_id: int
    probability: float | None
    again_after: int | None = None

    @property
    def columns(self) -> dict[str, Any]:
        """Of its queries."""
        return {
            "audit": True,
            "audit_probability": self.probability,
            "again_after": self.again_after,
        }


def draws_in(advance: Advance) -> bool:
    """Whether a round of the project's task type has draws."""
    return task_type(advance.snapshot.task).names_one_class


def release(session: Session, advance: Advance) -> None:
    """Hand over to learning what the closing round's queue has passed, and forget the places.

    What answers have passed since the snapshot counts to the round that they count to.
    """
    if advance.closing is None:
        return
    project_id = advance.context.project_id
    _release(session, project_id, advance.noted("snapshot").get("released", []), advance.closing)
    number = advance.closing if advance.selecting is None else advance.selecting
    _release(session, project_id, reached(session, project_id, advance.closing, None), number)
    session.execute(
        update(Query)
        .where(Query.project_id == project_id, Query.audit, Query.audit_rank.is_not(None))
        .values(audit_rank=None)
    )


def _release(session: Session, project_id: int, pool_indices: list[int], number: int) -> None:
    if not pool_indices:
        return
    which = select(Example.id).where(
        Example.project_id == project_id, among(Example.pool_index, pool_indices)
    )
    session.execute(
        update(Query)
        .where(Query.example_id.in_(which), Query.audit, Query.audit_released.is_(None))
        .values(audit_released=number)
    )


def undo(session: Session, query_ids: list[int]) -> None:
    """Forget draws that were withdrawn before anybody was shown them; examples are free again."""
    held = aliased(Query)
    was_held = exists().where(
        held.example_id == Query.example_id, held.audit, held.lease_token.is_not(None)
    )
    free = select(Example.id).where(Example.state == ExampleState.UNLABELED)
    for start in range(0, len(query_ids), _BLOCK):
        session.execute(
            update(Query)
            .where(
                among(Query.id, query_ids[start : start + _BLOCK]),
                Query.audit,
                ~Query.requested,
                ~was_held,
                Query.example_id.in_(free),
            )
            .values(audit=False, audit_probability=None, audit_rank=None)
        )


def draw(session: Session, advance: Advance, round_: Round, wanted: int) -> list[Draw]:
    """Choose what the queue of ``round_`` asks about at random, in no order.

    That is what was drawn before and has been left without an answer, new draws, and draws that
    are to be answered twice. Whatever was withdrawn is free again.

    Args:
        session: In which the round is published.
        advance: The job.
        round_: The round; its metrics keep from how many was drawn.
        wanted: Examples in the queue.
    """
    if not draws_in(advance):
        return []
    left = _left(session, round_.project_id)
    count = _how_many(session, advance, wanted)
    at = database_time(session)
    new = _new(session, advance, round_, count, {one.example_id for one in left})
    if new:
        of, free = advance.snapshot.count, round(len(new) / (new[0].probability or 1))
        note_draws(round_, of=of, free=free, drawn=len(new), requested=False, at=at)
    generator = np.random.default_rng([advance.seed, len(left) + count])
    twice = _twice(session, advance, generator, wanted) if advance.settings.audit_share else []
    return [*left, *new, *twice]


def _mine(project_id: int) -> ColumnElement[bool]:
    return and_(Query.project_id == project_id, Query.audit, Query.audit_released.is_(None))


def unreleased(session: Session, project_id: int) -> set[int]:
    """Pool indices of all draws that no strategy has chosen."""
    statement = (
        select(Example.pool_index)
        .join(Query, Query.example_id == Example.id)
        .where(_mine(project_id))
        .distinct()
    )
    return set(session.scalars(statement))


def _left(session: Session, project_id: int) -> list[Draw]:
    """Draws that somebody has held or skipped and that wait in no queue."""
    waiting = aliased(Query)
    statement = (
        select(Example.pool_index, Example.id, func.max(Query.audit_probability))
        .join(Query, Query.example_id == Example.id)
        .where(
            _mine(project_id),
            Example.state == ExampleState.UNLABELED,
            Example.split == Split.POOL,
            ~exists().where(waiting.example_id == Example.id, ~waiting.done),
        )
        .group_by(Example.id, Example.pool_index)
        .order_by(Example.pool_index)
    )
    return [Draw(*row) for row in session.execute(statement)]


def _how_many(session: Session, advance: Advance, wanted: int) -> int:
    """New draws, so that they are the wanted share of all that was ever asked about."""
    share = advance.settings.audit_share
    if share == 0 or wanted == 0:
        return 0
    project_id = advance.context.project_id
    asked = select(func.count(distinct(Annotation.example_id))).where(
        Annotation.project_id == project_id, Annotation.source == Source.ANNOTATOR
    )
    drawn = select(func.count(distinct(Query.example_id))).where(
        Query.project_id == project_id, Query.audit, ~Query.requested
    )
    due = share * ((session.scalar(asked) or 0) + wanted) - (session.scalar(drawn) or 0)
    # What earlier versions have missed is not made up for at once.
    return max(0, min(math.floor(due), math.ceil(share * wanted)))


def _new(
    session: Session, advance: Advance, round_: Round, count: int, besides: set[int]
) -> list[Draw]:
    """Draw ``count`` examples uniformly from those that are free and were scored."""
    if count == 0:
        return []
    is_free = (
        Example.project_id == round_.project_id,
        Example.split == Split.POOL,
        Example.state == ExampleState.UNLABELED,
        Example.pool_index < advance.snapshot.count,
    )
    free = (session.scalar(select(func.count()).where(*is_free)) or 0) - len(besides)
    generator = np.random.default_rng([advance.seed, round_.number, 1])
    order = generator.permutation(advance.snapshot.unlabeled)
    found: list[tuple[int, int]] = []
    for start in range(0, len(order), _BLOCK):
        block = order[start : start + _BLOCK].tolist()
        ids = dict(
            session.execute(
                select(Example.pool_index, Example.id).where(
                    *is_free, among(Example.pool_index, block)
                )
            ).all()
        )
        found += [(one, ids[one]) for one in block if one in ids and ids[one] not in besides]
        if len(found) >= count:
            break
    found = found[:count]
    chance = min(1.0, len(found) / max(1, free))
    return [Draw(index, id_, chance) for index, id_ in found]


def _twice(
    session: Session, advance: Advance, generator: np.random.Generator, wanted: int
) -> list[Draw]:
    """Draws that one person has answered and that are to be answered once more."""
    if advance.settings.overlap > 1 or advance.closing is None:
        return []
    project_id = advance.context.project_id
    people = select(func.count(distinct(Annotation.annotator_id))).where(
        Annotation.project_id == project_id, Annotation.source == Source.ANNOTATOR
    )
    several = (session.scalar(people) or 0) > 1
    # Several rows of an example stand for one draw.
    statement = (
        select(Example.id, Example.pool_index, func.bool_or(Query.again_after.is_not(None)))
        .join(Query, Query.example_id == Example.id)
        .where(_mine(project_id), Example.state.in_((ExampleState.LABELED, ExampleState.OOD)))
        .group_by(Example.id, Example.pool_index)
        .order_by(Example.pool_index)
    )
    rows = session.execute(statement).all()
    share = _TWICE_OF_SEVERAL if several else _TWICE_OF_ONE
    asked = sum(row[2] for row in rows) if not several else _pairs(session, project_id)
    count = min(math.floor(share * len(rows)) - asked, math.ceil(0.1 * wanted))
    once = {row.id: row.pool_index for row in rows if not row[2]}
    if count <= 0 or not once:
        return []
    held: dict[int, list[Any]] = {}
    for row in session.execute(votes().where(among(Annotation.example_id, list(once)))):
        held.setdefault(row.example_id, []).append(row)
    single = [
        Draw(once[id_], id_, None, said[0].id)
        for id_, said in sorted(held.items())
        if len(said) == 1 and opinions([Vote.of(said[0])]) and said[0].source == Source.ANNOTATOR
    ]
    chosen = generator.permutation(len(single))[:count]
    return [single[at] for at in chosen.tolist()]


def _pairs(session: Session, project_id: int) -> int:
    """Draws that two people have answered, or that wait for it."""
    before = aliased(Annotation)
    other = exists().where(
        Annotation.query_id == Query.id,
        Annotation.supersedes_id == before.id,
        Annotation.annotator_id != before.annotator_id,
    )
    statement = select(func.count(distinct(Query.example_id))).where(
        _mine(project_id), Query.again_after.is_not(None), ~Query.done | other
    )
    return session.scalar(statement) or 0


def meet(session: Session, project_id: int, met: Mapping[int, int]) -> None:
    """Note after which rank of the queue the strategy would have put each draw.

    Args:
        session: In which the round is published.
        project_id: The project.
        met: Ranks by pool index; -1 of what it would have put first.
    """
    if met:
        values = {"project": project_id, "indices": list(met), "ranks": list(met.values())}
        session.execute(_MEET, values)


def walk(
    order: Sequence[int], drawn: Collection[int], free: Collection[int], most: int
) -> tuple[list[int], dict[int, int]]:
    """Go down a ranking to the ``most`` that are free, and note where draws were come upon.

    Args:
        order: Pool indices, the best first, ranked as though draws were as unlabeled as the rest.
        drawn: Those that were drawn, answered or not.
        free: Those that may be asked about.
        most: How many to choose.

    Returns:
        What was chosen, in order; and by pool index how many were chosen before each draw.
    """
    chosen, met = list[int](), dict[int, int]()
    for pool_index in order:
        if len(chosen) == most:
            break
        if pool_index in drawn:
            met[pool_index] = len(chosen)
        elif pool_index in free:
            chosen.append(pool_index)
    return chosen, met


def mixed(chosen: int, drawn: int, *, seed: int) -> tuple[list[int], list[int]]:
    """Places in a queue: of what was chosen, in order, and of draws, at random among them."""
    places = np.random.default_rng([seed, chosen, drawn]).permutation(chosen + drawn)
    return np.sort(places[drawn:]).tolist(), places[:drawn].tolist()
