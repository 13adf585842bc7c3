"""Reviewing suggested labels. A decision is an annotation; taking it back is another."""

import uuid
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import PurePosixPath
from typing import Final, Literal

from sqlalchemy import func, or_, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from api.audit import record
from api.principal import Principal
from api.reviews.schemas import (
    DecisionIn,
    DecisionResult,
    DecisionsOut,
    Reverted,
    ReviewLease,
    ReviewOut,
    SuggestionOut,
)
from core import events
from core.consensus import Vote, outcome, votes
from core.errors import NotFound
from core.lifecycle import mark_answered
from core.project_settings import ProjectSettings
from core.states import Decision, RoundState, Source, Verdict
from core.tables import Annotation, Example, Job, Project, Round, Suggestion

_VERDICT: Final[Mapping[Decision, Verdict]] = {
    Decision.KEEP: Verdict.CLASS,
    Decision.ACCEPT: Verdict.CLASS,
    Decision.OOD: Verdict.OOD,
    Decision.UNSURE: Verdict.UNSURE,
}
_SHOWN = (Suggestion, Example.width, Example.height, Example.name)


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
    shown = select(*_SHOWN).join(Example, Example.id == Suggestion.example_id)
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
        select(*_SHOWN)
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


def _shown(suggestion: Suggestion, width: int, height: int, name: str) -> SuggestionOut:
    return SuggestionOut(
        id=suggestion.id,
        example_id=suggestion.example_id,
        rank=suggestion.rank,
        image_url=f"/api/examples/{suggestion.example_id}/image",
        width=width,
        height=height,
        # Without its folders: in an ImageFolder they are the classes.
        name=PurePosixPath(name).name,
        given_class_id=suggestion.given_class_id,
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
    desk = await _Desk.open(session, principal, project, job_id, wanted)
    stored = select(Annotation).where(Annotation.client_key.in_([one.key for one in decisions]))
    twins = {row.client_key: row for row in await session.scalars(stored)}
    results = []
    for one in decisions:
        result = _repeated(one, twins.get(one.key), principal) or desk.decide(one)
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
    desk = await _Desk.open(session, principal, project, job_id, decided)
    for suggestion_id in decided:
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


def _repeated(
    one: DecisionIn, twin: Annotation | None, principal: Principal
) -> DecisionResult | None:
    """The first result of a decision that was stored before, if it was."""
    if twin is None:
        return None
    if twin.annotator_id != principal.id or twin.source is not Source.REVIEW:
        return _result(
            one,
            "rejected",
            None,
            "key_conflict",
            "The key is another answer's; make a new one.",
        )
    return _result(one, "duplicate", twin.id)


class _Desk:
    """Suggestions under decision: locked, with what is said of their images."""

    def __init__(self, session: AsyncSession, principal: Principal, project: Project) -> None:
        self._session, self._me, self._project = session, principal.id, project
        self.suggestions: dict[int, Suggestion] = {}
        self.made: dict[uuid.UUID, Annotation] = {}
        self._authors: dict[int, int | None] = {}
        self._votes: dict[int, list[tuple[int, Vote]]] = defaultdict(list)
        self._rounds: dict[int, int | None] = {}
        # Decision and annotation of each suggestion, brought up to date as decisions are made.
        self._state: dict[int, tuple[Decision | None, int | None]] = {}
        self._changed: set[int] = set()
        self._ids: list[int] = []

    @classmethod
    async def open(
        cls,
        session: AsyncSession,
        principal: Principal,
        project: Project,
        job_id: int,
        ids: Sequence[int],
    ) -> "_Desk":
        """Lock what is decided on, rounds first as everybody does who stores verdicts.

        Args:
            session: In the transaction of the request.
            principal: Who decides.
            project: Whose labels.
            job_id: The job that suggested.
            ids: The suggestion of each decision.
        """
        desk = cls(session, principal, project)
        locked = (
            select(Round.id)
            .where(Round.project_id == project.id, Round.state != RoundState.CLOSED)
            .order_by(Round.number)
            .with_for_update(key_share=True)
        )
        await session.execute(locked)
        statement = (
            select(Suggestion)
            .where(
                Suggestion.id.in_(ids),
                Suggestion.project_id == project.id,
                Suggestion.job_id == job_id,
            )
            .order_by(Suggestion.id)
            .with_for_update()
        )
        desk.suggestions = {row.id: row for row in await session.scalars(statement)}
        desk._state = {
            row.id: (row.decision, row.annotation_id) for row in desk.suggestions.values()
        }
        examples = [row.example_id for row in desk.suggestions.values()]
        said = votes().add_columns(Annotation.round_id)
        for row in await session.execute(said.where(Annotation.example_id.in_(examples))):
            desk._votes[row.example_id].append((row.id, Vote.of(row)))
            desk._authors[row.id] = row.annotator_id
            # The label that is reviewed stays in its round, and so does the review.
            desk._rounds.setdefault(row.example_id, row.round_id)
        sequence = func.nextval("annotations_id_seq").label("id")
        drawn = select(sequence).select_from(func.generate_series(1, len(ids)))
        desk._ids = sorted((await session.scalars(drawn)).all(), reverse=True)
        return desk

    def decide(self, one: DecisionIn) -> DecisionResult:
        suggestion = self.suggestions.get(one.suggestion_id)
        if suggestion is None:
            return _result(
                one, "rejected", None, "unknown_suggestion", "This review has no such suggestion."
            )
        before, annotation_id = self._state[suggestion.id]
        others = before is not None and self._authors.get(annotation_id or 0) != self._me
        if one.decision is None:
            if before is None or others:
                detail = "There is no decision of yours to take back."
                return _result(one, "rejected", None, "not_decided", detail)
            return _result(one, "accepted", self.take_back(suggestion.id, one.key, one.seconds))
        row = self._row(suggestion, one.key, one.seconds, _VERDICT[one.decision])
        if row.verdict is Verdict.CLASS:
            accepted = one.decision is Decision.ACCEPT
            row.class_id = suggestion.suggested_class_id if accepted else suggestion.given_class_id
        row.counted = not others
        if others:
            self.made[one.key] = row
            return _result(one, "late", row.id)
        self._add(suggestion, row, one.decision)
        return _result(one, "accepted", row.id)

    def take_back(self, suggestion_id: int, key: uuid.UUID, seconds: float) -> int:
        """Undo a decision: a skip in its place has no opinion. Returns the skip's id."""
        suggestion = self.suggestions[suggestion_id]
        row = self._row(suggestion, key, seconds, Verdict.SKIP)
        self._add(suggestion, row, None)
        return row.id

    async def store(self) -> None:
        """Write what was decided, and bring the images up to date."""
        if not self.made:
            return
        self._session.add_all(self.made.values())
        # Before the suggestions, which refer to them.
        await self._session.flush()
        for suggestion_id, (decision, annotation_id) in self._state.items():
            suggestion = self.suggestions[suggestion_id]
            suggestion.decision, suggestion.annotation_id = decision, annotation_id
            suggestion.lease_holder = suggestion.lease_expires_at = None
        outcomes = {
            example: outcome(vote for _, vote in self._votes[example]) for example in self._changed
        }
        if outcomes:
            await self._session.execute(
                mark_answered(),
                {
                    "answered": list(outcomes),
                    "states": [state.value for state, _ in outcomes.values()],
                    "labels": [class_id for _, class_id in outcomes.values()],
                },
            )
        await self._session.execute(events.notify(self._project.id, "review", {}))

    def _row(
        self, suggestion: Suggestion, key: uuid.UUID, seconds: float, verdict: Verdict
    ) -> Annotation:
        return Annotation(
            id=self._ids.pop(),
            project_id=self._project.id,
            example_id=suggestion.example_id,
            source=Source.REVIEW,
            job_id=suggestion.job_id,
            round_id=self._rounds.get(suggestion.example_id),
            annotator_id=self._me,
            client_key=key,
            verdict=verdict,
            seconds=seconds,
            cost=0.0,
            counted=True,
        )

    def _add(self, suggestion: Suggestion, row: Annotation, decision: Decision | None) -> None:
        _, row.supersedes_id = self._state[suggestion.id]
        held = self._votes[suggestion.example_id]
        held[:] = [(id_, vote) for id_, vote in held if id_ != row.supersedes_id]
        held.append((row.id, Vote(row.verdict, row.class_id, final=True)))
        self._authors[row.id] = self._me
        self._changed.add(suggestion.example_id)
        self.made[row.client_key] = row
        self._state[suggestion.id] = (decision, row.id if decision is not None else None)


def _result(
    one: DecisionIn,
    status: Literal["accepted", "duplicate", "late", "rejected"],
    annotation_id: int | None,
    code: str | None = None,
    detail: str | None = None,
) -> DecisionResult:
    return DecisionResult(
        key=one.key, status=status, annotation_id=annotation_id, code=code, detail=detail
    )
