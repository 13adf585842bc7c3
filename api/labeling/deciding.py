"""What becomes of the answers that share a transaction: which count, and what they change."""

import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from api.labeling import statements as sql
from api.labeling import status
from api.labeling.results import rejected, result_of
from api.labeling.schemas import AnswerIn, AnswerResult, Status
from api.labeling.status import ReadRound
from api.pipelined_sql import driver, fetch
from core import events, queue
from core.class_names import ClassNames, label_refusal
from core.consensus import Vote, answered, is_settled, opinions
from core.errors import NotFound
from core.rounds import close, is_spent, next_round
from core.states import ProjectState, Role, RoundState, Verdict
from core.tables import Project, Round
from core.tasks.registry import stored_text


@dataclass(frozen=True, slots=True)
class Submission:
    """The answers of one request."""

    annotator_id: int
    answers: Sequence[AnswerIn]


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


@dataclass(frozen=True, slots=True)
class _Held:
    """A vote on an example, and whose it is; nobody's if it was imported."""

    id: int
    annotator_id: int | None
    vote: Vote


@dataclass(slots=True)
class Transaction:
    """What one shared transaction has read, and what it is going to write."""

    session: AsyncSession
    project_id: int
    project_state: ProjectState
    members: frozenset[int]
    rounds: list[ReadRound]
    # Of the project's classes, and what these are called.
    classes_version: int
    names: ClassNames
    task: str
    # All queries of the examples that are answered here.
    queries: dict[int, Any]
    # Whether the open round has queries of other examples.
    more_queries: bool
    # Annotations by client key, and of each (query, annotator) the latest that counts, or else the
    # latest: those stored before and those of this transaction.
    known: dict[uuid.UUID, _Stored]
    heads: dict[tuple[int, int], _Stored]
    # What is said of each example, oldest first, brought up to date as answers are decided.
    votes: dict[int, list[_Held]]
    ids: Iterator[int]
    rows: list[tuple[Any, ...]] = field(default_factory=list)
    # Examples with a new vote, and of how many annotators each wants one.
    changed: dict[int, int] = field(default_factory=dict)
    answered: set[int] = field(default_factory=set)

    @classmethod
    async def begin(
        cls, session: AsyncSession, project_id: int, submissions: Sequence[Submission]
    ) -> "Transaction":
        """Lock the rounds, then read everything that the answers refer to, in one round trip."""
        answers = [answer for submission in submissions for answer in submission.answers]
        values = {
            "project": project_id,
            "annotators": sorted({submission.annotator_id for submission in submissions}),
            "queries": sorted({answer.query_id for answer in answers}),
            "keys": [answer.key for answer in answers],
            "count": len(answers),
            "admin": Role.ADMIN.value,
        }
        connection = await driver(await session.connection())
        _, _, rounds, projects, members, queries, left, stored, classes, ids, votes = await fetch(
            connection,
            (sql.LOCK_ROUNDS, values),
            (sql.LOCK_EXAMPLES, values),
            (sql.ROUNDS, values),
            (sql.PROJECT, values),
            (sql.MEMBERS, values),
            (sql.QUERIES, values),
            (sql.MORE_QUERIES, values),
            (sql.STORED, values),
            (sql.CLASSES, values),
            (sql.NEW_IDS, values),
            (sql.VOTES, values),
        )
        if not projects:
            raise NotFound("project")
        before = [_Stored(**{**row._asdict(), "verdict": Verdict(row.verdict)}) for row in stored]
        held: dict[int, list[_Held]] = {row.example_id: [] for row in queries}
        for row in votes:
            held[row.example_id].append(_Held(row.id, row.annotator_id, Vote.of(row)))
        return cls(
            session=session,
            project_id=project_id,
            project_state=ProjectState(projects[0].state),
            members=frozenset(row.id for row in members),
            rounds=[ReadRound.of(row) for row in rounds],
            classes_version=projects[0].classes_version,
            names=ClassNames.of(classes),
            task=projects[0].task,
            queries={row.id: row for row in queries},
            more_queries=bool(left),
            known={row.client_key: row for row in before},
            # Ordered by id, those that count last, so that the one that is wanted stays.
            heads={
                (row.query_id, row.annotator_id): row
                for row in sorted(before, key=lambda row: row.counted)
            },
            votes=held,
            ids=iter([row.id for row in ids]),
        )

    async def decide_all(self, submission: Submission) -> list[AnswerResult] | None:
        """Settle the answers of one request; ``None`` if its author is not a member."""
        if submission.annotator_id not in self.members:
            return None
        return [await self.decide(submission.annotator_id, answer) for answer in submission.answers]

    async def decide(self, annotator_id: int, answer: AnswerIn) -> AnswerResult:
        """Settle one answer, given those before it."""
        if (twin := self.known.get(answer.key)) is not None:
            return self._repeat(annotator_id, answer, twin)
        query = self.queries.get(answer.query_id)
        if query is None:
            return rejected(answer, "unknown_query", "This project has no such query.")
        if answer.label is not None:
            refusal = label_refusal(answer.label, self.task, self.names, self._shown(answer))
            if refusal is not None:
                return rejected(answer, *refusal)
        head = self.heads.get((query.id, annotator_id)) if answer.supersedes else None
        wanted = self._is_wanted(query, annotator_id)
        held = next(
            (one for one in self.votes[query.example_id] if head and one.id == head.id), None
        )
        # A skip was no vote: whoever takes it back comes after those who have voted since.
        replaces = held is not None and (wanted or held.vote.verdict is not Verdict.SKIP)
        counted = replaces or wanted
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
        # One that counted and no longer holds was replaced by another answer already.
        corrected = None if head is None or (head.counted and held is None) else head.id
        if counted and (held is None or held.vote.verdict is Verdict.SKIP):
            corrected = self._doubted(query, annotator_id, answer) or corrected
        self._remember(stored, query, answer, cost, corrected)
        if counted and is_spent(round_.spent, round_.budget):
            await self._go_on(round_)
        return result_of(answer, stored, round_.number, "accepted" if counted else "late")

    def _shown(self, answer: AnswerIn) -> int | None:
        """The version of the classes that an answer was given to; None if nobody knows."""
        version = answer.classes_version
        return version if version is not None and version <= self.classes_version else None

    def _doubted(self, query: Any, annotator_id: int, answer: AnswerIn) -> int | None:
        """The vote that an answer to a query which asks again is given instead of.

        The annotator's own, so that nobody has two; of others' the oldest.
        """
        if answer.verdict is Verdict.SKIP:
            return None
        after = query.again_after or 0
        doubted = [
            held
            for held in self.votes[query.example_id]
            if held.id <= after and held.vote.verdict is not Verdict.SKIP
        ]
        own = [held for held in doubted if held.annotator_id == annotator_id]
        return next((held.id for held in own or doubted), None)

    def _standing(self, example_id: int, answering: Any = None) -> list[_Held]:
        """What is said of an example, but for votes that open queries ask about again."""
        asking = [
            query.again_after or 0
            for query in self.queries.values()
            if query.example_id == example_id
            and (query is answering or not (query.done or query.id in self.answered))
        ]
        after = max(asking, default=0)
        return [held for held in self.votes[example_id] if held.id > after]

    def _is_wanted(self, query: Any, annotator_id: int) -> bool:
        """Whether the example needs another vote, and of this annotator."""
        votes = self._standing(query.example_id, query)
        mine = [held.vote for held in votes if held.annotator_id == annotator_id]
        everyone = [held.vote for held in votes]
        return not opinions(mine) and not is_settled(everyone, self._overlap(query))

    def _overlap(self, query: Any) -> int:
        round_ = next(round_ for round_ in self.rounds if round_.id == query.round_id)
        # Rounds from before the setting have none.
        wanted: int = round_.settings.get("overlap", 1)
        return wanted

    def _repeat(self, annotator_id: int, answer: AnswerIn, twin: _Stored) -> AnswerResult:
        if (twin.annotator_id, twin.query_id) != (annotator_id, answer.query_id):
            return rejected(
                answer, "key_conflict", "This key belongs to another answer; make a new one."
            )
        number = next((item.number for item in self.rounds if item.id == twin.round_id), None)
        return result_of(answer, twin, number, "duplicate")

    def _charge(
        self, answer: AnswerIn, query: Any, replaced: _Stored | None, counted: bool
    ) -> tuple[ReadRound, float]:
        """The round an answer belongs to, and what it takes from that round's budget.

        A correction stays with the answer it corrects, so that a round's share of OOD is right, and
        is charged the difference.
        """
        by_id = {round_.id: round_ for round_ in self.rounds}
        if replaced is not None:
            round_ = by_id[replaced.round_id]
        else:
            round_ = status.counting_round(self._unfinished()) or by_id[query.round_id]
        if not counted:
            return round_, 0.0
        cost = round_.cost.of(answer.verdict, answer.seconds)
        if replaced is not None and round_.cost.mode == "fixed":
            cost -= round_.cost.of(replaced.verdict, 0.0)
        round_.spent += cost
        round_.changed = True
        return round_, cost

    def _remember(
        self, stored: _Stored, query: Any, answer: AnswerIn, cost: float, corrected: int | None
    ) -> None:
        self.known[stored.client_key] = stored
        pair = (stored.query_id, stored.annotator_id)
        # A late answer is not what its annotator goes back to while another one counts.
        if stored.counted or not (pair in self.heads and self.heads[pair].counted):
            self.heads[pair] = stored
        self.answered.add(query.id)
        if stored.counted:
            votes = self.votes[query.example_id]
            votes[:] = [held for held in votes if held.id != corrected]
            vote = Vote(answer.verdict, answer.label)
            votes.append(_Held(stored.id, stored.annotator_id, vote))
            self.changed[query.example_id] = self._overlap(query)
        self.rows.append(
            (
                stored.id,
                self.project_id,
                query.example_id,
                stored.query_id,
                stored.round_id,
                stored.annotator_id,
                stored.client_key,
                stored.verdict.value,
                stored_text(answer.label),
                self._shown(answer),
                answer.seconds,
                cost,
                stored.counted,
                corrected,
            )
        )

    async def commit(self) -> Status:
        """Write what was decided, in one round trip; closes the round if its queue is empty."""
        if self.rows:
            open_round = next((item for item in self.rounds if item.state is RoundState.OPEN), None)
            if open_round is not None and not self._any_left(open_round):
                await self._close(open_round)
            connection = await driver(await self.session.connection())
            await fetch(connection, *self._writes(), commit=True)
        await self.session.commit()
        return status.describe(
            self.project_state,
            self._unfinished(),
            classes_version=self.classes_version,
            served=True,
        )

    def _writes(self) -> Iterator[tuple[Any, dict[str, Any]]]:
        columns = zip(*self.rows, strict=True)
        yield sql.INSERT, dict(zip(sql.COLUMNS, map(list, columns), strict=True))
        # A settled example leaves every queue it stands in; a skipped one only this one.
        yield sql.FINISH, {"queries": sorted(self.answered), "examples": sorted(self._settled())}
        if self.changed:
            said = {example: self._said_of(example) for example in self.changed}
            yield sql.MARK_ANSWERED, answered(said)
        if changed := [round_ for round_ in self.rounds if round_.changed]:
            yield (
                sql.SPEND,
                {
                    "rounds": [round_.id for round_ in changed],
                    "spent": [round_.spent for round_ in changed],
                },
            )

    def _said_of(self, example_id: int) -> list[Vote]:
        return [held.vote for held in self.votes[example_id]]

    def _settled(self) -> set[int]:
        """Examples that got a vote here and need no more."""
        return {
            example
            for example, wanted in self.changed.items()
            if is_settled([held.vote for held in self._standing(example)], wanted)
        }

    def _any_left(self, round_: ReadRound) -> bool:
        """Whether the round's queue holds anything after these answers."""
        settled = self._settled()
        return self.more_queries or any(
            query.round_id == round_.id
            and not query.done
            and query.id not in self.answered
            and query.example_id not in settled
            for query in self.queries.values()
        )

    async def _add(self, made: Sequence[object | None]) -> None:
        self.session.add_all([item for item in made if item is not None])
        await self.session.flush()
        self.rounds += [ReadRound.of(item) for item in made if isinstance(item, Round)]

    def _numbered(self, number: int) -> ReadRound | None:
        return next((round_ for round_ in self.rounds if round_.number == number), None)

    def _unfinished(self) -> list[ReadRound]:
        return [item for item in self.rounds if item.state is not RoundState.CLOSED]

    async def _go_on(self, spent: ReadRound) -> None:
        """Make sure that the next answer has a round whose budget is not spent.

        An open round closes. One that still selects, and that zero-wait answers have used up, must
        wait for its turn; the answers after those are the first of the round after it.
        """
        if spent.state is RoundState.OPEN:
            await self._close(spent)
        elif spent.state is RoundState.SELECTING and self._numbered(spent.number + 1) is None:
            project = await self.session.get_one(Project, self.project_id)
            await self._add([next_round(project, spent.number)])

    async def _close(self, closing: ReadRound) -> None:
        """Close a round; happens once a round, so plain objects will do."""
        project = await self.session.get_one(Project, self.project_id)
        round_ = await self.session.get_one(Round, closing.id)
        prepared = self._numbered(closing.number + 1)
        following = await self.session.get_one(Round, prepared.id) if prepared else None
        # What it has spent is written later, and told with the change of state.
        round_.spent = closing.spent
        made, job = close(project, round_, following)
        closing.state = round_.state
        await self._add(made)
        round_.job_id = job.id
        await self.session.flush()
        queue.enqueue(self.session.info, job)
        data = {"number": round_.number, "state": round_.state}
        await self.session.execute(events.notify(project.id, events.Topic.ROUND, data))
