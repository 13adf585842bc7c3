"""How rankings that an import brings become labels: a closed round with a query for each group."""

import uuid
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import groupby
from typing import Any, Final, NamedTuple

from sqlalchemy import func, insert, select
from sqlalchemy.orm import Session

from core import events
from core.database.among import among
from core.lifecycle import mark_answered, mark_members, move_round, tell_round
from core.rounds import lock_unfinished, new_round, next_number
from core.states import RoundState, Source, Split, Verdict
from core.tables import Annotation, Example, Job, Project, Query, QueryMember, Round, User
from core.tasks.instructions import MOST_MEMBERS, RankingLabel, members_of
from core.tasks.registry import label_of, stored
from core.verdicts.consensus import Vote, answered, as_said, lock_examples, votes
from core.verdicts.groups import of_group
from workers.imports.question_index import Said, holding
from workers.imports.ranked_groups import Group, Grouped, by_id
from workers.instructions.closing import agreement, together

STRATEGY: Final = "import"
"""What the round of imported rankings is said to be chosen by."""
UNFINISHED: Final = (
    "Its rankings were not taken, as people are ranking now; import it again once their round is "
    "closed."
)
_REST: Final = (
    "Its other rankings were not taken, as people are ranking now; import it again once their "
    "round is closed."
)
_NOTHING: Final = dict.fromkeys(
    ("groups", "audit", "answered", "rankings", "ood", "unsure", "wrong"), 0
)


@dataclass(frozen=True)
class Taken:
    """What came of the rankings of an import, as far as it is; part of its checkpoint.

    Attributes:
        questions: How many are done.
        asked: In which round of the file the last of them were given.
        round: Id of the round here that those are in, from its first to its last.
        labels: How many are new.
        too_many: Groups of more rows than one ranking may have.
        incomplete: How many authors leave open how some of the rows of a group compare.
        shared: Groups none of whose rows could stand for them, as each does for another.
        passed: Votes that their authors have taken back by another of the same group.
        is_waiting: Whether the rest has to wait until people are done.
    """

    questions: int = 0
    asked: int = 0
    round: int | None = None
    labels: int = 0
    too_many: int = 0
    incomplete: int = 0
    shared: int = 0
    passed: int = 0
    is_waiting: bool = False

    @property
    def notes(self) -> list[str]:
        """What is to be said of them."""
        found = []
        if self.is_waiting:
            found.append(_REST if self.labels else UNFINISHED)
        if self.labels:
            found.append(f"{self.labels:,} rankings came in as labels.")
        if self.too_many:
            found.append(
                f"{self.too_many:,} questions have more than {MOST_MEMBERS} answers that are "
                "compared; their rows are there, and their rankings are not."
            )
        if self.incomplete:
            found.append(
                f"{self.incomplete:,} rankings leave open how some answers compare that are ranked "
                "together, and were not taken."
            )
        if self.shared:
            found.append(
                f"{self.shared:,} groups share each of their rows with another group; their "
                "rankings were not taken."
            )
        if self.passed:
            found.append(
                f"{self.passed:,} rankings were not taken, as the same author said something else "
                "of these rows later, or decided on them in a review."
            )
        return found


def write_rankings(session: Session, job: Job, block: Sequence[Said], taken: Taken) -> Taken:
    """Store the rankings of some questions that are not there yet, and what their rows amount to.

    Args:
        session: In a transaction; the rows are there.
        job: The import, locked.
        block: What is said of the questions.
        taken: What came of those before.

    Returns:
        What came of these and those before. The round is closed whenever this returns, so that an
        import that ends half-way leaves nothing for people to wait for.
    """
    assert job.project_id is not None
    # Locked in the order that everybody keeps: job, project, rounds.
    locked = {"key_share": True}
    project = session.get_one(Project, job.project_id, with_for_update=locked)
    if session.scalars(lock_unfinished(project.id)).all():
        return replace(taken, is_waiting=True)
    for asked, some in groupby(block, key=lambda said: said[0].asked):
        if asked != taken.asked:
            taken = replace(tell_round_of(session, taken), asked=asked)
        taken = _write(session, project, job, [*some], taken)
    return taken


def tell_round_of(session: Session, taken: Taken) -> Taken:
    """Tell webhooks of the round that rankings were stored in, now that it holds all of its own.

    Args:
        session: In a transaction.
        taken: What came of the rankings so far.

    Returns:
        The same without the round, so that it is told once.
    """
    if taken.round is not None:
        tell_round(session.get_one(Round, taken.round))
    return replace(taken, round=None)


def _write(
    session: Session, project: Project, job: Job, block: Sequence[Said], taken: Taken
) -> Taken:
    """Store the rankings of some questions of one round; see ``write_rankings``."""
    held = [holding(said) for said in block]
    found = _grouped(session, project.id, held)
    before = _before(session, [id_ for group in found.groups for id_ in group.members])
    groups = _new(found.groups, before)
    round_: Round | None = None
    if taken.round is not None:
        round_ = session.get_one(Round, taken.round, with_for_update={"key_share": True})
    placed = _placed(session, round_, groups, before)
    if placed:
        round_ = round_ or _open(session, project)
        _store(session, round_, job, placed, before)
        _count(session, round_, [one.group for one in placed])
    return replace(
        taken,
        questions=taken.questions + len(block),
        round=None if round_ is None else round_.id,
        labels=taken.labels + sum(len(one.group.labels) for one in placed),
        too_many=taken.too_many + found.too_many,
        incomplete=taken.incomplete + found.incomplete,
        shared=taken.shared + len(groups) - len(placed),
        passed=taken.passed
        + sum(bool(one.places) for said in block for one in said)
        - sum(map(len, held)),
    )


def _grouped(session: Session, project_id: int, block: Sequence[Said]) -> Grouped:
    """The groups of some questions, of rows of the pool."""
    wanted = {row for said in block for one in said for row in one.places}
    statement = select(Example.content_hash, Example.id).where(
        Example.project_id == project_id,
        Example.split == Split.POOL,
        among(Example.content_hash, wanted),
    )
    ids = dict(session.execute(statement).all())
    found = Grouped()
    for said in block:
        known = [
            (one.author, {ids[row]: place for row, place in one.places.items() if row in ids})
            for one in said
        ]
        first = len(found.groups)
        found.add([one for one in known if len(one[1]) > 1])
        for group in found.groups[first:]:
            group.given.update({one.author: (one.seconds, one.at) for one in said})
    return found


def _new(groups: Sequence[Group], before: "_Before") -> list[Group]:
    """Without what its author has said of the same rows last, or said at the same time."""
    kept = []
    for group in groups:
        ranked = frozenset(group.members)
        labels = {
            author: label
            for author, label in group.labels.items()
            if before.latest.get((author, ranked)) != label
            and (author, label, group.given[author][1]) not in before.said
        }
        if labels:
            kept.append(Group(group.members, labels, group.given))
    return kept


def _open(session: Session, project: Project) -> Round:
    """A round that is closed already: all that it holds was asked and answered elsewhere.

    Webhooks are told nothing yet of so little of it, see ``tell_round_of``.
    """
    round_ = new_round(project, session.scalars(next_number(project.id)).one())
    round_.strategy = STRATEGY
    for state in (RoundState.OPEN, RoundState.CLOSING, RoundState.CLOSED):
        move_round(round_, state)
    session.add(round_)
    session.flush()
    return round_


def _count(session: Session, round_: Round, groups: Sequence[Group]) -> None:
    """Add groups to the figures of a round, see ``workers.instructions.closing.figures``.

    Nobody ranks a group twice in an import, so that nothing that is there already has to be read
    again; a row that is wrong in groups of different blocks counts in each.
    """
    held = [[*group.labels.values()] for group in groups]
    known = {**_NOTHING, "agreement": agreement(()), **round_.metrics}
    round_.metrics = {
        **known,
        "groups": known["groups"] + len(groups),
        "answered": known["answered"] + len(groups),
        "rankings": known["rankings"] + sum(map(len, held)),
        "wrong": known["wrong"] + len({id_ for some in held for one in some for id_ in one.wrong}),
        "agreement": together(known["agreement"], agreement(held)),
    }
    round_.queries = round_.metrics["groups"]
    # What was asked elsewhere is paid for.
    round_.budget = float(round_.queries)
    session.execute(events.round_changed(round_))


class _Placed(NamedTuple):
    """A group, and the row that verdicts on it are on."""

    group: Group
    first: int


def _placed(
    session: Session, round_: Round | None, groups: Sequence[Group], before: "_Before"
) -> list[_Placed]:
    """Find a row for each group, without those groups for which none is left.

    So that they are not mixed, no two of a round are on one row, and on none of which something was
    said before if there is another.

    Args:
        session: In a transaction.
        round_: That which the groups will be in, locked; ``None`` if there is none yet.
        groups: What is to be stored.
        before: What is there.
    """
    members = sorted({id_ for group in groups for id_ in group.members})
    session.execute(lock_examples(among(Example.id, members)))
    said = set(
        session.scalars(select(Annotation.example_id).where(among(Annotation.example_id, members)))
    )
    taken = set[int]()
    if round_ is not None:
        queries = select(Query.example_id).where(Query.round_id == round_.id)
        taken.update(session.scalars(queries.where(among(Query.example_id, members))))
    found = []
    for group in groups:
        known = before.firsts.get(frozenset(group.members))
        # Of equals the first; False comes before True.
        free = sorted((id_ for id_ in group.members if id_ not in taken), key=said.__contains__)
        first = known if known in free else next(iter(free), None)
        if first is not None:
            taken.add(first)
            found.append(_Placed(group, first))
    return found


def _store(
    session: Session, round_: Round, job: Job, placed: Sequence[_Placed], before: "_Before"
) -> None:
    """Write queries, their members and the labels, and what the rows amount to."""
    project_id = round_.project_id
    firsts = [one.first for one in placed]
    queries = [
        {"project_id": project_id, "round_id": round_.id, "example_id": first, "rank": rank,
         "done": True}
        for rank, first in enumerate(firsts, round_.metrics.get("groups", 0))
    ]  # fmt: skip
    ids = session.scalars(
        insert(Query).returning(Query.id, sort_by_parameter_order=True), queries
    ).all()
    members, rows = [], []
    for query_id, (group, first) in zip(ids, placed, strict=True):
        ordered = [first, *(id_ for id_ in group.members if id_ != first)]
        members += [
            {"query_id": query_id, "place": place, "example_id": id_}
            for place, id_ in enumerate(ordered)
        ]
        ranked = frozenset(group.members)
        for author, label in group.labels.items():
            rows.append(
                {
                    **_row(job, author, label, *group.given[author]),
                    "project_id": project_id,
                    "round_id": round_.id,
                    "query_id": query_id,
                    "example_id": first,
                    "supersedes_id": before.imported.get((author, ranked)),
                }
            )
    session.execute(insert(QueryMember), members)
    session.execute(insert(Annotation), rows)
    changed: dict[int, list[Vote]] = defaultdict(list)
    for row in session.execute(votes().where(among(Annotation.example_id, firsts), of_group())):
        changed[row.example_id].append(Vote.of(row))
    outcomes = answered(changed)
    session.execute(mark_answered(of_groups=True), outcomes)
    session.execute(mark_members(), outcomes)


def _row(
    job: Job, author: str, label: RankingLabel, seconds: float, at: datetime | None
) -> dict[str, Any]:
    return {
        "source": Source.IMPORT,
        "source_name": author,
        "job_id": job.id,
        "client_key": uuid.uuid4(),
        "verdict": Verdict.LABEL,
        "label": stored(label),
        "seconds": seconds,
        "cost": 0.0,
        "counted": True,
        "created_at": at or job.created_at,
    }


class _Before(NamedTuple):
    """Rankings that are there, by authors as exports name them, and by rows.

    Attributes:
        latest: What an author has said of rows last, in an import or here.
        said: All that was ever said, and when.
        imported: Of an author's last import about rows the annotation, which another corrects; what
            people say here no import does.
        firsts: Which row the imports about rows are on.
    """

    latest: dict[tuple[str, frozenset[int]], RankingLabel]
    said: set[tuple[str, RankingLabel, datetime | None]]
    imported: dict[tuple[str, frozenset[int]], int]
    firsts: dict[frozenset[int], int]


def _before(session: Session, members: Sequence[int]) -> _Before:
    statement = (
        select(
            Annotation.id,
            Annotation.example_id,
            Annotation.source,
            func.coalesce(User.email, Annotation.source_name).label("author"),
            Annotation.label,
            Annotation.created_at,
            Annotation.supersedes_id,
        )
        .outerjoin(User, User.id == Annotation.annotator_id)
        .where(
            Annotation.source.in_((Source.IMPORT, Source.ANNOTATOR, Source.REVIEW)),
            Annotation.counted,
            among(Annotation.example_id, members),
        )
        .order_by(*as_said())
    )
    found = _Before({}, set(), {}, {})
    rows = session.execute(statement).all()
    corrected = {row.supersedes_id for row in rows}
    for row in rows:
        label = label_of(row.label)
        if isinstance(label, RankingLabel):
            label = by_id(label)
            ranked, holds = frozenset(members_of(label)), row.id not in corrected
            found.said.add((row.author, label, row.created_at))
            if holds:
                found.latest[row.author, ranked] = label
            if row.source is Source.IMPORT:
                found.firsts[ranked] = row.example_id
                if holds:
                    found.imported[row.author, ranked] = row.id
    return found
