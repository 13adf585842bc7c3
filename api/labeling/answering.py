"""Storing answers.

Every answer needs the lock of its round, because the round must close within one verdict of its
budget. One transaction an answer would therefore run one after the other, each waiting for the
disk. Instead the answers that arrive while a transaction is on its way share the next one (see
``docs/adr/0003-answers-share-a-transaction.md``). A client hears "accepted" only after the commit.
"""

import asyncio
import logging
import uuid
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from anyio import to_thread
from sqlalchemy import ARRAY, BigInteger, Uuid, bindparam, func, insert, or_, select, update
from sqlalchemy.ext.asyncio import AsyncSession, async_sessionmaker

from api.labeling import status
from api.labeling.schemas import AnswerIn, AnswerResult, AnswersOut, Status
from core import events, queue
from core.errors import DomainError, NotFound
from core.lifecycle import EXAMPLE_STATE_AFTER, mark_answered
from core.project_settings import ProjectSettings
from core.rounds import close
from core.states import ExampleState, RoundState, Verdict
from core.tables import Annotation, Example, Project, ProjectClass, Query, Round

logger = logging.getLogger(__name__)

_MAX_SHARED = 512
# Rounding of sums of costs must not keep a round open.
_EPSILON = 1e-9
_FREE = frozenset({ExampleState.UNLABELED, ExampleState.QUERIED})


@dataclass(frozen=True, slots=True)
class Submission:
    """The answers of one request."""

    annotator_id: int
    answers: Sequence[AnswerIn]


@dataclass(slots=True)
class _Waiting:
    submission: Submission
    result: "asyncio.Future[AnswersOut]"


class AnswerWriter:
    """Collects the answers to each project and stores them, one transaction at a time."""

    def __init__(self, sessions: async_sessionmaker[AsyncSession]) -> None:
        self._sessions = sessions
        self._waiting: dict[int, list[_Waiting]] = defaultdict(list)
        self._draining: dict[int, asyncio.Task[None]] = {}

    async def submit(self, project_id: int, submission: Submission) -> AnswersOut:
        """Store the answers; returns after they are committed."""
        waiting = _Waiting(submission, asyncio.get_running_loop().create_future())
        self._waiting[project_id].append(waiting)
        if project_id not in self._draining:
            self._draining[project_id] = asyncio.create_task(self._drain(project_id))
        return await waiting.result

    async def _drain(self, project_id: int) -> None:
        try:
            while waiting := self._waiting.pop(project_id, None):
                for start in range(0, len(waiting), _MAX_SHARED):
                    await self._store(project_id, waiting[start : start + _MAX_SHARED])
        finally:
            del self._draining[project_id]

    async def _store(self, project_id: int, batch: Sequence[_Waiting]) -> None:
        try:
            results = await self._write(project_id, [item.submission for item in batch])
        except Exception as error:
            if len(batch) > 1 and not isinstance(error, DomainError):
                # Nobody's answer may fail because of somebody else's.
                logger.warning("shared transaction failed, storing one by one: %s", error)
                for item in batch:
                    await self._store(project_id, [item])
                return
            for item in batch:
                if not item.result.done():
                    item.result.set_exception(error)
            return
        for item, result in zip(batch, results, strict=True):
            if not item.result.done():
                item.result.set_result(result)

    async def _write(self, project_id: int, submissions: Sequence[Submission]) -> list[AnswersOut]:
        async with self._sessions() as session:
            async with session.begin():
                answers = [answer for submission in submissions for answer in submission.answers]
                transaction = await _Transaction.begin(session, project_id, answers)
                results = [
                    [
                        await transaction.decide(submission.annotator_id, answer)
                        for answer in submission.answers
                    ]
                    for submission in submissions
                ]
                state = await transaction.store()
            if queue.pending(session.info):
                await to_thread.run_sync(queue.deliver, session.info)
        return [AnswersOut(results=result, status=state) for result in results]


@dataclass(slots=True)
class _Transaction:
    """What one shared transaction has read, and what it is going to write."""

    session: AsyncSession
    project: Project
    rounds: list[Round]
    class_ids: frozenset[int]
    queries: dict[int, Any]
    # State of each example, brought up to date as answers are decided.
    states: dict[int, ExampleState]
    # Annotations by client key, and the latest of each (query, annotator): those stored before
    # and those of this transaction.
    known: dict[uuid.UUID, "_Stored"]
    heads: dict[tuple[int, int], "_Stored"]
    # Latest counted annotation of each example that is being corrected.
    counted: dict[int, int]
    ids: Iterator[int]
    rows: list[dict[str, Any]] = field(default_factory=list)
    verdicts: dict[int, Verdict] = field(default_factory=dict)
    answered: set[int] = field(default_factory=set)

    @classmethod
    async def begin(
        cls, session: AsyncSession, project_id: int, answers: Sequence[AnswerIn]
    ) -> "_Transaction":
        """Lock the rounds, then read everything that the answers refer to."""
        query_ids = sorted({answer.query_id for answer in answers})
        values = {
            "project": project_id,
            "queries": query_ids,
            "keys": [answer.key for answer in answers],
            "count": len(answers),
        }
        rounds = list(await session.scalars(_ROUNDS, values))
        project = await session.get(Project, project_id)
        if project is None:
            raise NotFound("project")
        queries = {row.id: row for row in await session.execute(_QUERIES, values)}
        stored = [_Stored(*row) for row in await session.execute(_STORED, values)]
        counted: dict[int, int] = {}
        if any(answer.supersedes for answer in answers):
            examples = sorted({row.example_id for row in queries.values()})
            found = await session.execute(_COUNTED, {"examples": examples})
            counted = dict(found.all())
        return cls(
            session=session,
            project=project,
            rounds=rounds,
            class_ids=frozenset(await session.scalars(_CLASSES, values)),
            queries=queries,
            states={row.example_id: row.state for row in queries.values()},
            known={row.client_key: row for row in stored},
            # Ordered by id, so that the latest of each pair stays.
            heads={(row.query_id, row.annotator_id): row for row in stored},
            counted=counted,
            ids=iter((await session.scalars(_IDS, values)).all()),
        )

    async def decide(self, annotator_id: int, answer: AnswerIn) -> AnswerResult:
        """Settle one answer, given those before it."""
        if (twin := self.known.get(answer.key)) is not None:
            return self._repeat(annotator_id, answer, twin)
        query = self.queries.get(answer.query_id)
        if query is None:
            return _rejected(answer, "unknown_query", "This project has no such query.")
        if answer.class_id is not None and answer.class_id not in self.class_ids:
            return _rejected(
                answer, "unknown_class", "This project has no such class; reload the page."
            )
        head = self.heads.get((query.id, annotator_id)) if answer.supersedes else None
        replaces = head is not None and self.counted.get(query.example_id) == head.id
        counted = replaces or self.states[query.example_id] in _FREE
        round_, cost = self._charge(answer, query, head if replaces else None, counted)
        stored = _Stored(
            id=next(self.ids),
            client_key=answer.key,
            query_id=query.id,
            annotator_id=annotator_id,
            round_id=round_.id,
            verdict=answer.verdict,
            counted=counted,
        )
        self._remember(stored, query, answer, cost, head)
        if counted and round_.state is RoundState.OPEN and _is_spent(round_):
            await self._close(round_)
        return _result(answer, stored, round_.number, "accepted" if counted else "late")

    def _repeat(self, annotator_id: int, answer: AnswerIn, twin: "_Stored") -> AnswerResult:
        if twin.annotator_id != annotator_id:
            return _rejected(
                answer, "key_conflict", "This key belongs to another answer; make a new one."
            )
        number = next((item.number for item in self.rounds if item.id == twin.round_id), None)
        return _result(answer, twin, number, "duplicate")

    def _charge(
        self, answer: AnswerIn, query: Any, replaced: "_Stored | None", counted: bool
    ) -> tuple[Round, float]:
        """The round an answer belongs to, and what it takes from that round's budget.

        A correction stays with the answer it corrects, so that a round's share of OOD is right, and
        is charged the difference.
        """
        by_id = {round_.id: round_ for round_ in self.rounds}
        if replaced is not None:
            round_ = by_id[replaced.round_id]
        else:
            waiting = [item for item in self.rounds if item.state is not RoundState.CLOSED]
            round_ = status.counting_round(waiting) or by_id[query.round_id]
        if not counted:
            return round_, 0.0
        prices = ProjectSettings.model_validate(round_.settings).cost
        cost = prices.of(answer.verdict, answer.seconds)
        if replaced is not None and prices.mode == "fixed":
            cost -= prices.of(replaced.verdict, 0.0)
        round_.spent += cost
        return round_, cost

    def _remember(
        self, stored: "_Stored", query: Any, answer: AnswerIn, cost: float, head: "_Stored | None"
    ) -> None:
        self.known[stored.client_key] = stored
        self.heads[stored.query_id, stored.annotator_id] = stored
        self.answered.add(query.id)
        if stored.counted:
            self.counted[query.example_id] = stored.id
            self.states[query.example_id] = EXAMPLE_STATE_AFTER[answer.verdict]
            self.verdicts[query.example_id] = answer.verdict
        self.rows.append(
            {
                "id": stored.id,
                "project_id": self.project.id,
                "example_id": query.example_id,
                "query_id": stored.query_id,
                "round_id": stored.round_id,
                "annotator_id": stored.annotator_id,
                "client_key": stored.client_key,
                "verdict": stored.verdict,
                "class_id": answer.class_id,
                "seconds": answer.seconds,
                "cost": cost,
                "counted": stored.counted,
                "supersedes_id": head.id if head else None,
            }
        )

    async def store(self) -> Status:
        """Write what was decided; closes the round if its queue is empty now."""
        if self.rows:
            await self.session.execute(insert(Annotation), self.rows)
            # An answered example leaves every queue it stands in; a skipped one only this one.
            settled = [
                example for example, verdict in self.verdicts.items() if verdict is not Verdict.SKIP
            ]
            values = {"queries": sorted(self.answered), "examples": sorted(settled)}
            await self.session.execute(_FINISH, values)
            if self.verdicts:
                await self.session.execute(mark_answered(self.verdicts))
            await self.session.flush()
        open_round = next((item for item in self.rounds if item.state is RoundState.OPEN), None)
        if open_round is not None and self.rows:
            rest = await self.session.scalar(_ANY_LEFT, {"round": open_round.id})
            if rest is None:
                await self._close(open_round)
        waiting = [item for item in self.rounds if item.state is not RoundState.CLOSED]
        return status.describe(self.project.state, waiting, served=True)

    async def _close(self, round_: Round) -> None:
        following, job = close(self.project, round_)
        self.session.add(job)
        if following is not None:
            self.session.add(following)
            self.rounds.append(following)
        await self.session.flush()
        round_.job_id = job.id
        queue.enqueue(self.session.info, job)
        data = {"number": round_.number, "state": round_.state}
        await self.session.execute(events.notify(self.project.id, "round", data))


@dataclass(frozen=True, slots=True)
class _Stored:
    """The part of an annotation that later answers depend on."""

    id: int
    client_key: uuid.UUID
    query_id: int
    annotator_id: int
    round_id: int
    verdict: Verdict
    counted: bool


def _is_spent(round_: Round) -> bool:
    return round_.spent >= round_.budget - _EPSILON


def _result(
    answer: AnswerIn,
    stored: _Stored,
    number: int | None,
    outcome: Literal["accepted", "duplicate", "late"],
) -> AnswerResult:
    return AnswerResult(
        key=answer.key,
        status=outcome,
        annotation_id=stored.id,
        counted=stored.counted,
        round=number,
        code=None,
        detail=None,
    )


def _rejected(answer: AnswerIn, code: str, detail: str) -> AnswerResult:
    return AnswerResult(
        key=answer.key,
        status="rejected",
        annotation_id=None,
        counted=False,
        round=None,
        code=code,
        detail=detail,
    )


def _among(column: Any, name: str, type_: Any = BigInteger) -> Any:
    """``column = ANY(:name)``: one statement text, and so one plan, for any number of values."""
    return column == func.any(bindparam(name, type_=ARRAY(type_)))


_ROUNDS = (
    select(Round)
    .where(
        Round.project_id == bindparam("project"),
        or_(
            Round.state != RoundState.CLOSED,
            Round.id.in_(select(Query.round_id).where(_among(Query.id, "queries"))),
            Round.id.in_(select(Annotation.round_id).where(_among(Annotation.query_id, "queries"))),
        ),
    )
    .order_by(Round.number)
    .with_for_update(key_share=True)
)
_QUERIES = (
    select(Query.id, Query.round_id, Query.example_id, Example.state)
    .join(Example, Example.id == Query.example_id)
    .where(_among(Query.id, "queries"), Query.project_id == bindparam("project"))
)
_STORED = (
    select(
        Annotation.id,
        Annotation.client_key,
        Annotation.query_id,
        Annotation.annotator_id,
        Annotation.round_id,
        Annotation.verdict,
        Annotation.counted,
    )
    .where(or_(_among(Annotation.client_key, "keys", Uuid), _among(Annotation.query_id, "queries")))
    .order_by(Annotation.id)
)
_COUNTED = (
    select(Annotation.example_id, func.max(Annotation.id))
    .where(Annotation.counted, _among(Annotation.example_id, "examples"))
    .group_by(Annotation.example_id)
)
_CLASSES = select(ProjectClass.id).where(ProjectClass.project_id == bindparam("project"))
_IDS = select(func.nextval("annotations_id_seq")).select_from(
    func.generate_series(1, bindparam("count", type_=BigInteger)).alias("n")
)
_FINISH = (
    update(Query)
    .where(or_(_among(Query.id, "queries"), _among(Query.example_id, "examples")), ~Query.done)
    .values(done=True)
)
_ANY_LEFT = select(Query.id).where(Query.round_id == bindparam("round"), ~Query.done).limit(1)
