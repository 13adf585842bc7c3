"""How rankings that an import brings become labels: a closed round with a query for each group."""

import uuid
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple

from sqlalchemy import func, insert, select
from sqlalchemy.orm import Session

from core import events
from core.among import among
from core.consensus import Vote, answered, as_said, lock_examples, votes
from core.lifecycle import mark_answered, mark_members, move_round
from core.rounds import lock_unfinished, new_round
from core.states import RoundState, Source, Split, Verdict
from core.tables import Annotation, Example, Job, Project, Query, QueryMember, Round
from core.tasks.instructions import MOST_MEMBERS, RankingLabel, members_of
from core.tasks.registry import label_of, stored
from workers.imports.question_index import Said
from workers.imports.ranked_groups import Group, Grouped
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
        round: Id of the round that they are in, once there is one.
        labels: How many are new.
        too_many: Groups of more rows than one ranking may have.
        incomplete: How many authors leave open how some of the rows of a group compare.
        is_waiting: Whether the rest has to wait until people are done.
    """

    questions: int = 0
    round: int | None = None
    labels: int = 0
    too_many: int = 0
    incomplete: int = 0
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
    found = _grouped(session, project.id, block)
    before = _before(session, [id_ for group in found.groups for id_ in group.members])
    groups = _new(found.groups, before)
    round_id = taken.round
    if groups:
        if round_id is None:
            round_ = _open(session, project, len(groups))
        else:
            round_ = session.get_one(Round, round_id, with_for_update=locked)
        _store(session, round_, job, groups, before)
        _count(session, round_, groups)
        round_id = round_.id
    return replace(
        taken,
        questions=taken.questions + len(block),
        round=round_id,
        labels=taken.labels + sum(len(group.labels) for group in groups),
        too_many=taken.too_many + found.too_many,
        incomplete=taken.incomplete + found.incomplete,
    )


def _grouped(session: Session, project_id: int, block: Sequence[Said]) -> Grouped:
    """The groups of some questions, of rows of the pool."""
    wanted = {row for said in block for _, places in said for row in places}
    statement = select(Example.content_hash, Example.id).where(
        Example.project_id == project_id,
        Example.split == Split.POOL,
        among(Example.content_hash, wanted),
    )
    ids = dict(session.execute(statement).all())
    found = Grouped()
    for said in block:
        known = [
            (author, {ids[row]: place for row, place in places.items() if row in ids})
            for author, places in said
        ]
        found.add([one for one in known if len(one[1]) > 1])
    return found


def _new(groups: Sequence[Group], before: "_Before") -> list[Group]:
    """Without what is the last that the same author has said of the same rows."""
    kept = []
    for group in groups:
        ranked = frozenset(group.members)
        labels = {
            author: label
            for author, label in group.labels.items()
            if (last := before.by_author.get((author, ranked))) is None or last.label != label
        }
        if labels:
            kept.append(Group(group.members, labels))
    return kept


def _open(session: Session, project: Project, groups: int) -> Round:
    """A round that is closed already: all that it holds was asked and answered elsewhere.

    Webhooks are told of ``groups``, those that it begins with.
    """
    last = session.scalar(select(func.max(Round.number)).where(Round.project_id == project.id))
    round_ = new_round(project, 0 if last is None else last + 1)
    round_.strategy = STRATEGY
    round_.queries, round_.budget = groups, float(groups)
    session.add(round_)
    session.flush()
    for state in (RoundState.OPEN, RoundState.CLOSING, RoundState.CLOSED):
        move_round(round_, state)
    return round_


def _count(session: Session, round_: Round, groups: Sequence[Group]) -> None:
    """Add groups to the figures of a round, see ``workers.instructions.closing.figures``.

    Groups of different blocks have no row in common, and nobody ranks one twice in an import; so
    nothing that is there already has to be read again.
    """
    held = [[*group.labels.values()] for group in groups]
    known = {**_NOTHING, "agreement": agreement(()), **round_.metrics}
    round_.metrics = {
        **known,
        "groups": known["groups"] + len(groups),
        "answered": known["answered"] + len(groups),
        "rankings": known["rankings"] + sum(map(len, held)),
        "agreement": together(known["agreement"], agreement(held)),
    }
    round_.queries = round_.metrics["groups"]
    # What was asked elsewhere is paid for.
    round_.budget = float(round_.queries)
    data = {"number": round_.number, "state": round_.state}
    session.execute(events.notify(round_.project_id, events.Topic.ROUND, data))


def _store(
    session: Session, round_: Round, job: Job, groups: Sequence[Group], before: "_Before"
) -> None:
    """Write queries, their members and the labels, and what the rows amount to."""
    project_id = round_.project_id
    members = sorted({id_ for group in groups for id_ in group.members})
    session.execute(lock_examples(among(Example.id, members)))
    said = set(
        session.scalars(select(Annotation.example_id).where(among(Annotation.example_id, members)))
    )
    firsts = [_first(group, before, said) for group in groups]
    queries = [
        {"project_id": project_id, "round_id": round_.id, "example_id": first, "rank": rank,
         "done": True}
        for rank, first in enumerate(firsts, round_.metrics.get("groups", 0))
    ]  # fmt: skip
    ids = session.scalars(
        insert(Query).returning(Query.id, sort_by_parameter_order=True), queries
    ).all()
    placed, rows = [], []
    for query_id, first, group in zip(ids, firsts, groups, strict=True):
        ordered = [first, *(id_ for id_ in group.members if id_ != first)]
        placed += [
            {"query_id": query_id, "place": place, "example_id": id_}
            for place, id_ in enumerate(ordered)
        ]
        ranked = frozenset(group.members)
        for author, label in group.labels.items():
            last = before.by_author.get((author, ranked))
            rows.append(
                {
                    **_row(job, author, label),
                    "project_id": project_id,
                    "round_id": round_.id,
                    "query_id": query_id,
                    "example_id": first,
                    "supersedes_id": None if last is None else last.id,
                }
            )
    session.execute(insert(QueryMember), placed)
    session.execute(insert(Annotation), rows)
    changed: dict[int, list[Vote]] = defaultdict(list)
    for row in session.execute(votes().where(among(Annotation.example_id, firsts))):
        changed[row.example_id].append(Vote.of(row))
    outcomes = answered(changed)
    session.execute(mark_answered(), outcomes)
    session.execute(mark_members(), {"answered": sorted(changed)})


def _row(job: Job, author: str, label: RankingLabel) -> dict[str, Any]:
    return {
        "source": Source.IMPORT,
        "source_name": author,
        "job_id": job.id,
        "client_key": uuid.uuid4(),
        "verdict": Verdict.LABEL,
        "label": stored(label),
        "seconds": 0.0,
        "cost": 0.0,
        "counted": True,
        "created_at": job.created_at,
    }


class _Last(NamedTuple):
    id: int
    label: RankingLabel


class _Before(NamedTuple):
    """Rankings of earlier imports: the latest of each author, and where those of rows are."""

    by_author: dict[tuple[str | None, frozenset[int]], _Last]
    firsts: dict[frozenset[int], int]


def _before(session: Session, members: Sequence[int]) -> _Before:
    statement = (
        select(Annotation.id, Annotation.example_id, Annotation.source_name, Annotation.label)
        .where(
            Annotation.source == Source.IMPORT,
            Annotation.counted,
            among(Annotation.example_id, members),
        )
        .order_by(*as_said())
    )
    found = _Before({}, {})
    for id_, example_id, author, held in session.execute(statement):
        label = label_of(held)
        if isinstance(label, RankingLabel):
            ranked = frozenset(members_of(label))
            found.by_author[author, ranked] = _Last(id_, label)
            found.firsts[ranked] = example_id
    return found


def _first(group: Group, before: _Before, said: Collection[int]) -> int:
    """The row that verdicts on a group are on: so that they are not mixed with others' groups'."""
    known = before.firsts.get(frozenset(group.members))
    return known or next((id_ for id_ in group.members if id_ not in said), group.members[0])
