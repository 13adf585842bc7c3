"""The last phase of a first round: most of what nobody holds gives way to typical images.

The queue opened at random as soon as there was one, so that nobody waited for features. Of four
images one stays, whatever was held stays, and what is put in the others' place says that it was not
drawn: shares of the pool are estimated by draws (``docs/adr/0040-a-first-queue-is-typical.md``).
"""

from dataclasses import dataclass
from itertools import groupby
from typing import Any, Final

import numpy as np
from sqlalchemy import ARRAY, BigInteger, and_, bindparam, func, null, or_, select, update
from sqlalchemy.orm import Session

from core import events
from core.database.among import among
from core.lifecycle import mark_queried, mark_unqueried
from core.states import ExampleState, RoundState, Split
from core.tables import Example, Project, Query
from core.verdicts.consensus import lock_examples
from models.catalog.params.networks import compared_width
from models.selection.warm_start import MOST, typical_first
from workers.advance import drawing
from workers.advance.advance import Advance
from workers.advance.publish import locked_rounds
from workers.advance.reads import round_of

_ONE_STAYS_OF: Final = 4

_new = (
    func.unnest(
        bindparam("queries", type_=ARRAY(BigInteger)),
        bindparam("examples", type_=ARRAY(BigInteger)),
    )
    .table_valued("id", "example_id", name="new")
    .render_derived()
)
_REPLACE: Final = (
    update(Query)
    .where(Query.id == _new.c.id)
    # What was proposed is of the image that goes.
    .values(example_id=_new.c.example_id, typical=True, proposals=null())
)


@dataclass(frozen=True, slots=True)
class _Slot:
    """A place of the queue: the queries of one image, one for each annotator."""

    rank: int
    queries: tuple[int, ...]
    example_id: int
    pool_index: int


def warm_start(advance: Advance) -> None:
    """Put typical images in the place of random ones, and end the phase with it."""
    context = advance.context
    assert advance.selecting is not None
    with context.sessions() as session:
        opened = round_of(session, context.project_id, advance.selecting)
        queue = _queue(session, opened.id)
    order = _typical(advance, queue) if opened.state is RoundState.OPEN else []
    with context.transaction() as (session, job):
        # Locked in the order that everybody keeps: job, project, rounds, examples, queries.
        project = session.get_one(Project, context.project_id, with_for_update={"key_share": True})
        (round_,) = locked_rounds(session, advance)
        if round_.state is RoundState.OPEN:
            queue = _queue(session, round_.id)
            count = _replace(session, project.id, queue, _free(queue, advance), order)
            if count:
                images = len({row.example_id for row in queue})
                round_.notes = [
                    *round_.notes,
                    f"{count:,} of the {images:,} images were chosen as typical of the pool, the "
                    "others at random.",
                ]
                session.execute(events.round_changed(round_))
        context.finish_phase(job, "warm_start")


def _typical(advance: Advance, queue: list[Any]) -> list[int]:
    """Pool indices of typical images, for the places of ``queue`` that are free by now."""
    slots = _free(queue, advance)
    if not slots:
        return []
    rows, unlabeled = advance.embeddings(), advance.snapshot.unlabeled
    # What was drawn to judge models is chosen as though it were not there.
    drawn = {row.pool_index for row in queue if row.audit}
    before = [row for row in queue if row.rank <= slots[-1].rank and not row.audit]
    staying = np.array(_staying(before, slots), dtype=np.int64)
    chosen = [row.pool_index for row in queue if not row.audit]
    beyond = np.setdiff1d(chosen, [row.pool_index for row in before])
    width = compared_width(advance.settings.model.name, rows.shape[1])
    order = typical_first(
        rows[:, :width],
        np.setdiff1d(unlabeled, beyond),
        # But for what somebody sent that had been labeled, or came in, meanwhile.
        staying[np.isin(staying, unlabeled)],
        len(slots) + len(drawn),
        seed=advance.seed,
    )
    return [int(index) for index in order]


def _queue(session: Session, round_id: int) -> list[Any]:
    """All queries of a round, by rank."""
    statement = (
        select(
            *(Query.id, Query.rank, Query.example_id, Query.requested, Query.done),
            *(Query.lease_token, Query.audit),
            Example.pool_index,
        )
        .join(Example, Example.id == Query.example_id)
        .where(Query.round_id == round_id)
        .order_by(Query.rank, Query.id)
    )
    return list(session.execute(statement).all())


def _free(queue: list[Any], advance: Advance) -> list[_Slot]:
    """Places whose image nobody has ever been shown, but every fourth; at most ``MOST``."""
    overlap = advance.settings.overlap
    drawn = (row for row in queue if row.rank >= 0)
    slots = []
    for position, found in groupby(drawn, key=lambda row: row.rank // overlap):
        rows = list(found)
        untouched = not any(
            row.done or row.requested or row.audit or row.lease_token for row in rows
        )
        if position % _ONE_STAYS_OF and len(rows) == overlap and untouched:
            first = rows[0]
            ids = tuple(row.id for row in rows)
            slots.append(_Slot(first.rank, ids, first.example_id, first.pool_index))
    return slots[:MOST]


def _staying(queue: list[Any], slots: list[_Slot]) -> list[int]:
    """Pool indices of the images that keep their places, by rank."""
    going = {slot.pool_index for slot in slots}
    return [index for index in dict.fromkeys(row.pool_index for row in queue) if index not in going]


def _replace(
    session: Session, project_id: int, queue: list[Any], slots: list[_Slot], order: list[int]
) -> int:
    """Give ``slots`` the first of ``order`` that are free; returns how many places have another."""
    staying = set(_staying(queue, slots))
    wanted = [index for index in order if index not in staying]
    state = _locked(session, project_id, [slot.example_id for slot in slots], wanted)
    held = _claimed(session, slots)
    slots = [
        slot
        for slot in slots
        if held.issuperset(slot.queries) and state[slot.pool_index].state is ExampleState.QUERIED
    ]
    left = {slot.pool_index: slot.example_id for slot in slots}
    new = [
        state[index].id
        for index in wanted
        if index in left or (index in state and state[index].state is ExampleState.UNLABELED)
    ]
    # Should there be too few, what was drawn fills up; it was not drawn from all of the pool then.
    new = list(dict.fromkeys([*new, *left.values()]))[: len(slots)]
    moves = [
        (query, example) for slot, example in zip(slots, new, strict=True) for query in slot.queries
    ]
    if not moves:
        return 0
    queries, examples = (list(column) for column in zip(*moves, strict=True))
    session.execute(_REPLACE, {"queries": queries, "examples": examples})
    drawing.meet(session, project_id, _met(queue, slots, order, new, state))
    before = set(left.values())
    session.execute(mark_unqueried(sorted(before - set(new))))
    session.execute(mark_queried(sorted(set(new) - before)))
    return len(slots)


def _met(
    queue: list[Any], slots: list[_Slot], order: list[int], new: list[int], state: dict[int, Any]
) -> dict[int, int]:
    """By pool index of each draw in ``order`` the rank of the place filled before it, or -1."""
    drawn, filled = {row.pool_index for row in queue if row.audit}, set(new)
    met, count = dict[int, int](), 0
    for index in order:
        if count == len(slots):
            break
        if index in drawn:
            met[index] = slots[count - 1].rank if count else -1
        elif index in state and state[index].id in filled:
            count += 1
    return met


def _locked(
    session: Session, project_id: int, example_ids: list[int], pool_indices: list[int]
) -> dict[int, Any]:
    """Id and state by pool index of examples, which nobody changes from here on."""
    which = or_(
        among(Example.id, example_ids),
        and_(
            Example.project_id == project_id,
            Example.split == Split.POOL,
            among(Example.pool_index, pool_indices),
        ),
    )
    session.execute(lock_examples(which))
    # Read once they are locked: whoever was waited for may have changed them.
    found = session.execute(select(Example.pool_index, Example.id, Example.state).where(which))
    return {row.pool_index: row for row in found}


def _claimed(session: Session, slots: list[_Slot]) -> set[int]:
    """Queries that are still nobody's, and stay so; those being leased at this moment are not."""
    statement = (
        select(Query.id)
        .where(
            among(Query.id, [query for slot in slots for query in slot.queries]),
            ~Query.done,
            ~Query.requested,
            Query.lease_token.is_(None),
        )
        .with_for_update(skip_locked=True)
    )
    return set(session.scalars(statement))
