"""Decisions under way: what is said of the images, and what is written about them."""

import uuid
from collections import defaultdict
from collections.abc import Sequence
from typing import Final, Literal

from sqlalchemy import ColumnElement, and_, exists, func, select, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import aliased

from api.callers.principal import Principal
from api.instruction_rows import group_ids
from api.reviews.disagreements import settles_own
from api.reviews.schemas import DecisionIn, DecisionResult
from api.telling import tell
from core.events import Topic
from core.jobs import queue
from core.jobs.messages import FollowPeople
from core.lifecycle import mark_answered, mark_members, mark_queried
from core.rounds import lock_unfinished
from core.states import Decision, ExampleState, RoundState, Source, Verdict
from core.tables import Annotation, Example, Project, ProjectClass, Query, Round, Suggestion
from core.tasks.registry import label_of, stored, task_type
from core.tasks.spec import Label
from core.verdicts.class_names import ClassNames, hold_classes, label_refusal, naming
from core.verdicts.consensus import STANCES, Vote, answered, lock_examples, opinions, outcome, votes
from core.verdicts.groups import of_group

_OWN: Final = (
    "You are one of those who disagree about it; another reviewer settles it, or whoever manages "
    "the project."
)


def suggested_by(project: Project, job_id: int | None) -> ColumnElement[bool]:
    """Condition: a suggestion of the project, by a job or by annotators who disagree."""
    return and_(
        Suggestion.project_id == project.id,
        Suggestion.job_id.is_(None) if job_id is None else Suggestion.job_id == job_id,
    )


class Desk:
    """Suggestions under decision: locked, with what is said of their images."""

    def __init__(self, session: AsyncSession, principal: Principal, project: Project) -> None:
        self._session, self._me, self._project = session, principal.id, project
        self.suggestions: dict[int, Suggestion] = {}
        self.made: dict[uuid.UUID, Annotation] = {}
        self._authors: dict[int, int | None] = {}
        self._votes: dict[int, list[tuple[int, Vote]]] = defaultdict(list)
        self._rounds: dict[int, int | None] = {}
        # Examples on which who decides has taken a side, and may not settle.
        self._sides: set[int] = set()
        # Decision and annotation of each suggestion, brought up to date as decisions are made.
        self._state: dict[int, tuple[Decision | None, int | None]] = {}
        self._decided: set[Suggestion] = set()
        self._changed: set[int] = set()
        self._ids: list[int] = []
        self._names = ClassNames.of(())
        self._sizes: dict[int, tuple[int, int] | None] = {}
        self._members: dict[int, set[int]] = {}
        self._of_groups = task_type(project.task).of_groups

    @classmethod
    async def open(
        cls,
        session: AsyncSession,
        principal: Principal,
        project: Project,
        job_id: int | None,
        ids: Sequence[int],
    ) -> "Desk":
        """Lock what is decided on: rounds and images first, as everybody does who stores verdicts.

        Suggestions come after their images, wherever both are locked.

        Args:
            session: In the transaction of the request.
            principal: Who decides.
            project: Whose labels.
            job_id: The job that suggested; None where annotators disagree.
            ids: The suggestion of each decision.
        """
        desk = cls(session, principal, project)
        await session.execute(lock_unfinished(project.id))
        which = and_(Suggestion.id.in_(ids), suggested_by(project, job_id))
        examples = (await session.scalars(select(Suggestion.example_id).where(which))).all()
        if desk._of_groups:
            desk._members = await group_ids(session, examples)
        together = {id_ for members in desk._members.values() for id_ in members}
        await session.execute(lock_examples(Example.id.in_({*examples, *together})))
        if not task_type(project.task).names_one_class:
            await session.execute(hold_classes(ProjectClass.project_id == project.id))
        statement = select(Suggestion).where(which).order_by(Suggestion.id).with_for_update()
        desk.suggestions = {row.id: row for row in await session.scalars(statement)}
        desk._state = {
            row.id: (row.decision, row.annotation_id) for row in desk.suggestions.values()
        }
        said = votes().add_columns(Annotation.round_id)
        if desk._of_groups:
            said = said.where(of_group())
        for row in await session.execute(said.where(Annotation.example_id.in_(examples))):
            vote = Vote.of(row)
            desk._votes[row.example_id].append((row.id, vote))
            desk._authors[row.id] = row.annotator_id
            if row.annotator_id == principal.id and vote.verdict in STANCES and not vote.final:
                desk._sides.add(row.example_id)
            # The label that is reviewed stays in its round, and so does the review.
            desk._rounds.setdefault(row.example_id, row.round_id)
        for id_, (_, annotation_id) in desk._state.items():
            if annotation_id not in desk._authors:
                # The image was asked about again, and an answer has corrected the decision.
                desk._state[id_] = (None, None)
        if desk._sides and (
            job_id is not None or await settles_own(session, principal, project.id)
        ):
            desk._sides.clear()
        sizes = select(Example.id, Example.width, Example.height).where(Example.id.in_(examples))
        desk._sizes = {
            id_: None if width is None or height is None else (width, height)
            for id_, width, height in await session.execute(sizes)
        }
        desk._names = ClassNames.of(await session.execute(naming(project.id)))
        sequence = func.nextval("annotations_id_seq").label("id")
        drawn = select(sequence).select_from(func.generate_series(1, len(ids)))
        desk._ids = sorted((await session.scalars(drawn)).all(), reverse=True)
        return desk

    def decide(self, one: DecisionIn) -> DecisionResult:
        suggestion = self.suggestions.get(one.suggestion_id)
        if suggestion is None:
            return result_of(
                one, "rejected", None, "unknown_suggestion", "This review has no such suggestion."
            )
        before, annotation_id = self._state[suggestion.id]
        others = before is not None and self._authors.get(annotation_id or 0) != self._me
        if one.decision is None:
            if before is None or others:
                detail = "There is no decision of yours to take back."
                return result_of(one, "rejected", None, "not_decided", detail)
            taken_back = self.take_back(suggestion.id, one.key, one.seconds, one.note)
            return result_of(one, "accepted", taken_back)
        if suggestion.example_id in self._sides:
            return result_of(one, "rejected", None, "own_disagreement", _OWN)
        label = None if one.decision is Decision.UNSURE else self._meant(suggestion, one)
        version = self._shown(one)
        if label is not None:
            size = self._sizes[suggestion.example_id]
            members = self._members.get(suggestion.example_id, ())
            refusal = label_refusal(label, self._project.task, self._names, version, size, members)
            if refusal is not None:
                return result_of(one, "rejected", None, *refusal)
        row = self._row(suggestion, one.key, one.seconds, _verdict(one, label))
        row.label, row.classes_version, row.counted = stored(label), version, not others
        row.note = one.note
        if others:
            self.made[one.key] = row
            return result_of(one, "late", row.id)
        self._add(suggestion, row, one.decision)
        return result_of(one, "accepted", row.id)

    def _shown(self, one: DecisionIn) -> int | None:
        """The version of the classes that a decision was made on; None if nobody knows."""
        version = one.classes_version
        return version if version is not None and version <= self._project.classes_version else None

    def _meant(self, suggestion: Suggestion, one: DecisionIn) -> Label | None:
        """The label of a decision; None for OOD."""
        match one.decision:
            case Decision.KEEP:
                return self._without(suggestion)
            case Decision.ACCEPT:
                return label_of(suggestion.suggested_label)
            case _:
                return one.label

    def _without(self, suggestion: Suggestion) -> Label | None:
        """The label of the image but for this review: somebody may have corrected it meanwhile."""
        _, mine = self._state[suggestion.id]
        held = self._votes[suggestion.example_id]
        state, label = outcome(vote for id_, vote in held if id_ != mine)
        return None if state is ExampleState.OOD else label or label_of(suggestion.given_label)

    def open_again(self, suggestion_id: int) -> None:
        """Undo a decision, if it still holds."""
        if self._state[suggestion_id][0] is None:
            self._decided.add(self.suggestions[suggestion_id])
        else:
            self.take_back(suggestion_id, uuid.uuid4(), 0.0)

    def take_back(
        self, suggestion_id: int, key: uuid.UUID, seconds: float, note: str | None = None
    ) -> int:
        """Undo a decision: a skip in its place has no opinion. Returns the skip's id."""
        suggestion = self.suggestions[suggestion_id]
        row = self._row(suggestion, key, seconds, Verdict.SKIP)
        row.note = note
        self._add(suggestion, row, None)
        return row.id

    async def store(self) -> None:
        """Write what was decided, and bring the images up to date."""
        if not self.made and not self._decided:
            return
        self._session.add_all(self.made.values())
        # Before the suggestions, which refer to them.
        await self._session.flush()
        for suggestion in self._decided:
            suggestion.decision, suggestion.annotation_id = self._state[suggestion.id]
            suggestion.lease_holder = suggestion.lease_expires_at = None
        if self._changed:
            said = {example: self._said(example) for example in self._changed}
            outcomes = answered(said)
            await self._session.execute(mark_answered(of_groups=self._of_groups), outcomes)
            if self._of_groups:
                await self._session.execute(mark_members(), outcomes)
            settled = {
                example_id
                for example_id, votes in said.items()
                if any(vote.final for vote in opinions(votes))
            }
            if settled:
                await self._leave_queues(settled)
            if doubted := self._changed - settled:
                await self._return_to_queues(doubted)
            if self._of_groups:
                message = FollowPeople(project_id=self._project.id)
                queue.remember(self._session.info, message)
        tell(self._session, self._project.id, Topic.REVIEW)

    def _said(self, example_id: int) -> list[Vote]:
        return [vote for _, vote in self._votes[example_id]]

    async def _leave_queues(self, settled: set[int]) -> None:
        """What a review has settled is asked of nobody, but for the last of a round.

        A round whose queue were emptied here would have nobody to close it; whoever answers the
        last does.
        """
        other = aliased(Query)
        more = exists().where(
            other.round_id == Query.round_id, ~other.done, other.example_id.not_in(settled)
        )
        closed = (
            update(Query)
            .where(Query.example_id.in_(settled), ~Query.done, more)
            .values(done=True)
            .returning(Query.example_id, Query.id)
        )
        left = defaultdict(list)
        for example_id, id_ in await self._session.execute(closed):
            left[example_id].append(id_)
        for suggestion in self._decided:
            if suggestion.example_id in left:
                kept = suggestion.closed_queries
                suggestion.closed_queries = [*kept, *left[suggestion.example_id]]

    async def _return_to_queues(self, doubted: set[int]) -> None:
        """What no review settles any more is asked again in the rounds that go on."""
        reviews = Suggestion.example_id.in_(doubted)
        statement = (
            update(Query)
            .where(
                Query.id.in_(select(func.unnest(Suggestion.closed_queries)).where(reviews)),
                Query.round_id == Round.id,
                Round.state != RoundState.CLOSED,
                # One that was leased when the review closed it may have been answered late.
                ~exists().where(Annotation.query_id == Query.id),
            )
            .values(done=False)
            .returning(Query.example_id)
        )
        found = (await self._session.scalars(statement)).all()
        await self._session.execute(mark_queried(found))
        await self._session.execute(update(Suggestion).where(reviews).values(closed_queries=[]))

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
        held.append((row.id, Vote(row.verdict, label_of(row.label), final=True)))
        self._authors[row.id] = self._me
        self._decided.add(suggestion)
        self._changed.add(suggestion.example_id)
        self.made[row.client_key] = row
        self._state[suggestion.id] = (decision, row.id if decision is not None else None)


def _verdict(one: DecisionIn, label: Label | None) -> Verdict:
    if one.decision is Decision.UNSURE:
        return Verdict.UNSURE
    return Verdict.OOD if label is None else Verdict.LABEL


def repeated(
    one: DecisionIn, twin: Annotation | None, principal: Principal
) -> DecisionResult | None:
    """The first result of a decision that was stored before, if it was."""
    if twin is None:
        return None
    if twin.annotator_id != principal.id or twin.source is not Source.REVIEW:
        return result_of(
            one,
            "rejected",
            None,
            "key_conflict",
            "The key is another answer's; make a new one.",
        )
    # Of one that came too late the first result may never have arrived.
    return result_of(one, "duplicate" if twin.counted else "late", twin.id)


def result_of(
    one: DecisionIn,
    status: Literal["accepted", "duplicate", "late", "rejected"],
    annotation_id: int | None,
    code: str | None = None,
    detail: str | None = None,
) -> DecisionResult:
    return DecisionResult(
        key=one.key, status=status, annotation_id=annotation_id, code=code, detail=detail
    )
