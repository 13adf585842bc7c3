"""Reviewing suggested labels. A decision is an annotation; taking it back is another."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from sqlalchemy import ColumnElement, func, null, select
from sqlalchemy.ext.asyncio import AsyncSession

from api.audit import record
from api.callers.access import visible_project
from api.callers.principal import Principal
from api.instruction_rows import QueryMember, groups_of
from api.reviews import disagreements
from api.reviews.audit import draw, judged_by
from api.reviews.desk import Desk, repeated, suggested_by
from api.reviews.estimate import estimate
from api.reviews.handing import Hand
from api.reviews.learning import Learned
from api.reviews.notes import notes_on
from api.reviews.schemas import (
    DecisionIn,
    DecisionsOut,
    Reverted,
    ReviewEstimate,
    ReviewLease,
    ReviewLeaseRequest,
    ReviewOut,
    SuggestionOut,
    Votes,
)
from api.schemas.names import name_for_annotators
from api.schemas.notes import NoteOut
from api.schemas.pictures import image_url
from api.telling import tell
from core.errors import NotFound
from core.events import Topic
from core.files.storage import Storage
from core.media.texts.excerpts import beginning
from core.settings.project import ProjectSettings
from core.states import Decision, ExampleState, JobKind, ProjectRole
from core.tables import Annotation, Example, Job, Project, Suggestion
from core.tasks.registry import class_of, label_of, task_type

_COLUMNS = (
    Suggestion, Example.width, Example.height, Example.name, Example.state, Example.label,
    beginning(),
)  # fmt: skip
_BLOCK: Final = 2000


async def list_reviews(session: AsyncSession, project: Project) -> list[ReviewOut]:
    """What annotators disagree on, if anything; then jobs with suggestions, newest first."""
    settled = await _settled(session, project)
    jobs = await _of_jobs(session, project)
    return [settled, *jobs] if settled.total else jobs


async def show_review(session: AsyncSession, project: Project, job_id: int | None) -> ReviewOut:
    if job_id is None:
        return await _settled(session, project)
    found = await _of_jobs(session, project, job_id)
    if not found:
        raise NotFound("review")
    return found[0]


async def _of_jobs(
    session: AsyncSession, project: Project, job_id: int | None = None
) -> list[ReviewOut]:
    statement = (
        select(Job.id, Job.created_at, Suggestion.decision, func.count())
        .join(Suggestion, Suggestion.job_id == Job.id)
        .where(Job.project_id == project.id, Suggestion.project_id == project.id)
        .group_by(Job.id, Suggestion.decision)
        .order_by(Job.id.desc())
    )
    if job_id is not None:
        statement = statement.where(Job.id == job_id)
    found: dict[int, ReviewOut] = {}
    for id_, created_at, decision, count in await session.execute(statement):
        review = found.setdefault(
            id_,
            ReviewOut(
                job_id=id_,
                created_at=created_at,
                total=0,
                open=0,
                decided=dict.fromkeys(Decision, 0),
            ),
        )
        review.total += count
        if decision is None:
            review.open += count
        else:
            review.decided[decision] = count
    return list(found.values())


async def _settled(session: AsyncSession, project: Project) -> ReviewOut:
    """How far the disagreements are settled."""
    statement = (
        select(Suggestion.decision, func.count())
        .join(Example, Example.id == Suggestion.example_id)
        .where(suggested_by(project, None), Suggestion.decision.is_not(None), ~Example.disputed)
        .group_by(Suggestion.decision)
    )
    decided = dict.fromkeys(Decision, 0)
    for decision, count in await session.execute(statement):
        assert decision is not None
        decided[decision] = count
    waiting = await disagreements.count_open(session, project)
    return ReviewOut(
        job_id=None,
        created_at=None,
        total=waiting + sum(decided.values()),
        open=waiting,
        decided=decided,
    )


async def lease(
    session: AsyncSession,
    principal: Principal,
    project: Project,
    job_id: int | None,
    body: ReviewLeaseRequest,
) -> ReviewLease:
    """Open suggestions that nobody else looks at, kept for the caller for a while."""
    now = datetime.now(UTC)
    seconds = ProjectSettings.model_validate(project.settings).lease_seconds
    expires = now + timedelta(seconds=seconds)
    ids: Sequence[int]
    if job_id is None:
        # Those of annotators have no groups.
        n = 0 if body.alike else body.n
        ids, said = await disagreements.take(session, principal, project, n, now, expires)
        right: ColumnElement[float] = Suggestion.confidence.expression
        order: Any = Suggestion.rank
    else:
        said, learned = None, await Learned.of(session, project, job_id)
        hand = Hand(principal.id, project, job_id, learned, now, expires)
        taken = hand.take_group(session, body.passed) if body.alike else hand.take(session, body.n)
        ids, right = await taken, learned.is_right()
        order = func.array_position(ids, Suggestion.id) if ids else Suggestion.rank
    shown = select(*_COLUMNS, null(), right).join(Example, Example.id == Suggestion.example_id)
    rows = await session.execute(shown.where(Suggestion.id.in_(ids)).order_by(order))
    return ReviewLease(
        classes_version=project.classes_version,
        expires_at=expires,
        items=await _shown(session, rows, said),
        review=await show_review(session, project, job_id),
    )


async def audit(
    session: AsyncSession,
    principal: Principal,
    project: Project,
    storage: Storage,
    job_id: int | None,
    n: int,
) -> ReviewEstimate:
    """Draw the audit of a job's review, or more of it."""
    job_id = await _by_job(session, project, job_id)
    judged = await judged_by(session, project, storage, job_id)
    # Not before the file is there, for which nobody else is to wait.
    least = ProjectRole.REVIEWER
    await visible_project(session, principal, project.id, least=least, lock=True)
    size = await draw(session, project, judged, job_id, n)
    record(session, principal, "sample", "review", job_id, project_id=project.id, images=size)
    tell(session, project.id, Topic.REVIEW)
    return await estimate(session, project, job_id)


async def show_estimate(
    session: AsyncSession, project: Project, job_id: int | None
) -> ReviewEstimate:
    return await estimate(session, project, await _by_job(session, project, job_id))


async def _by_job(session: AsyncSession, project: Project, job_id: int | None) -> int:
    """The job, if it is one of the project that has judged labels."""
    statement = select(Job.id).where(
        Job.id == job_id, Job.project_id == project.id, Job.kind == JobKind.RELABEL
    )
    found = await session.scalar(statement)
    if found is None:
        raise NotFound("review")
    return found


async def recent(
    session: AsyncSession, principal: Principal, project: Project, job_id: int | None, limit: int
) -> list[SuggestionOut]:
    """What the caller decided last, the latest first."""
    statement = (
        select(*_COLUMNS, Annotation.label, null(), Annotation.note)
        .join(Example, Example.id == Suggestion.example_id)
        .join(Annotation, Annotation.id == Suggestion.annotation_id)
        .where(
            suggested_by(project, job_id),
            Suggestion.decision.is_not(None),
            Annotation.annotator_id == principal.id,
        )
        .order_by(Annotation.id.desc())
        .limit(limit)
    )
    return await _shown(session, await session.execute(statement))


async def _shown(
    session: AsyncSession, rows: Iterable[Any], said: disagreements.Said | None = None
) -> list[SuggestionOut]:
    """What reviewers see of suggestions, and of what was decided on them."""
    found = list(rows)
    if said is None:
        said = await disagreements.stances_on(session, [row[0].example_id for row in found])
    notes = await notes_on(session, [row[0] for row in found])
    votes = {
        id_: [Votes(class_id=class_of(one), label=one, count=count) for one, count in counted]
        for id_, counted in said.items()
    }
    groups = {}
    if any(
        task_type(one.label.type).of_groups
        for counted in votes.values()
        for one in counted
        if one.label
    ):
        groups = await groups_of(session, list(votes))
    return [
        _one(
            *row,
            votes=votes[row[0].example_id],
            members=groups.get(row[0].example_id),
            notes=notes[row[0].id],
        )
        for row in found
    ]


def _one(
    suggestion: Suggestion,
    width: int | None,
    height: int | None,
    name: str,
    state: ExampleState,
    label: dict[str, Any] | None,
    excerpt: str | None,
    decided: dict[str, Any] | None = None,
    right: float | None = None,
    note: str | None = None,
    *,
    notes: list[NoteOut],
    votes: list[Votes],
    members: list[QueryMember] | None,
) -> SuggestionOut:
    given = suggestion.given_label
    if suggestion.decision is None and suggestion.job_id is not None:
        # Somebody may have corrected the label since the job doubted it.
        given = None if state is ExampleState.OOD else label or given
    labels = [label_of(one) for one in (given, suggestion.suggested_label, decided)]
    return SuggestionOut(
        id=suggestion.id,
        example_id=suggestion.example_id,
        rank=suggestion.rank,
        image_url=image_url(suggestion.example_id, is_text=width is None),
        width=width,
        height=height,
        excerpt=excerpt,
        name=name_for_annotators(name),
        given_class_id=class_of(labels[0]),
        suggested_class_id=class_of(labels[1]),
        given_label=labels[0],
        suggested_label=labels[1],
        votes=votes,
        members=members,
        confidence=suggestion.confidence if right is None else right,
        quality=suggestion.quality,
        alike=suggestion.alike,
        decision=suggestion.decision,
        decided_class_id=class_of(labels[2]),
        decided_label=labels[2],
        note=note,
        notes=notes,
    )


async def decide(
    session: AsyncSession,
    principal: Principal,
    project: Project,
    job_id: int | None,
    decisions: Sequence[DecisionIn],
) -> DecisionsOut:
    """Store decisions, in their order."""
    wanted = [one.suggestion_id for one in decisions]
    desk = await Desk.open(session, principal, project, job_id, wanted)
    stored = select(Annotation).where(Annotation.client_key.in_([one.key for one in decisions]))
    twins = {row.client_key: row for row in await session.scalars(stored)}
    results = []
    for one in decisions:
        result = repeated(one, twins.get(one.key), principal) or desk.decide(one)
        if (made := desk.made.get(one.key)) is not None:
            twins[one.key] = made
        results.append(result)
    await desk.store()
    return DecisionsOut(
        classes_version=project.classes_version,
        results=results,
        review=await show_review(session, project, job_id),
    )


async def revert(
    session: AsyncSession, principal: Principal, project: Project, job_id: int | None
) -> Reverted:
    """Take back every decision of a review: all labels are what they were before it."""
    statement = (
        select(Suggestion.id)
        .where(suggested_by(project, job_id), Suggestion.decision.is_not(None))
        # In the order in which images are locked, block by block.
        .order_by(Suggestion.example_id)
    )
    decided = (await session.scalars(statement)).all()
    for start in range(0, len(decided), _BLOCK):
        block = decided[start : start + _BLOCK]
        desk = await Desk.open(session, principal, project, job_id, block)
        for suggestion_id in block:
            desk.open_again(suggestion_id)
        await desk.store()
    record(
        session,
        principal,
        "revert",
        "review",
        job_id,
        project_id=project.id,
        decisions=len(decided),
    )
    review = await show_review(session, project, job_id)
    return Reverted(reverted=len(decided), review=review)
