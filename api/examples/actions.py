"""What engineers do with many images at once; each is one transaction, and audited."""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final

from sqlalchemy import Update, func, insert, select, text, update
from sqlalchemy.ext.asyncio import AsyncSession

from api.audit import record
from api.callers.principal import Principal
from api.examples import service
from api.examples.predicted import UNKNOWN, predictions_of
from api.examples.schemas import MOST_AT_ONCE, Changed, Promoted, Promotion, Selection
from api.examples.votes import standing, votes_on
from api.projects import classes
from api.projects.schemas import ClassOut
from core.database.among import among
from core.errors import Conflict
from core.files.storage import Storage
from core.lifecycle import mark_held_out, mark_queried, mark_released, mark_unqueried
from core.rounds import extend_budget, lock_unfinished
from core.settings.project import ProjectSettings
from core.states import ExampleState, RoundState, Split
from core.tables import Example, Project, Query, QueryMember, Round
from core.tasks.registry import task_type
from core.verdicts.consensus import Vote, lock_examples, opinions

_BLOCK: Final = 2000
_MOVE: Final = text(
    "UPDATE queries SET rank = new.rank "
    "FROM unnest(CAST(:moved AS bigint[]), CAST(:ranks AS bigint[])) AS new (example_id, rank) "
    "WHERE queries.example_id = new.example_id AND queries.round_id = :round AND NOT queries.done"
)


@dataclass
class _Sorted:
    """What is to become of each example of a selection."""

    new: list[int] = field(default_factory=list)
    # For each the last annotation that is doubted.
    again: dict[int, int] = field(default_factory=dict)
    moved: list[int] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)


async def chosen(
    session: AsyncSession, project: Project, storage: Storage, selection: Selection
) -> tuple[list[int], Counter[str]]:
    """Examples of a selection that the project has, in order, each once, and how many it has not.

    Of others nothing more is asked: what came of that would tell what they are.

    Raises:
        Conflict: More than ``MOST_AT_ONCE`` match.
    """
    if selection.ids is not None:
        ids = list(dict.fromkeys(selection.ids))
        mine = await standing(session, project, ids)
        known = [id_ for id_ in ids if id_ in mine and mine[id_].split is not None]
        return known, Counter({"unknown": len(ids) - len(known)})
    assert selection.filters is not None
    found = await service.matching_ids(
        session, project, storage, selection.filters, MOST_AT_ONCE + 1
    )
    if len(found) > MOST_AT_ONCE:
        raise Conflict(
            "too_many",
            f"More than {MOST_AT_ONCE:,} images match, which is the most at once; narrow the "
            "filters.",
            field="filters",
        )
    return found, Counter()


async def send_to_queue(
    session: AsyncSession,
    principal: Principal,
    project: Project,
    storage: Storage,
    selection: Selection,
) -> Changed:
    """Put images at the head of the open round's queue, each with its newest prediction.

    Raises:
        Conflict: No round is open, too many images match, or the project asks about groups.
    """
    _require_asked_alone(project)
    ids, left_out = await chosen(session, project, storage, selection)
    # Before anything is locked: the scores are read from files.
    predicted = await predictions_of(session, project, storage, ids)
    changed = await _queue(session, project, ids, predicted, left_out)
    await note(session, principal, project, "queue", changed)
    return changed


def _require_asked_alone(project: Project) -> None:
    if task_type(project.task).of_groups:
        raise Conflict(
            "asked_in_groups",
            "Rows of instruction data are asked about in groups that a job puts together; start "
            "select_instructions and let people rank some of them.",
        )


async def _queue(
    session: AsyncSession,
    project: Project,
    ids: Sequence[int],
    predicted: Mapping[int, dict[str, Any]],
    left_out: Counter[str],
) -> Changed:
    # Rounds before examples, as everybody who stores verdicts locks them.
    rounds = (await session.scalars(lock_unfinished(project.id))).all()
    round_ = _open(rounds, project)
    overlap = ProjectSettings.model_validate(round_.settings).overlap
    await session.execute(lock_examples(among(Example.id, ids)))
    sorted_ = await _sort(session, project, round_, ids, overlap)
    sorted_.left_out += left_out
    await _put(session, project, round_, ids, sorted_, predicted, overlap)
    return Changed(
        example_ids=[*sorted_.new, *sorted_.again],
        again=len(sorted_.again),
        moved=len(sorted_.moved),
        left_out=dict(sorted_.left_out),
        round=round_.number,
    )


def _open(rounds: Sequence[Round], project: Project) -> Round:
    for round_ in rounds:
        if round_.state is RoundState.OPEN:
            return round_
    now = f"round {rounds[0].number} is {rounds[0].state}" if rounds else f"it is {project.state}"
    raise Conflict(
        "no_open_round",
        f"No round of this project is open: {now}. Send images when the next round has opened.",
    )


async def _sort(
    session: AsyncSession, project: Project, round_: Round, ids: Sequence[int], overlap: int
) -> _Sorted:
    """Sort examples by what can become of them; the examples are locked."""
    sorted_ = _Sorted()
    found = await standing(session, project, ids)
    waiting: dict[int, set[int]] = defaultdict(set)
    asked = select(Query.example_id, Query.round_id).where(
        among(Query.example_id, ids), ~Query.done
    )
    for row in await session.execute(asked):
        waiting[row.example_id].add(row.round_id)
    said = await votes_on(session, ids)
    for id_ in ids:
        held = [row for row in said[id_] if opinions([Vote.of(row)])]
        if found[id_].split is not Split.POOL:
            sorted_.left_out["not_in_pool"] += 1
        elif found[id_].state is ExampleState.HELD_OUT:
            sorted_.left_out["held_out"] += 1
        elif round_.id in waiting[id_]:
            sorted_.moved.append(id_)
        elif waiting[id_]:
            sorted_.left_out["in_another_queue"] += 1
        elif not held:
            sorted_.new.append(id_)
        elif len(held) > overlap:
            # Each answer replaces one verdict; those that stayed would outvote the answers.
            sorted_.left_out["too_many_verdicts"] += 1
        else:
            sorted_.again[id_] = max(row.id for row in held)
    return sorted_


async def _put(
    session: AsyncSession,
    project: Project,
    round_: Round,
    ids: Sequence[int],
    sorted_: _Sorted,
    predicted: Mapping[int, dict[str, Any]],
    overlap: int,
) -> None:
    """Write the head of the queue, in the order of ``ids``."""
    first = select(func.min(Query.rank)).where(Query.round_id == round_.id, ~Query.done)
    head = min(await session.scalar(first) or 0, 0)
    place = {id_: head - (len(ids) - at) * overlap for at, id_ in enumerate(ids)}
    rows = [
        {
            "project_id": project.id,
            "round_id": round_.id,
            "example_id": id_,
            "rank": place[id_] + copy,
            "requested": True,
            "again_after": sorted_.again.get(id_),
            **predicted.get(id_, UNKNOWN),
        }
        for id_ in [*sorted_.new, *sorted_.again]
        for copy in range(overlap)
    ]
    for start in range(0, len(rows), _BLOCK):
        await session.execute(insert(Query), rows[start : start + _BLOCK])
    await _mark(session, mark_queried, sorted_.new)
    if sorted_.moved:
        await session.execute(
            _MOVE,
            {
                "round": round_.id,
                "moved": sorted_.moved,
                "ranks": [place[id_] for id_ in sorted_.moved],
            },
        )
    round_.queries += len(rows)
    extend_budget(round_, len(rows))


async def take_from_queue(
    session: AsyncSession,
    principal: Principal,
    project: Project,
    storage: Storage,
    selection: Selection,
) -> Changed:
    """Take back what was sent to the queue and that nobody looks at; a round keeps its last query.

    Raises:
        Conflict: No round is open, or too many images match.
    """
    ids, left_out = await chosen(session, project, storage, selection)
    round_ = _open((await session.scalars(lock_unfinished(project.id))).all(), project)
    sent = select(Query).where(
        Query.round_id == round_.id,
        Query.requested,
        ~Query.done,
        among(Query.example_id, ids),
    )
    queries = (await session.scalars(sent.order_by(Query.id).with_for_update())).all()
    now = datetime.now(UTC)
    seen = {
        query.example_id
        for query in queries
        if query.lease_expires_at is not None and query.lease_expires_at > now
    }
    taken = sorted({query.example_id for query in queries} - seen)
    left_out += Counter({"looked_at": len(seen), "not_sent": len(ids) - len(taken) - len(seen)})
    others = select(Query.id).where(
        Query.round_id == round_.id, ~Query.done, ~among(Query.example_id, taken)
    )
    if taken and await session.scalar(others.limit(1)) is None:
        # Whoever answers the last query closes the round.
        left_out["last_of_round"] = 1
        taken = taken[1:]
    await session.execute(
        update(Query)
        .where(Query.round_id == round_.id, ~Query.done, among(Query.example_id, taken))
        .values(done=True)
    )
    await _mark(session, mark_unqueried, taken)
    changed = changed_by(taken, left_out, round_.number)
    await note(session, principal, project, "unqueue", changed)
    return changed


async def hold_out(
    session: AsyncSession,
    principal: Principal,
    project: Project,
    storage: Storage,
    selection: Selection,
) -> Changed:
    """Leave unlabeled images of the pool out of all rounds to come."""
    ids, left_out = await chosen(session, project, storage, selection)
    await session.execute(lock_examples(among(Example.id, ids)))
    found = await standing(session, project, ids)
    # Skipped by one of several annotators, an image is unlabeled and still waits for the others.
    asked = select(Query.example_id).where(among(Query.example_id, ids), ~Query.done)
    together = (
        select(QueryMember.example_id)
        .join(Query, Query.id == QueryMember.query_id)
        .where(among(QueryMember.example_id, ids), ~Query.done)
    )
    waiting = set(await session.scalars(asked.union_all(together)))
    taken = []
    for id_ in ids:
        if found[id_].split is not Split.POOL:
            left_out["not_in_pool"] += 1
        elif id_ in waiting:
            left_out["in_queue"] += 1
        elif found[id_].state is ExampleState.UNLABELED:
            taken.append(id_)
        else:
            left_out["answered"] += 1
    await _mark(session, mark_held_out, taken)
    changed = changed_by(taken, left_out)
    await note(session, principal, project, "hold_out", changed)
    return changed


async def release(
    session: AsyncSession,
    principal: Principal,
    project: Project,
    storage: Storage,
    selection: Selection,
) -> Changed:
    """Give images that were held out back to the pool."""
    ids, left_out = await chosen(session, project, storage, selection)
    await session.execute(lock_examples(among(Example.id, ids)))
    statement = select(Example.id).where(
        Example.project_id == project.id,
        Example.state == ExampleState.HELD_OUT,
        among(Example.id, ids),
    )
    held = set(await session.scalars(statement))
    taken = [id_ for id_ in ids if id_ in held]
    await _mark(session, mark_released, taken)
    changed = changed_by(taken, left_out + Counter({"not_held_out": len(ids) - len(taken)}))
    await note(session, principal, project, "release", changed)
    return changed


async def promote(
    session: AsyncSession,
    principal: Principal,
    project: Project,
    storage: Storage,
    promotion: Promotion,
) -> Promoted:
    """Make a class for a group of OOD images, and ask about them again.

    Raises:
        Conflict: No round is open, too many images match, none of them can be asked about, or the
            project asks about groups.
        Invalid: The name cannot be a class's.
    """
    _require_asked_alone(project)
    ids, left_out = await chosen(session, project, storage, promotion)
    statement = select(Example.id).where(
        Example.project_id == project.id,
        Example.state == ExampleState.OOD,
        among(Example.id, ids),
    )
    ood = set(await session.scalars(statement))
    left_out += Counter({"not_ood": len(ids) - len(ood)})
    # No model knows the class yet, so none says what they are.
    changed = await _queue(session, project, [id_ for id_ in ids if id_ in ood], {}, left_out)
    if not (changed.example_ids or changed.moved):
        raise Conflict(
            "nothing_to_promote",
            "None of these images is OOD and can be asked about again, so no class was made.",
        )
    made = await classes.add(session, project, promotion.name, promotion.colour)
    await note(session, principal, project, "promote", changed, class_id=made.id, name=made.name)
    return Promoted(**{**changed.model_dump(), "class": ClassOut.model_validate(made)})


async def _mark(session: AsyncSession, move: Callable[[list[int]], Update], ids: list[int]) -> None:
    """Move examples to another state, some at a time."""
    for start in range(0, len(ids), _BLOCK):
        await session.execute(move(ids[start : start + _BLOCK]))


def changed_by(ids: list[int], left_out: Counter[str], round_: int | None = None) -> Changed:
    kept = {reason: count for reason, count in left_out.items() if count > 0}
    return Changed(example_ids=ids, again=0, moved=0, left_out=kept, round=round_)


async def note(
    session: AsyncSession,
    principal: Principal,
    project: Project,
    verb: str,
    changed: Changed,
    **detail: Any,
) -> None:
    changed.left_out = {reason: count for reason, count in changed.left_out.items() if count}
    record(
        session,
        principal,
        verb,
        "examples",
        None,
        project_id=project.id,
        images=len(changed.example_ids),
        moved=changed.moved,
        left_out=changed.left_out,
        **detail,
    )
