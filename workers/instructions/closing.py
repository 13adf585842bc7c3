"""The end of a round in which people ranked: nothing is trained, and no round follows by itself."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any, Final

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from core import events
from core.database.among import among
from core.jobs.params import AdvanceParams
from core.lifecycle import mark_unqueried, move_project, move_round
from core.states import ProjectState, RoundState, Source, Verdict
from core.tables import Annotation, Project, Query, QueryMember, Round
from core.tasks.instructions import INSTRUCTIONS, RankingLabel
from core.tasks.registry import task_type
from core.verdicts.consensus import held_in_its_round
from workers.closing import annotator_seconds
from workers.instructions.following import Following
from workers.jobs.context import JobContext, Phase

_PUBLISH: Final = "publish"


def asks_groups(context: JobContext) -> bool:
    """Whether rounds of the job's project ask about groups, of which no model learns."""
    statement = select(Project.task).where(Project.id == context.project_id)
    with context.sessions() as session:
        return task_type(session.scalars(statement).one()).of_groups


def close_rankings(context: JobContext) -> dict[str, Any]:
    """Close the round, with what people's rankings have shown."""
    context.run((Phase(_PUBLISH, _publish),), context)
    return {"closed": AdvanceParams.of(context).closing, "opened": None, "notes": []}


def _publish(context: JobContext) -> None:
    number = AdvanceParams.of(context).closing
    statement = select(Round).where(Round.project_id == context.project_id, Round.number == number)
    with context.sessions() as session:
        round_id = session.scalars(statement).one().id
    while True:
        following = Following.made(context.sessions, context.storage, context.work, round_id)
        with context.transaction() as (session, job):
            # Locked in the order that everybody keeps: job, project, rounds.
            locked = {"key_share": True}
            project = session.get_one(Project, context.project_id, with_for_update=locked)
            round_ = session.scalars(statement.with_for_update(key_share=True)).one()
            is_current = following.is_current(session, round_)
            if is_current:
                following.publish(session)
                _close(session, project, round_, following.metrics)
                round_.seconds = context.seconds
                context.finish_phase(job, _PUBLISH)
        if is_current:
            break
        with context.sessions() as session:
            following.forget(session, context.storage)


def _close(session: Session, project: Project, round_: Round, found: dict[str, Any]) -> None:
    """Close a round that is locked, with its project."""
    round_.metrics = {
        **round_.metrics,
        **figures(session, round_),
        **found,
        "annotator_seconds": annotator_seconds(session, round_),
    }
    move_round(round_, RoundState.CLOSED)
    withdraw(session, project.id)
    move_project(project, ProjectState.FINISHED)
    session.execute(events.round_changed(round_))
    session.execute(events.project_changed(project))


def withdraw(session: Session, project_id: int) -> None:
    """Take back the groups of closed rounds, also those that somebody looks at.

    Their answer comes late: after that people can only correct what they have said.
    """
    session.flush()
    closed = select(Round.id).where(
        Round.project_id == project_id, Round.state == RoundState.CLOSED
    )
    open_queries = select(Query.id).where(Query.project_id == project_id, ~Query.done)
    taken = session.scalars(
        update(Query)
        .where(
            Query.project_id == project_id,
            Query.round_id.in_(closed),
            ~Query.done,
        )
        .values(done=True)
        .returning(Query.id)
    ).all()
    still = select(QueryMember.example_id).where(QueryMember.query_id.in_(open_queries))
    members = select(QueryMember.example_id).where(
        among(QueryMember.query_id, taken), QueryMember.example_id.not_in(still)
    )
    session.execute(mark_unqueried(sorted(set(session.scalars(members)))))


def figures(session: Session, round_: Round) -> dict[str, Any]:
    """What people said in a round: how many groups they ranked, and how far they agree.

    ``tau`` is Kendall's on the average over the pairs of people who ranked the same group, -1..1;
    ``same`` the share of the pairs that say the same; both null where nobody has.
    """
    statement = (
        select(
            Annotation.example_id,
            Annotation.annotator_id,
            Annotation.source_name,
            Annotation.verdict,
            Annotation.label,
        )
        .where(
            Annotation.round_id == round_.id,
            Annotation.source.in_((Source.ANNOTATOR, Source.IMPORT)),
            Annotation.verdict != Verdict.SKIP,
            held_in_its_round(),
        )
        .order_by(Annotation.id)
    )
    said: Mapping[int, dict[Any, Any]] = defaultdict(dict)
    counts = dict.fromkeys((Verdict.LABEL, Verdict.OOD, Verdict.UNSURE), 0)
    for row in session.execute(statement):
        said[row.example_id][row.annotator_id or row.source_name] = row
        counts[row.verdict] += 1
    rankings = [
        [INSTRUCTIONS.parse(row.label) for row in rows.values() if row.label is not None]
        for rows in said.values()
    ]
    wrong = {id_ for held in rankings for label in held for id_ in label.wrong}
    return {
        "answered": len(said),
        "rankings": counts[Verdict.LABEL],
        "ood": counts[Verdict.OOD],
        "unsure": counts[Verdict.UNSURE],
        "wrong": len(wrong),
        "agreement": agreement(rankings),
    }


def agreement(rankings: Iterable[Sequence[RankingLabel]]) -> dict[str, Any]:
    """How far rankings of the same groups agree: see ``figures``."""
    pairs = [pair for held in rankings for pair in combinations(held, 2)]
    taus = [1 - 2 * INSTRUCTIONS.distance(*pair) for pair in pairs]
    same = sum(INSTRUCTIONS.same(*pair) for pair in pairs)
    return {
        "pairs": len(pairs),
        "tau": sum(taus) / len(taus) if taus else None,
        "same": same / len(pairs) if pairs else None,
    }


def together(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    """How far rankings agree of which some say ``one``, the rest ``other``: see ``agreement``."""
    pairs = one["pairs"] + other["pairs"]

    def mean(name: str) -> float | None:
        total = sum((some[name] or 0.0) * some["pairs"] for some in (one, other))
        return total / pairs if pairs else None

    return {"pairs": pairs, "tau": mean("tau"), "same": mean("same")}
