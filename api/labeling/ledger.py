"""What the answers that share a transaction amount to, given what is known: no I/O."""

import uuid
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from api.labeling import status
from api.labeling.results import rejected, result_of
from api.labeling.schemas import AnswerIn, AnswerResult
from api.labeling.status import ReadRound
from core.rounds import is_spent
from core.states import RoundState, Verdict
from core.tasks.registry import stored_text, task_type
from core.verdicts.class_names import ClassNames, Refusal, label_refusal
from core.verdicts.consensus import Vote, is_settled, opinions


@dataclass(frozen=True, slots=True)
class Submission:
    """The answers of one request."""

    annotator_id: int
    answers: Sequence[AnswerIn]


@dataclass(frozen=True, slots=True)
class StoredAnswer:
    """The part of an annotation that later answers depend on."""

    id: int
    client_key: uuid.UUID
    query_id: int
    annotator_id: int
    round_id: int
    verdict: Verdict
    counted: bool


@dataclass(frozen=True, slots=True)
class HeldVote:
    """A vote on an example, and whose it is; nobody's if it was imported."""

    id: int
    annotator_id: int | None
    vote: Vote


@dataclass(frozen=True, slots=True)
class Decision:
    """What becomes of one answer.

    Attributes:
        result: What its client hears.
        spent: The round whose budget it has used up. Before the next answer is decided, that round
            must be closed, or be followed by another: see ``follow``.
    """

    result: AnswerResult
    spent: ReadRound | None = None


@dataclass(slots=True)
class AnswerLedger:
    """Which answers count and what they change; decides them one after the other.

    Attributes:
        project_id: The project that is answered for.
        members: Who may answer.
        rounds: Those that are not closed, and those that the answers refer to, by number. What they
            have spent is brought up to date.
        task: The project's task type.
        classes_version: Of the project's classes.
        names: What these are called.
        queries: All queries of the examples that are answered, by id.
        more_queries: Whether the open round has queries of other examples, or a certificate will
            put some there.
        stored: Annotations of these queries that are there already, by id.
        votes: What is said of each example, oldest first; brought up to date as answers are
            decided.
        ids: Ids for new annotations, one for each answer.
        shown: Width and height of each example, where labels depend on them.
        groups: The examples of each query that asks about several together.
        withdrawn: Examples that were withdrawn: what is said of them is kept, and counts for
            nothing.
        rows: New annotations, in the order of ``statements.COLUMNS``.
        changed: Examples with a new vote, and of how many annotators each wants one.
        answered: Queries with a new annotation.
    """

    project_id: int
    members: frozenset[int]
    rounds: list[ReadRound]
    task: str
    classes_version: int
    names: ClassNames
    queries: dict[int, Any]
    more_queries: bool
    stored: Sequence[StoredAnswer]
    votes: dict[int, list[HeldVote]]
    ids: Iterator[int]
    shown: Mapping[int, Any] = field(default_factory=dict)
    groups: Mapping[int, Collection[int]] = field(default_factory=dict)
    asked_again: Collection[int] = ()
    withdrawn: Collection[int] = ()
    rows: list[tuple[Any, ...]] = field(default_factory=list)
    changed: dict[int, int] = field(default_factory=dict)
    answered: set[int] = field(default_factory=set)
    # Annotations by client key, and of each (query, annotator) the latest that counts, or else the
    # latest: those stored before and those decided here.
    _known: dict[uuid.UUID, StoredAnswer] = field(init=False)
    _heads: dict[tuple[int, int], StoredAnswer] = field(init=False)

    def __post_init__(self) -> None:
        """Find the latest annotations."""
        self._known = {row.client_key: row for row in self.stored}
        # Ordered by id, those that count last, so that the one that is wanted stays.
        self._heads = {
            (row.query_id, row.annotator_id): row
            for row in sorted(self.stored, key=lambda row: row.counted)
        }

    def decide(self, annotator_id: int, answer: AnswerIn) -> Decision:
        """Settle one answer of a member, given those before it."""
        if (twin := self._known.get(answer.key)) is not None:
            return Decision(self._repeat(annotator_id, answer, twin))
        query = self.queries.get(answer.query_id)
        if query is None:
            return Decision(rejected(answer, "unknown_query", "This project has no such query."))
        if answer.label is not None:
            refusal = self._refusal(query, answer)
            if refusal is not None:
                return Decision(rejected(answer, *refusal))
        is_over = self._is_over(query)
        corrects = answer.supersedes and not (is_over and query.id in self.asked_again)
        head = self._heads.get((query.id, annotator_id)) if corrects else None
        wanted = not is_over and self._is_wanted(query, annotator_id)
        held = next(
            (one for one in self.votes[query.example_id] if head and one.id == head.id), None
        )
        # A skip was no vote: whoever takes it back comes after those who have voted since.
        replaces = held is not None and (wanted or held.vote.verdict is not Verdict.SKIP)
        counted = (replaces or wanted) and not self._is_withdrawn(query)
        round_, cost = self._charge(answer, query, head if replaces else None, counted)
        stored = StoredAnswer(
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
        result = result_of(answer, stored, round_.number, "accepted" if counted else "late")
        return Decision(
            result, round_ if counted and is_spent(round_.spent, round_.budget) else None
        )

    def follow(self, made: ReadRound) -> None:
        """Note a round that was made: it may be the one that the next answer counts towards."""
        self.rounds.append(made)

    def numbered(self, number: int) -> ReadRound | None:
        """The round of that number, if it is known."""
        return next((round_ for round_ in self.rounds if round_.number == number), None)

    def unfinished(self) -> list[ReadRound]:
        """The rounds that are not closed."""
        return [item for item in self.rounds if item.state is not RoundState.CLOSED]

    def said(self) -> dict[int, list[Vote]]:
        """What is said of each example with a new vote."""
        return {example: [held.vote for held in self.votes[example]] for example in self.changed}

    def settled(self) -> set[int]:
        """Examples that got a vote here and need no more."""
        return {
            example
            for example, wanted in self.changed.items()
            if is_settled([held.vote for held in self._standing(example)], wanted)
        }

    def emptied(self) -> ReadRound | None:
        """The open round, if after these answers nothing is left in its queue, or comes into it."""
        open_round = next((item for item in self.rounds if item.state is RoundState.OPEN), None)
        if open_round is None or self.more_queries:
            return None
        settled = self.settled()
        left = any(
            query.round_id == open_round.id
            and not query.done
            and query.id not in self.answered
            and query.example_id not in settled
            for query in self.queries.values()
        )
        return None if left else open_round

    def _shown(self, answer: AnswerIn) -> int | None:
        """The version of the classes that an answer was given to; None if nobody knows."""
        version = answer.classes_version
        return version if version is not None and version <= self.classes_version else None

    def _refusal(self, query: Any, answer: AnswerIn) -> Refusal | None:
        """Why the label of an answer may not be stored."""
        assert answer.label is not None
        shown = self.shown.get(query.example_id)
        size = None if shown is None or shown.width is None else (shown.width, shown.height)
        version, members = self._shown(answer), self.groups.get(query.id, ())
        return label_refusal(answer.label, self.task, self.names, version, size, members)

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
            if held.id <= after and opinions([held.vote])
        ]
        own = [held for held in doubted if held.annotator_id == annotator_id]
        return next((held.id for held in own or doubted), None)

    def _standing(self, example_id: int, answering: Any = None) -> list[HeldVote]:
        """What is said of an example, but for votes that open queries ask about again."""
        asking = [
            query.again_after or 0
            for query in self.queries.values()
            if query.example_id == example_id
            and (query is answering or not (query.done or query.id in self.answered))
        ]
        after = max(asking, default=0)
        return [held for held in self.votes[example_id] if held.id > after]

    def _is_withdrawn(self, query: Any) -> bool:
        """Whether an example of a query was withdrawn meanwhile."""
        members = {query.example_id, *self.groups.get(query.id, ())}
        return not members.isdisjoint(self.withdrawn)

    def _is_over(self, query: Any) -> bool:
        """Whether the round has closed that asked about a group: nobody else is heard on it."""
        if not task_type(self.task).of_groups:
            return False
        asking = next(one for one in self.rounds if one.id == query.round_id)
        return asking.state is RoundState.CLOSED

    @property
    def has_changed_what_is_followed(self) -> bool:
        """Whether a vote has changed here on a group of which a selection follows people."""
        changed = (query for query in self.queries.values() if query.example_id in self.changed)
        return any(map(self._is_over, changed))

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

    def _repeat(self, annotator_id: int, answer: AnswerIn, twin: StoredAnswer) -> AnswerResult:
        if (twin.annotator_id, twin.query_id) != (annotator_id, answer.query_id):
            return rejected(
                answer, "key_conflict", "This key belongs to another answer; make a new one."
            )
        number = next((item.number for item in self.rounds if item.id == twin.round_id), None)
        return result_of(answer, twin, number, "duplicate")

    def _charge(
        self, answer: AnswerIn, query: Any, replaced: StoredAnswer | None, counted: bool
    ) -> tuple[ReadRound, float]:
        """The round an answer belongs to, and what it takes from that round's budget.

        A correction stays with the answer it corrects, so that a round's share of OOD is right, and
        is charged the difference.
        """
        by_id = {round_.id: round_ for round_ in self.rounds}
        if replaced is not None:
            round_ = by_id[replaced.round_id]
        else:
            round_ = status.counting_round(self.unfinished()) or by_id[query.round_id]
        if not counted:
            return round_, 0.0
        cost = round_.cost.of(answer.verdict, answer.seconds)
        if replaced is not None and round_.cost.mode == "fixed":
            cost -= round_.cost.of(replaced.verdict, 0.0)
        round_.spent += cost
        round_.changed = True
        return round_, cost

    def _remember(
        self, stored: StoredAnswer, query: Any, answer: AnswerIn, cost: float, corrected: int | None
    ) -> None:
        self._known[stored.client_key] = stored
        pair = (stored.query_id, stored.annotator_id)
        # A late answer is not what its annotator goes back to while another one counts.
        if stored.counted or not (pair in self._heads and self._heads[pair].counted):
            self._heads[pair] = stored
        self.answered.add(query.id)
        if stored.counted:
            votes = self.votes[query.example_id]
            votes[:] = [held for held in votes if held.id != corrected]
            vote = Vote(answer.verdict, answer.label)
            votes.append(HeldVote(stored.id, stored.annotator_id, vote))
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
                # Words tell what is in an example, which was withdrawn for that.
                None if self._is_withdrawn(query) else answer.note,
            )
        )
