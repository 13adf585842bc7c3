from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress
from typing import Any, Final

from sqlalchemy import and_, exists, func, literal, not_, or_, select, true
from sqlalchemy.dialects.postgresql import aggregate_order_by
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import aliased

from api.advancing import hand_on
from api.audit import record
from api.callers.access import seen
from api.callers.principal import Principal
from api.jobs import service as jobs
from api.jobs.schemas import JobOut
from api.projects import queries as project_queries
from api.projects.schemas import Counts
from api.projects.settings import checked
from api.rounds.schemas import (
    Answered,
    Comparable,
    Estimate,
    OodLeft,
    RoundEstimate,
    RoundOut,
)
from api.telling import tell
from api.weights.choice import require_weights
from core.errors import Conflict, NotFound
from core.events import Topic
from core.media.nouns import in_words_of
from core.rounds import CHECKS
from core.rounds import close as close_round
from core.settings.project import ProjectSettings
from core.states import (
    ExampleState,
    Medium,
    ProjectRole,
    ProjectState,
    RoundState,
    Source,
    Split,
    Verdict,
)
from core.tables import Annotation, Example, Project, ProjectClass, Query, Round
from core.tables.base import no_objects
from core.tasks.registry import lists_objects, task_type
from core.verdicts.consensus import held_in_its_round

_COMPARABLE: Final = 50


async def list_rounds(
    session: AsyncSession, project: Project, number: int | None = None
) -> list[RoundOut]:
    statement = select(Round).where(Round.project_id == project.id).order_by(Round.number)
    if number is not None:
        statement = statement.where(Round.number == number)
    rounds = (await session.scalars(statement)).all()
    answers = await _answers(session, project, rounds)
    seconds = await _seconds(session, rounds)
    return [_describe(one, answers[one.id], seconds[one.id], project.medium) for one in rounds]


async def show_round(session: AsyncSession, project: Project, number: int) -> RoundOut:
    found = await list_rounds(session, project, number)
    if not found:
        raise NotFound("round")
    return found[0]


@dataclass(frozen=True)
class _Answers:
    """Counted answers of a round, by what was asked."""

    all: Answered
    chosen: Answered
    drawn: Answered


async def _answers(
    session: AsyncSession, project: Project, rounds: Sequence[Round]
) -> dict[int, _Answers]:
    """Answers of rounds, by id."""
    nothing = func.count().filter(no_objects(Annotation.label))
    # Of the first round nothing but what is typical was chosen otherwise than at random.
    kinds = {"chosen": not_(Query.audit), "drawn": not_(Query.typical)}
    # Only queries are joined of which an index says that something is unusual.
    unusual = or_(Query.requested, Query.audit, Query.typical)
    of_kind = [
        and_(
            Annotation.query_id.is_not(None),
            func.coalesce(and_(~Query.requested, one), true()),
        )
        for one in kinds.values()
    ]
    statement = (
        select(
            Annotation.round_id,
            Annotation.verdict,
            func.count(),
            # Other labels need not be read for it.
            nothing if lists_objects(project.task) else literal(0),
            *of_kind,
        )
        .outerjoin(Query, and_(Query.id == Annotation.query_id, unusual))
        .where(
            Annotation.round_id.in_([one.id for one in rounds]),
            # A review stays in the round of what it reviews, and answers none of its queries. Of
            # what was imported only rankings are of a round: their own.
            Annotation.source.in_((Source.ANNOTATOR, Source.IMPORT)),
            held_in_its_round(),
        )
        .group_by(Annotation.round_id, Annotation.verdict, *of_kind)
    )
    found = {
        one.id: {kind: dict.fromkeys(Answered.model_fields, 0) for kind in ("all", *kinds)}
        for one in rounds
    }
    for round_id, verdict, count, empty, *is_of in await session.execute(statement):
        assert round_id is not None
        for kind in ("all", *compress(kinds, is_of)):
            found[round_id][kind][verdict] += count
            found[round_id][kind]["no_objects"] += empty
    return {
        round_id: _Answers(**{kind: Answered(**counts) for kind, counts in by_kind.items()})
        for round_id, by_kind in found.items()
    }


async def repeated_labels(session: AsyncSession, project: Project) -> dict[int, int]:
    """By number of round: class verdicts on images that an earlier round had a class for."""
    before = aliased(Annotation)
    had_class = exists().where(
        before.example_id == Annotation.example_id,
        before.counted,
        before.verdict == Verdict.LABEL,
        before.round_id < Annotation.round_id,
    )
    statement = (
        select(Round.number, func.count())
        .join(Annotation, Annotation.round_id == Round.id)
        .where(
            Round.project_id == project.id,
            # Only an answer that was asked for again corrects one of another round.
            Annotation.supersedes_id.is_not(None),
            Annotation.source == Source.ANNOTATOR,
            Annotation.verdict == Verdict.LABEL,
            held_in_its_round(),
            had_class,
        )
        .group_by(Round.number)
    )
    return dict((await session.execute(statement)).all())


async def found_since(session: AsyncSession, project: Project) -> int | None:
    """Images of the classes that had no verdict when how much OOD is left was last estimated.

    None where that was not counted, as in rounds of earlier versions.
    """
    statement = (
        select(Round.metrics["ood_left"])
        .where(
            Round.project_id == project.id,
            Round.state == RoundState.CLOSED,
            Round.metrics.has_key("ood_left"),
        )
        .order_by(Round.number.desc())
        .limit(1)
    )
    then: dict[str, int] | None = await session.scalar(statement)
    # Not by "inside" of before, which counts images with no box too.
    if then is None or "found" not in then:
        return None
    there = (
        Example.project_id == project.id,
        Example.split == Split.POOL,
        Example.pool_index < then["of"],
    )
    labeled, nothing = (
        select(func.count()).where(*there, what).scalar_subquery()
        for what in (Example.state == ExampleState.LABELED, no_objects(Example.label))
    )
    return max(0, (await session.scalar(select(labeled - nothing)) or 0) - then["found"])


async def _seconds(session: AsyncSession, rounds: Sequence[Round]) -> dict[int, float]:
    """Seconds that annotators spent: counted when a round closes, and until then added up."""
    found = {one.id: float(one.metrics.get("annotator_seconds", 0.0)) for one in rounds}
    growing = [one.id for one in rounds if "annotator_seconds" not in one.metrics]
    statement = (
        select(Annotation.round_id, func.sum(Annotation.seconds))
        .where(Annotation.round_id.in_(growing), Annotation.source == Source.ANNOTATOR)
        .group_by(Annotation.round_id)
    )
    for round_id, seconds in await session.execute(statement):
        assert round_id is not None
        found[round_id] = seconds
    return found


def _ood_left(known: dict[str, Any]) -> OodLeft:
    by_random, by_purity = (
        None if known[name] is None else Estimate.model_validate(known[name])
        for name in ("by_random", "by_purity")
    )
    best, agree = by_random or by_purity, None
    if by_random and by_purity:
        agree = by_random.low <= by_purity.high and by_purity.low <= by_random.high
        if agree:
            best = min(by_purity, by_random, key=lambda one: one.high - one.low)
    return OodLeft(
        unlabeled=known["unlabeled"],
        count=best.count if best else None,
        low=best.low if best else None,
        high=best.high if best else None,
        agree=agree,
        by_random=by_random,
        by_purity=by_purity,
    )


def _describe(
    round_: Round,
    answers: _Answers,
    seconds: float,
    medium: Medium,
) -> RoundOut:
    chosen = answers.chosen
    said = chosen.label + chosen.ood
    metrics = dict(round_.metrics)
    ood_left = metrics.pop("ood_left", None)
    metrics.pop("annotator_seconds", None)
    # From how many was drawn: only what estimates are weighed by.
    metrics.pop("draws", None)
    metrics.pop(CHECKS, None)
    return RoundOut(
        number=round_.number,
        state=round_.state,
        strategy=round_.strategy,
        budget=round_.budget,
        spent=round_.spent,
        seed=round_.seed,
        queries=round_.queries,
        answered=answers.all,
        chosen=chosen,
        drawn=None if round_.number else answers.drawn,
        in_share=chosen.inside / said if said else None,
        accuracy=round_.accuracy,
        purity_auroc=metrics.pop("purity_auroc", None),
        ood_left=None if ood_left is None else _ood_left(ood_left),
        annotator_seconds=seconds,
        settings=round_.settings,
        metrics=metrics,
        notes=[in_words_of(medium, note) for note in round_.notes],
        seconds=round_.seconds,
        opened_at=round_.opened_at,
        closing_at=round_.closing_at,
        closed_at=round_.closed_at,
        job_id=round_.job_id,
    )


async def _locked(session: AsyncSession, project: Project, number: int) -> Round:
    statement = (
        select(Round)
        .where(Round.project_id == project.id, Round.number == number)
        .with_for_update(key_share=True)
    )
    round_ = (await session.scalars(statement)).one_or_none()
    if round_ is None:
        raise NotFound("round")
    return round_


async def close(
    session: AsyncSession, principal: Principal, project: Project, number: int
) -> RoundOut:
    """Close an open round before its budget is spent."""
    round_ = await _locked(session, project, number)
    following = select(Round).where(
        Round.project_id == project.id, Round.number == round_.number + 1
    )
    made, job = close_round(project, round_, (await session.scalars(following)).one_or_none())
    await hand_on(session, round_, job, made)
    record(session, principal, "close", "round", round_.id, project_id=project.id, number=number)
    tell(session, project.id, Topic.ROUND, number=number, state=round_.state)
    return await show_round(session, project, number)


async def retry(
    session: AsyncSession, principal: Principal, project: Project, number: int
) -> RoundOut:
    """Run the failed job of a round again."""
    # Not locked here: whoever holds a job and a round has locked the job first.
    statement = select(Round).where(Round.project_id == project.id, Round.number == number)
    round_ = (await session.scalars(statement)).one_or_none()
    if round_ is None:
        raise NotFound("round")
    if round_.state is not RoundState.FAILED or round_.job_id is None:
        raise Conflict(f"round_{round_.state}", f"The round is {round_.state}, not failed.")
    await jobs.retry(session, principal, round_.job_id)
    return await show_round(session, project, number)


async def estimate(
    session: AsyncSession, principal: Principal, project: Project, body: RoundEstimate
) -> JobOut:
    """Measure what a round would take, with the project's model or with another."""
    if task_type(project.task).of_groups:
        raise Conflict(
            "no_model",
            "Rounds of this project ask people to rank, and train no model: there is nothing to "
            "measure.",
        )
    settings = ProjectSettings.model_validate(project.settings)
    if body.model is not None:
        settings = checked(
            {"model": body.model.model_dump()}, settings, project.medium, project.task
        )
        await require_weights(session, settings.model)
    return JobOut.model_validate(await jobs.estimate_round(session, principal, project, settings))


async def comparable(
    session: AsyncSession, principal: Principal, project: Project
) -> list[Comparable]:
    """The latest projects with the same classes that the caller may see, and have begun."""
    names = select(func.array_agg(aggregate_order_by(ProjectClass.name, ProjectClass.name))).where(
        ProjectClass.project_id == Project.id
    )
    wanted = (
        select(func.array_agg(aggregate_order_by(ProjectClass.name, ProjectClass.name)))
        .where(ProjectClass.project_id == project.id)
        .scalar_subquery()
    )
    statement = (
        select(Project)
        .where(
            Project.id != project.id,
            Project.state != ProjectState.DRAFT,
            names.scalar_subquery() == wanted,
            seen(principal, Project.id, ProjectRole.REVIEWER),
        )
        .order_by(Project.id.desc())
        .limit(_COMPARABLE)
    )
    found = (await session.scalars(statement)).all()
    counts = await project_queries.counts(session, [project.id, *(one.id for one in found)])
    sizes = {one: _size(counted) for one, counted in counts.items()}
    return [
        Comparable(
            id=one.id,
            name=one.name,
            strategy=one.settings["strategy"]["name"],
            seed=one.settings["seed"],
            same_pool=sizes[one.id] == sizes[project.id],
        )
        for one in found
    ]


def _size(counts: Counts) -> tuple[int, int, int]:
    return (counts.pool + counts.held_out, counts.evaluation, counts.auxiliary_ood)
