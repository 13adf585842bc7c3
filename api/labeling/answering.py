"""Storing answers: reading what they depend on, and writing what they amount to.

Every answer needs the lock of its round, because the round must close within one verdict of its
budget. One transaction an answer would therefore run one after the other, each waiting for the
disk. Instead the answers that arrive while a transaction is on its way share the next one (see
``docs/adr/0003-answers-share-a-transaction.md``). A client hears "accepted" only after the commit.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from anyio import to_thread
from sqlalchemy.ext.asyncio import AsyncSession, async_sessionmaker

from api.database.batching import Batcher
from api.database.pipelined_sql import Statement, driver, fetch
from api.labeling import statements as sql
from api.labeling import status
from api.labeling.ledger import AnswerLedger, HeldVote, StoredAnswer, Submission
from api.labeling.schemas import AnswerIn, AnswerResult, AnswersOut
from api.labeling.status import ReadRound
from core import events
from core.errors import NotFound
from core.jobs import queue
from core.jobs.messages import FollowPeople, GoOnCertifying
from core.rounds import close, next_round
from core.states import ProjectState, Role, RoundState, Verdict
from core.tables import Project, Round
from core.tasks.registry import task_type, type_of
from core.tasks.spec import TaskType
from core.verdicts.class_names import ClassNames
from core.verdicts.consensus import Vote, answered


class AnswerWriter:
    """Stores the answers to each project, one transaction at a time."""

    def __init__(self, sessions: async_sessionmaker[AsyncSession]) -> None:
        self._sessions = sessions
        self._batcher = Batcher(self._write)

    async def submit(self, project_id: int, submission: Submission) -> AnswersOut:
        """Store the answers; returns after they are committed.

        Raises:
            NotFound: There is no such project, or the annotator is not a member of it.
        """
        stored = await self._batcher.submit(project_id, submission)
        if stored is None:
            raise NotFound("project")
        return stored

    async def _write(
        self, project_id: int, submissions: Sequence[Submission]
    ) -> list[AnswersOut | None]:
        async with self._sessions() as session:
            state, ledger = await _read(session, project_id, submissions)
            batch = _Batch(session, ledger)
            results = [await batch.decide(submission) for submission in submissions]
            await batch.commit()
            said = status.describe(
                state, ledger.unfinished(), classes_version=ledger.classes_version, served=True
            )
            if queue.pending(session.info):
                await to_thread.run_sync(queue.deliver, session.info)
        return [
            None if result is None else AnswersOut(results=result, status=said)
            for result in results
        ]


async def _read(
    session: AsyncSession, project_id: int, submissions: Sequence[Submission]
) -> tuple[ProjectState, AnswerLedger]:
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
    named = _named_within(answers)
    connection = await driver(await session.connection())
    _, locked, *found = await fetch(
        connection,
        (sql.LOCK_ROUNDS, values),
        (sql.LOCK_EXAMPLES, values),
        *([(sql.HOLD_CLASSES, {"classes": named})] if named else []),
        (sql.ROUNDS, values),
        (sql.PROJECT, values),
        (sql.MEMBERS, values),
        (sql.QUERIES, values),
        (sql.MORE_QUERIES, values),
        (sql.STORED, values),
        (sql.CLASSES, values),
        (sql.NEW_IDS, values),
        (sql.VOTES, values),
        # Last, and seldom: labels of one class fit every example.
        *((one, values) for one in _looked_up(answers)),
    )
    rounds, projects, members, queries, left, stored, classes, ids, votes, *more = (
        found[1:] if named else found
    )
    if not projects:
        raise NotFound("project")
    held: dict[int, list[HeldVote]] = {row.example_id: [] for row in queries}
    sizes, groups, asked_again = _sorted(answers, more)
    task = task_type(projects[0].task)
    withdrawn = {row.id for row in locked if not row.kept}
    if withdrawn and task.of_groups:
        # Whatever is said of a group that lacks a row, and not labels alone.
        (together,) = await fetch(connection, (sql.QUERY_MEMBERS, values))
        groups = _gathered(together)
    if task.of_groups:
        # What somebody has said of a row by itself is no answer to what is asked of its group.
        votes = [row for row in votes if row.of_group]
    if task.names_one_class:
        _hold(held, votes)
    else:
        # What others have drawn takes a moment to read; nobody else is to wait for it.
        await to_thread.run_sync(_hold, held, votes)
    return ProjectState(projects[0].state), AnswerLedger(
        project_id=project_id,
        members=frozenset(row.id for row in members),
        rounds=[ReadRound.of(row) for row in rounds],
        task=projects[0].task,
        classes_version=projects[0].classes_version,
        names=ClassNames.of(classes),
        queries={row.id: row for row in queries},
        more_queries=bool(left),
        stored=[
            StoredAnswer(**{**row._asdict(), "verdict": Verdict(row.verdict)}) for row in stored
        ],
        votes=held,
        ids=iter([row.id for row in ids]),
        shown={row.id: row for row in sizes},
        groups=groups,
        asked_again=asked_again,
        withdrawn=withdrawn,
    )


_MORE: Final[tuple[tuple[Statement, Callable[[TaskType[Any]], bool]], ...]] = (
    (sql.SIZES, lambda task: task.looks_at_size),
    (sql.QUERY_MEMBERS, lambda task: task.of_groups),
)
"""What labels of some task types depend on."""


def _looked_up(answers: Sequence[AnswerIn]) -> list[Statement]:
    tasks = {type_of(answer.label) for answer in answers if answer.label is not None}
    found = [statement for statement, needs in _MORE if any(map(needs, tasks))]
    corrects = any(answer.supersedes for answer in answers)
    return [*found, sql.ASKED_AGAIN] if corrects else found


def _sorted(
    answers: Sequence[AnswerIn], found: Sequence[Sequence[Any]]
) -> tuple[Sequence[Any], dict[int, set[int]], set[int]]:
    """What ``_looked_up`` has asked for: sizes, members of queries, and queries asked again."""
    rows = dict(zip(_looked_up(answers), found, strict=True))
    groups = _gathered(rows.get(sql.QUERY_MEMBERS, ()))
    again = {row.query_id for row in rows.get(sql.ASKED_AGAIN, ())}
    return rows.get(sql.SIZES, ()), groups, again


def _gathered(members: Sequence[Any]) -> dict[int, set[int]]:
    """The examples of each query that asks about several together."""
    groups: dict[int, set[int]] = defaultdict(set)
    for row in members:
        groups[row.query_id].add(row.example_id)
    return groups


def _hold(held: dict[int, list[HeldVote]], votes: Sequence[Any]) -> None:
    for row in votes:
        held[row.example_id].append(HeldVote(row.id, row.annotator_id, Vote.of(row)))


def _named_within(answers: Sequence[AnswerIn]) -> list[int]:
    """Classes that labels name among others: the database knows of no reference to them."""
    labels = (answer.label for answer in answers)
    several = (one for one in labels if one is not None and not type_of(one).names_one_class)
    return sorted({class_id for one in several for class_id in type_of(one).classes_of(one)})


@dataclass(frozen=True, slots=True)
class _Batch:
    """One transaction that stores answers, and the rounds that they close or need."""

    session: AsyncSession
    ledger: AnswerLedger

    async def decide(self, submission: Submission) -> list[AnswerResult] | None:
        """Settle the answers of one request; ``None`` if its author is not a member."""
        if submission.annotator_id not in self.ledger.members:
            return None
        results = []
        for answer in submission.answers:
            decision = self.ledger.decide(submission.annotator_id, answer)
            if decision.spent is not None:
                await self._go_on(decision.spent)
            results.append(decision.result)
        return results

    async def commit(self) -> None:
        """Write what was decided, in one round trip; closes the round if it asks no more."""
        if self.ledger.rows:
            emptied = self.ledger.emptied()
            if emptied is not None:
                await self._close(emptied)
            if task_type(self.ledger.task).names_one_class:
                writes = _writes(self.ledger)
            else:
                # Thousands of boxes take a moment to compare; nobody else is to wait for it.
                writes = await to_thread.run_sync(_writes, self.ledger)
            if any(self.ledger.queries[id_].is_check for id_ in self.ledger.answered):
                # A certificate waits for it; whoever has answered does not wait for that.
                message = GoOnCertifying(answered_in=self.ledger.project_id)
                queue.remember(self.session.info, message)
            if self.ledger.has_changed_what_is_followed:
                queue.remember(self.session.info, FollowPeople(project_id=self.ledger.project_id))
            connection = await driver(await self.session.connection())
            await fetch(connection, *writes, commit=True)
        await self.session.commit()

    async def _go_on(self, spent: ReadRound) -> None:
        """Make sure that the next answer has a round whose budget is not spent.

        An open round closes. One that still selects, and that zero-wait answers have used up, must
        wait for its turn; the answers after those are the first of the round after it.
        """
        if spent.state is RoundState.OPEN:
            await self._close(spent)
        elif spent.state is RoundState.SELECTING and self.ledger.numbered(spent.number + 1) is None:
            project = await self.session.get_one(Project, self.ledger.project_id)
            await self._add([next_round(project, spent.number)])

    async def _close(self, closing: ReadRound) -> None:
        """Close a round; happens once a round, so plain objects will do."""
        project = await self.session.get_one(Project, self.ledger.project_id)
        round_ = await self.session.get_one(Round, closing.id)
        prepared = self.ledger.numbered(closing.number + 1)
        following = await self.session.get_one(Round, prepared.id) if prepared else None
        # What it has spent is written later, and told with the change of state.
        round_.spent = closing.spent
        made, job = close(project, round_, following)
        closing.state = round_.state
        await self._add(made)
        round_.job_id = job.id
        await self.session.flush()
        queue.enqueue(self.session.info, job)
        await self.session.execute(events.round_changed(round_))

    async def _add(self, made: Sequence[object | None]) -> None:
        self.session.add_all([item for item in made if item is not None])
        await self.session.flush()
        for item in made:
            if isinstance(item, Round):
                self.ledger.follow(ReadRound.of(item))


def _writes(ledger: AnswerLedger) -> list[tuple[Any, dict[str, Any]]]:
    columns = zip(*ledger.rows, strict=True)
    found: list[tuple[Any, dict[str, Any]]] = [
        (sql.INSERT, dict(zip(sql.COLUMNS, map(list, columns), strict=True))),
        # A settled example leaves every queue it stands in; a skipped one only this one.
        (sql.FINISH, {"queries": sorted(ledger.answered), "examples": sorted(ledger.settled())}),
    ]
    if ledger.changed:
        outcomes = answered(ledger.said())
        if task_type(ledger.task).of_groups:
            found += [(sql.MARK_GROUPS, outcomes), (sql.MARK_MEMBERS, outcomes)]
        else:
            found.append((sql.MARK_ANSWERED, outcomes))
    if changed := [round_ for round_ in ledger.rounds if round_.changed]:
        spent = {
            "rounds": [round_.id for round_ in changed],
            "spent": [round_.spent for round_ in changed],
        }
        found.append((sql.SPEND, spent))
    return found
