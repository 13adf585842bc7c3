"""What engineers say of many images at once: a review, which costs nothing and settles them."""

import uuid
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import exists, select, true, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import aliased

from api.callers.principal import Principal
from api.examples.actions import changed_by, chosen, note
from api.examples.schemas import Judged, Judgement
from api.examples.votes import said_of_groups, standing, votes_on
from api.instruction_rows import in_open_groups
from core.database.among import among
from core.errors import Invalid
from core.files.storage import Storage
from core.lifecycle import mark_answered
from core.rounds import lock_unfinished
from core.states import ExampleState, Source, Split, Verdict
from core.tables import Annotation, Example, Project, ProjectClass, Query, Suggestion
from core.tasks.registry import class_of, stored, task_type, type_of
from core.tasks.spec import Label
from core.verdicts.consensus import Vote, answered, consensus, lock_examples
from core.verdicts.groups import of_group


async def judge(
    session: AsyncSession,
    principal: Principal,
    project: Project,
    storage: Storage,
    body: Judgement,
) -> Judged:
    """Give images of the pool a verdict that stands above those of annotators.

    A skip takes the caller's own verdicts of this kind back: others' count again. One that undoes a
    call takes back what was said there, and says again what that had taken the place of.

    Raises:
        Conflict: Too many images match.
        Invalid: The project takes no such label.
    """
    if body.label is not None:
        await _check(session, project, body.label)
    ids, left_out = await chosen(session, project, storage, body)
    if body.label is not None and type_of(body.label).looks_at_size:
        await _check_sizes(session, ids, body.label)
    # Rounds before examples, as everybody who stores verdicts locks them.
    await session.execute(lock_unfinished(project.id))
    await session.execute(lock_examples(among(Example.id, ids)))
    of_groups = task_type(project.task).of_groups
    by_itself = ~of_group() if of_groups else true()
    said = await votes_on(session, ids, by_itself)
    own = {id_: [row.id for row in rows if _is_mine(row, principal)] for id_, rows in said.items()}
    mine, before = await _replaced(session, own, body.undoes)
    taken, not_taken = await _sorted(session, project, ids)
    left_out += not_taken
    if of_groups:
        # What people say of their group holds for them until its round is closed.
        asked = await in_open_groups(session, taken)
        left_out["in_open_group"] += len(asked)
        taken = [id_ for id_ in taken if id_ not in asked]
    if body.verdict is Verdict.SKIP:
        left_out["not_judged"] = sum(mine.get(id_) is None for id_ in taken)
        taken = [id_ for id_ in taken if mine.get(id_) is not None]
    else:
        taken, kept = await leave_queues(session, taken)
        left_out += kept
    call = uuid.uuid4()
    rounds = await _rounds(session, taken)
    for id_ in taken:
        session.add(
            Annotation(
                project_id=project.id,
                example_id=id_,
                source=Source.REVIEW,
                annotator_id=principal.id,
                client_key=_key(call, id_),
                seconds=0.0,
                cost=0.0,
                counted=True,
                supersedes_id=mine.get(id_),
                **(
                    _repeated(before[id_])
                    if id_ in before
                    else _given(body, project, rounds.get(id_))
                ),
            )
        )
    await session.flush()
    if again := [before[id_].id for id_ in taken if id_ in before]:
        await _decide_again(session, again, call)
    if taken:
        now = await votes_on(session, taken, by_itself)
        held = {id_: [Vote.of(row) for row in now[id_]] for id_ in taken}
        outcomes = await _in_groups(session, held) if of_groups else answered(held)
        await session.execute(mark_answered(), outcomes)
    changed = changed_by(taken, left_out)
    await note(session, principal, project, "judge", changed, verdict=body.verdict.value)
    return Judged(**changed.model_dump(), call=call)


def _key(call: uuid.UUID, example_id: int) -> uuid.UUID:
    """The key of what a call says of an example, by which it is found again."""
    return uuid.uuid5(call, str(example_id))


async def _replaced(
    session: AsyncSession, own: Mapping[int, list[int]], undoes: uuid.UUID | None
) -> tuple[dict[int, int], dict[int, Annotation]]:
    """Which of the caller's votes are replaced, by example, and which hold again in their place.

    Args:
        session: A transaction.
        own: The caller's votes that hold on each example, by id, the newest last.
        undoes: The call that is undone, if any.
    """
    if undoes is None:
        return {id_: held[-1] for id_, held in own.items() if held}, {}
    given, before = await _said_in(session, list(own), undoes)
    waiting = select(Query.example_id).where(among(Query.example_id, list(before)), ~Query.done)
    # What was said before is no answer to what has been asked again since.
    for id_ in await session.scalars(waiting):
        before.pop(id_, None)
    return {id_: given[id_] for id_, held in own.items() if given.get(id_) in held}, before


async def _said_in(
    session: AsyncSession, ids: Sequence[int], call: uuid.UUID
) -> tuple[dict[int, int], dict[int, Annotation]]:
    """Of each example what a call has said, by id, and what that took the place of, if anything."""
    earlier = aliased(Annotation)
    statement = (
        select(Annotation.example_id, Annotation.id, earlier)
        .outerjoin(earlier, earlier.id == Annotation.supersedes_id)
        .where(among(Annotation.client_key, [_key(call, id_) for id_ in ids]))
    )
    rows = (await session.execute(statement)).all()
    return {row[0]: row[1] for row in rows}, {row[0]: row[2] for row in rows if row[2] is not None}


def _given(body: Judgement, project: Project, round_id: int | None) -> dict[str, Any]:
    """The part of an annotation that says what is said now."""
    return {
        "round_id": round_id,
        "verdict": body.verdict,
        "label": stored(body.label),
        "classes_version": project.classes_version,
        "note": body.note,
    }


def _repeated(one: Annotation) -> dict[str, Any]:
    """The part of an annotation that another has, too, which says the same in its place."""
    # As old as it was: of what reviewers say the latest holds.
    names = ("round_id", "verdict", "label", "classes_version", "note", "created_at")
    return {name: getattr(one, name) for name in names}


async def _decide_again(session: AsyncSession, before: Sequence[int], call: uuid.UUID) -> None:
    """Let decisions of reviews be what a call has said in their place, which is the same."""
    decided = (
        await session.scalars(select(Suggestion).where(among(Suggestion.annotation_id, before)))
    ).all()
    keys = [_key(call, one.example_id) for one in decided]
    made = select(Annotation.example_id, Annotation.id).where(among(Annotation.client_key, keys))
    again = dict((await session.execute(made)).all())
    for suggestion in decided:
        suggestion.annotation_id = again[suggestion.example_id]


async def _in_groups(session: AsyncSession, held: Mapping[int, list[Vote]]) -> dict[str, list[Any]]:
    """What rows of groups are: what was said of each by itself, or else what of its group."""
    unsaid = [id_ for id_, said in held.items() if consensus(said) is None]
    on_groups = await votes_on(session, list(held), of_group())
    # Whether their group is disputed, what is said of one of its rows does not decide.
    compared = {id_: [Vote.of(row) for row in on_groups[id_]] for id_ in held}
    return answered({**held, **await said_of_groups(session, unsaid)}, compared)


def _is_mine(row: Any, principal: Principal) -> bool:
    """Whether a vote is one that the caller gave here."""
    return row.source == Source.REVIEW and row.annotator_id == principal.id and row.job_id is None


async def _check(session: AsyncSession, project: Project, label: Label) -> None:
    if label.type != project.task:
        raise Invalid(
            "wrong_label_type", f"The project takes labels of {project.task}.", field="label"
        )
    if type_of(label).of_groups:
        raise Invalid(
            "not_for_one_row",
            "A ranking is of the rows of one query; give it where that is asked. Of rows by "
            "themselves say ood or unsure.",
            field="label",
        )
    classes = select(ProjectClass.id).where(ProjectClass.project_id == project.id)
    try:
        type_of(label).check(label, set(await session.scalars(classes)))
    except Invalid as error:
        field = "label" if class_of(label) is None else "class_id"
        raise Invalid(error.code, error.detail, field=field) from error


async def _check_sizes(session: AsyncSession, ids: Sequence[int], label: Label) -> None:
    sizes = (
        select(Example.width, Example.height)
        .where(among(Example.id, ids), Example.width.is_not(None))
        .distinct()
    )
    for width, height in await session.execute(sizes):
        if width is not None and height is not None:
            type_of(label).check_size(label, width, height)


async def _sorted(
    session: AsyncSession, project: Project, ids: Sequence[int]
) -> tuple[list[int], Counter[str]]:
    """What of a selection may have a verdict."""
    found = await standing(session, project, ids)
    taken, left_out = [], Counter[str]()
    for id_ in ids:
        if found[id_].split is not Split.POOL:
            left_out["not_in_pool"] += 1
        elif found[id_].state is ExampleState.HELD_OUT:
            left_out["held_out"] += 1
        else:
            taken.append(id_)
    return taken, left_out


async def leave_queues(session: AsyncSession, ids: Sequence[int]) -> tuple[list[int], Counter[str]]:
    """Ask nobody about them any more, but for those that somebody looks at or a round ends with.

    A round whose queue were emptied here would have nobody to close it.
    """
    waiting = select(Query).where(among(Query.example_id, ids), ~Query.done)
    queries = (await session.scalars(waiting.order_by(Query.id).with_for_update())).all()
    now = datetime.now(UTC)
    seen = {
        query.example_id
        for query in queries
        if query.lease_expires_at is not None and query.lease_expires_at > now
    }
    free = {query.example_id for query in queries} - seen
    other = aliased(Query)
    more = exists().where(
        other.round_id == Query.round_id, ~other.done, ~among(other.example_id, sorted(free))
    )
    closed = (
        update(Query)
        .where(among(Query.example_id, sorted(free)), ~Query.done, more)
        .values(done=True)
        .returning(Query.example_id)
        .execution_options(synchronize_session=False)
    )
    last = free - set(await session.scalars(closed)) if free else set()
    left_out = Counter({"looked_at": len(seen), "last_of_round": len(last)})
    return [id_ for id_ in ids if id_ not in seen and id_ not in last], left_out


async def _rounds(session: AsyncSession, ids: Sequence[int]) -> dict[int, int | None]:
    """The round of the first verdict on each: there what replaces it belongs."""
    statement = (
        select(Annotation.example_id, Annotation.round_id)
        .where(among(Annotation.example_id, ids), Annotation.verdict != Verdict.SKIP)
        .order_by(Annotation.id.desc())
    )
    return dict((await session.execute(statement)).all())
