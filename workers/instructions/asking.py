"""A round in which people rank groups of rows: which groups, says whoever opens it."""

from collections.abc import Collection, Sequence
from random import Random
from typing import Any, Final

from sqlalchemy import func, insert, select
from sqlalchemy.orm import Session

from core import events
from core.database.among import among
from core.errors import Conflict, Invalid
from core.lifecycle import mark_queried, move_project, move_round
from core.rounds import lock_unfinished, new_round, next_number
from core.settings.project import ProjectSettings
from core.states import ExampleState, ProjectState, RoundState, Split
from core.tables import Annotation, Example, Project, Query, QueryMember, Round
from core.tasks.instructions import FEWEST_MEMBERS, MOST_MEMBERS
from core.verdicts.consensus import lock_examples

_BLOCK: Final = 5000


def publish_rankings(
    session: Session,
    project: Project,
    groups: Sequence[Sequence[int]],
    *,
    strategy: str,
    audit: Collection[int] = (),
    seed: int,
) -> Round:
    """Open a round whose queue are groups of rows to rank; the project is running then.

    Args:
        session: In a transaction in which the project is locked, and no round is.
        project: One of instruction data.
        groups: Ids of 2 to 10 examples each, those first that are asked first; no example is in
            two of them.
        strategy: Who has chosen them, as the round has it.
        audit: Places in ``groups`` of those that were drawn at random. They are spread over all,
            so that no place tells which they are.
        seed: Of the places of these.

    Raises:
        Conflict: ``round_unfinished``: another round has to be closed first.
        Invalid: ``invalid_groups``: there are none, or one of a size or with rows that cannot be
            asked about.
    """
    open_rounds = session.scalars(lock_unfinished(project.id)).all()
    if open_rounds:
        first = open_rounds[0]
        raise Conflict(
            "round_unfinished",
            f"Round {first.number} is {first.state}; people rank one round at a time. Close it "
            "first.",
        )
    _check(session, project, groups)
    round_ = new_round(project, session.scalars(next_number(project.id)).one())
    settings = ProjectSettings.model_validate(round_.settings)
    round_.strategy, round_.seed = strategy, seed
    if settings.cost.mode == "fixed":
        # All that is asked, whatever is said of it.
        dearest = max(settings.cost.c_in, settings.cost.c_ood)
        round_.budget = len(groups) * settings.overlap * dearest
    session.add(round_)
    session.flush()
    order = _order(len(groups), audit, seed)
    _ask(session, round_, [groups[place] for place in order], settings.overlap)
    round_.queries = len(groups) * settings.overlap
    round_.metrics = {"groups": len(groups), "audit": len(audit)}
    move_round(round_, RoundState.OPEN)
    if project.state is not ProjectState.RUNNING:
        move_project(project, ProjectState.RUNNING)
    session.execute(events.round_changed(round_))
    session.execute(events.project_changed(project))
    session.flush()
    return round_


def _check(session: Session, project: Project, groups: Sequence[Sequence[int]]) -> None:
    if not groups:
        raise _invalid("There is nothing to ask about: no group is given.")
    for place, group in enumerate(groups):
        if not FEWEST_MEMBERS <= len(group) <= MOST_MEMBERS:
            raise _invalid(
                f"Group {place} has {len(group)} rows; people rank {FEWEST_MEMBERS} to "
                f"{MOST_MEMBERS} at a time."
            )
    members = [id_ for group in groups for id_ in group]
    if len(set(members)) < len(members):
        raise _invalid("A row is in two groups, or twice in one; ask about each once.")
    may_be_asked = 0
    for start in range(0, len(members), _BLOCK):
        which = among(Example.id, sorted(members)[start : start + _BLOCK])
        session.execute(lock_examples(which))
        counted = select(func.count()).where(
            which,
            Example.project_id == project.id,
            Example.split == Split.POOL,
            Example.state != ExampleState.HELD_OUT,
        )
        may_be_asked += session.scalar(counted) or 0
    if may_be_asked < len(members):
        raise _invalid(
            f"{len(members) - may_be_asked} rows cannot be asked about: they are not in the pool "
            "of this project, or are held out."
        )


def _invalid(detail: str) -> Invalid:
    return Invalid("invalid_groups", detail, field="groups")


def _order(count: int, audit: Collection[int], seed: int) -> list[int]:
    """Places of groups as they are asked: all in their order, but those of the audit anywhere."""
    by_chance = set(audit)
    drawn = sorted(by_chance)
    random = Random(seed)
    random.shuffle(drawn)
    rest = iter([place for place in range(count) if place not in by_chance])
    taken = set(random.sample(range(count), len(drawn)))
    left = iter(drawn)
    return [next(left) if at in taken else next(rest) for at in range(count)]


def _ask(session: Session, round_: Round, groups: Sequence[Sequence[int]], overlap: int) -> None:
    """Write the queue, a query for each of the people who are to see a group."""
    members = [id_ for group in groups for id_ in group]
    said: dict[int, int] = {}
    for start in range(0, len(members), _BLOCK):
        latest = (
            select(Annotation.example_id, func.max(Annotation.id))
            .where(among(Annotation.example_id, members[start : start + _BLOCK]))
            .group_by(Annotation.example_id)
        )
        said.update(session.execute(latest).all())
    rows: list[dict[str, Any]] = []
    placed: list[list[int]] = []
    for rank, group in enumerate(groups):
        # Verdicts on the first are those on the group: of one that has none they are not mixed
        # with what was said of another group.
        first = next((id_ for id_ in group if id_ not in said), group[0])
        ordered = [first, *(id_ for id_ in group if id_ != first)]
        for copy in range(overlap):
            rows.append(
                {
                    "project_id": round_.project_id,
                    "round_id": round_.id,
                    "example_id": first,
                    "rank": rank * overlap + copy,
                    "again_after": said.get(first),
                }
            )
            placed.append(ordered)
    for start in range(0, len(rows), _BLOCK):
        ids = session.scalars(
            insert(Query).returning(Query.id, sort_by_parameter_order=True),
            rows[start : start + _BLOCK],
        ).all()
        held = [
            {"query_id": query_id, "place": place, "example_id": id_}
            for query_id, group in zip(ids, placed[start:], strict=False)
            for place, id_ in enumerate(group)
        ]
        session.execute(insert(QueryMember), held)
    for start in range(0, len(members), _BLOCK):
        session.execute(mark_queried(sorted(members)[start : start + _BLOCK]))
