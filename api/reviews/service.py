"""Reviewing suggested labels. A decision is an annotation; taking it back is another."""

import uuid
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import PurePosixPath
from typing import Final

from sqlalchemy import func, or_, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from api.audit import record
from api.principal import Principal
from api.reviews.desk import Desk, repeated
from api.reviews.schemas import (
    DecisionIn,
    DecisionsOut,
    Reverted,
    ReviewLease,
    ReviewOut,
    SuggestionOut,
)
from core.errors import NotFound
from core.project_settings import ProjectSettings
from core.states import Decision
from core.tables import Annotation, Example, Job, Project, Suggestion

_COLUMNS = (Suggestion, Example.width, Example.height, Example.name, Example.label_class_id)
_BLOCK: Final = 2000


async def list_reviews(
    session: AsyncSession, project: Project, job_id: int | None = None
) -> list[ReviewOut]:
    """Jobs of the project with suggestions, newest first."""
    statement = (
        select(Job.id, Job.created_at, Suggestion.decision, func.count())
        .join(Suggestion, Suggestion.job_id == Job.id)
        .where(Job.project_id == project.id)
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


async def show_review(session: AsyncSession, project: Project, job_id: int) -> ReviewOut:
    found = await list_reviews(session, project, job_id)
    if not found:
        raise NotFound("review")
    return found[0]


async def lease(
    session: AsyncSession, principal: Principal, project: Project, job_id: int, n: int
) -> ReviewLease:
    """The first open suggestions that nobody else looks at, kept for the caller for a while."""
    now = datetime.now(UTC)
    seconds = ProjectSettings.model_validate(project.settings).lease_seconds
    expires = now + timedelta(seconds=seconds)
    first = (
        select(Suggestion.id)
        .where(
            Suggestion.project_id == project.id,
            Suggestion.job_id == job_id,
            Suggestion.decision.is_(None),
            or_(
                Suggestion.lease_expires_at.is_(None),
                Suggestion.lease_expires_at <= now,
                Suggestion.lease_holder == principal.id,
            ),
        )
        .order_by(Suggestion.rank)
        .limit(n)
        .with_for_update(skip_locked=True)
    )
    ids = (await session.scalars(first)).all()
    await session.execute(
        update(Suggestion)
        .where(Suggestion.id.in_(ids))
        .values(lease_holder=principal.id, lease_expires_at=expires)
    )
    shown = select(*_COLUMNS).join(Example, Example.id == Suggestion.example_id)
    rows = await session.execute(shown.where(Suggestion.id.in_(ids)).order_by(Suggestion.rank))
    return ReviewLease(
        expires_at=expires,
        items=[_shown(*row) for row in rows],
        review=await show_review(session, project, job_id),
    )


async def recent(
    session: AsyncSession, principal: Principal, project: Project, job_id: int, limit: int
) -> list[SuggestionOut]:
    """What the caller decided last, the latest first."""
    statement = (
        select(*_COLUMNS)
        .join(Example, Example.id == Suggestion.example_id)
        .join(Annotation, Annotation.id == Suggestion.annotation_id)
        .where(
            Suggestion.project_id == project.id,
            Suggestion.job_id == job_id,
            Suggestion.decision.is_not(None),
            Annotation.annotator_id == principal.id,
        )
        .order_by(Annotation.id.desc())
        .limit(limit)
    )
    return [_shown(*row) for row in await session.execute(statement)]


def _shown(
    suggestion: Suggestion, width: int, height: int, name: str, label: int | None
) -> SuggestionOut:
    # Somebody may have corrected the label since it was doubted.
    now = label if suggestion.decision is None and label is not None else None
    return SuggestionOut(
        id=suggestion.id,
        example_id=suggestion.example_id,
        rank=suggestion.rank,
        image_url=f"/api/examples/{suggestion.example_id}/image",
        width=width,
        height=height,
        # Without its folders: in an ImageFolder they are the classes.
        name=PurePosixPath(name).name,
        given_class_id=now or suggestion.given_class_id,
        suggested_class_id=suggestion.suggested_class_id,
        confidence=suggestion.confidence,
        quality=suggestion.quality,
        decision=suggestion.decision,
    )


async def decide(
    session: AsyncSession,
    principal: Principal,
    project: Project,
    job_id: int,
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
    return DecisionsOut(results=results, review=await show_review(session, project, job_id))


async def revert(
    session: AsyncSession, principal: Principal, project: Project, job_id: int
) -> Reverted:
    """Take back every decision of a review: all labels are what they were before it."""
    statement = select(Suggestion.id).where(
        Suggestion.project_id == project.id,
        Suggestion.job_id == job_id,
        Suggestion.decision.is_not(None),
    )
    decided = (await session.scalars(statement)).all()
    for start in range(0, len(decided), _BLOCK):
        block = decided[start : start + _BLOCK]
        desk = await Desk.open(session, principal, project, job_id, block)
        for suggestion_id in block:
            desk.take_back(suggestion_id, uuid.uuid4(), 0.0)
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
