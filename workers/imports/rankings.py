"""How rankings that an import brings become labels: a closed round with a query for each group.

What is said of one question comes together, wherever its lines lie in a file. A group are the rows
that are compared with each other, directly or by others; who compares them by and by has one
ranking of them, which contradicts as few of the comparisons as one can.
"""

import sqlite3
import uuid
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any, Final, NamedTuple

from sqlalchemy import func, insert, select
from sqlalchemy.orm import Session

from core import events
from core.among import among
from core.consensus import Vote, answered, lock_examples, votes
from core.lifecycle import mark_answered, mark_members, move_round
from core.rounds import lock_unfinished, new_round
from core.states import RoundState, Source, Split, Verdict
from core.tables import Annotation, Example, Job, Project, Query, QueryMember, Round
from core.tasks.instructions import MOST_MEMBERS, RankingLabel, central_ranking, members_of
from core.tasks.registry import label_of, stored
from workers.imports.ranked import Ranked
from workers.instructions.closing import figures

STRATEGY: Final = "import"
"""What the round of imported rankings is said to be chosen by."""
UNFINISHED: Final = (
    "Its rankings were not taken, as people are ranking now; import it again once their round is "
    "closed."
)
_QUESTIONS: Final = 500

Places = Mapping[int, float]


@dataclass
class Taken:
    """What came of the rankings of an import.

    Attributes:
        labels: How many are new.
        groups: Of how many groups.
        too_many: Groups of more rows than one ranking may have.
        incomplete: Rankings that leave out rows which others compare with theirs.
    """

    labels: int = 0
    groups: int = 0
    too_many: int = 0
    incomplete: int = 0
    is_waiting: bool = False

    @property
    def notes(self) -> list[str]:
        """What is to be said of them."""
        found = [UNFINISHED] if self.is_waiting else []
        if self.labels:
            found.append(f"{self.labels:,} rankings came in as labels.")
        if self.too_many:
            found.append(
                f"{self.too_many:,} questions have more than {MOST_MEMBERS} answers that are "
                "compared; their rows are there, and their rankings are not."
            )
        if self.incomplete:
            found.append(
                f"{self.incomplete:,} rankings leave out answers that others rank beside theirs, "
                "and were not taken."
            )
        return found


@dataclass(frozen=True)
class _Group:
    """Rows that are compared, by id, and the ranking of each author."""

    members: tuple[int, ...]
    labels: dict[str, RankingLabel] = field(default_factory=dict)


def write_rankings(
    session: Session, project: Project, job: Job, said: Iterable[Ranked], work: Path
) -> Taken:
    """Store rankings that are not there yet, and what their rows amount to.

    Args:
        session: In a transaction; the rows are there.
        project: Whose rows they are of.
        job: The import.
        said: The rankings of the file.
        work: Folder of the job, where they are sorted.
    """
    taken = Taken()
    path = work / "rankings.sqlite"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    index = sqlite3.connect(path, isolation_level=None)
    try:
        if not _sort(index, said):
            return taken
        # Locked in the order that everybody keeps: job, project, rounds.
        session.get_one(Project, project.id, with_for_update={"key_share": True})
        if session.scalars(lock_unfinished(project.id)).all():
            taken.is_waiting = True
            return taken
        round_: Round | None = None
        for block in _blocks(index):
            groups = _new(session, project.id, _groups(session, project.id, block, taken))
            if groups:
                round_ = round_ or _open(session, project)
                _store(session, project.id, round_, job, groups)
                taken.groups += len(groups)
                taken.labels += sum(len(one.labels) for one in groups)
        if round_ is not None:
            _close(session, round_, taken.groups)
        return taken
    finally:
        index.close()


def _sort(index: sqlite3.Connection, said: Iterable[Ranked]) -> bool:
    """Have on disk what is said, by question and author; whether there is any."""
    index.execute("PRAGMA journal_mode = OFF")
    index.execute("PRAGMA synchronous = OFF")
    index.execute(
        "CREATE TABLE said (question BLOB, author TEXT, number INT, row BLOB, place REAL)"
    )
    index.execute("BEGIN")
    for number, one in enumerate(said, 1):
        which = 0 if one.is_part else number
        index.executemany(
            "INSERT INTO said VALUES (?, ?, ?, ?, ?)",
            ((one.question, one.author, which, key, place) for key, place in one.places.items()),
        )
    index.execute("COMMIT")
    index.execute("CREATE INDEX by_question ON said (question, author, number)")
    return index.execute("SELECT 1 FROM said LIMIT 1").fetchone() is not None


Said = list[tuple[str, dict[bytes, float]]]


def _blocks(index: sqlite3.Connection) -> Iterator[list[Said]]:
    """What is said of each question, some hundreds of them at a time."""
    rows = index.execute(
        "SELECT question, author, number, row, place FROM said "
        "ORDER BY question, author, number, rowid"
    )
    block: list[Said] = []
    for _, of_question in groupby(rows, key=lambda row: row[0]):
        block.append(
            [
                (author, {row: place for _, _, _, row, place in some})
                for (author, _), some in groupby(of_question, key=lambda row: (row[1], row[2]))
            ]
        )
        if len(block) == _QUESTIONS:
            yield block
            block = []
    if block:
        yield block


def _groups(session: Session, project_id: int, block: Sequence[Said], taken: Taken) -> list[_Group]:
    """The groups of some questions, of rows of the pool."""
    wanted = {row for said in block for _, places in said for row in places}
    statement = select(Example.content_hash, Example.id).where(
        Example.project_id == project_id,
        Example.split == Split.POOL,
        among(Example.content_hash, wanted),
    )
    ids = dict(session.execute(statement).all())
    found: list[_Group] = []
    for said in block:
        known = [
            (author, {ids[row]: place for row, place in places.items() if row in ids})
            for author, places in said
        ]
        found += _of_question([one for one in known if len(one[1]) > 1], taken)
    return found


def _of_question(said: Sequence[tuple[str, Places]], taken: Taken) -> list[_Group]:
    groups = []
    for members in _connected([places for _, places in said]):
        if len(members) > MOST_MEMBERS:
            taken.too_many += 1
            continue
        by_author: dict[str, list[Places]] = defaultdict(list)
        for author, places in said:
            if places.keys() <= members:
                by_author[author].append(places)
        group = _Group(tuple(sorted(members)))
        for author, rankings in by_author.items():
            if set().union(*rankings) < members:
                taken.incomplete += 1
            else:
                order = central_ranking([_places(one) for one in rankings])
                tied = tuple(tuple(sorted(one)) for one in order)
                group.labels[author] = RankingLabel(type="instructions", order=tied)
        if group.labels:
            groups.append(group)
    return groups


def _connected(rankings: Iterable[Places]) -> list[set[int]]:
    """Sets of rows that are compared with each other, directly or by others."""
    found: list[set[int]] = []
    for ranking in rankings:
        touched = [one for one in found if one & ranking.keys()]
        found = [one for one in found if not one & ranking.keys()]
        found.append({*ranking}.union(*touched))
    return found


def _places(ranking: Places) -> dict[int, int]:
    """Places counted from 0 for the best."""
    values = sorted({*ranking.values()})
    return {id_: values.index(place) for id_, place in ranking.items()}


def _new(session: Session, project_id: int, groups: Sequence[_Group]) -> list[_Group]:
    """Without what the same author has said before."""
    members = {id_ for group in groups for id_ in group.members}
    statement = select(Annotation.source_name, Annotation.label).where(
        Annotation.project_id == project_id,
        Annotation.source == Source.IMPORT,
        Annotation.counted,
        among(Annotation.example_id, members),
    )
    before = {(author, label_of(label)) for author, label in session.execute(statement)}
    kept = [
        _Group(
            group.members,
            {who: label for who, label in group.labels.items() if (who, label) not in before},
        )
        for group in groups
    ]
    return [group for group in kept if group.labels]


def _open(session: Session, project: Project) -> Round:
    last = session.scalar(select(func.max(Round.number)).where(Round.project_id == project.id))
    round_ = new_round(project, 0 if last is None else last + 1)
    round_.strategy = STRATEGY
    session.add(round_)
    session.flush()
    return round_


def _close(session: Session, round_: Round, groups: int) -> None:
    session.flush()
    round_.queries = groups
    # All that it holds was asked and answered elsewhere.
    round_.budget = float(groups)
    round_.metrics = {"groups": groups, "audit": 0, **figures(session, round_)}
    for state in (RoundState.OPEN, RoundState.CLOSING, RoundState.CLOSED):
        move_round(round_, state)
    data = {"number": round_.number, "state": round_.state}
    session.execute(events.notify(round_.project_id, events.Topic.ROUND, data))


def _store(
    session: Session, project_id: int, round_: Round, job: Job, groups: Sequence[_Group]
) -> None:
    """Write queries, their members and the labels, and what the rows amount to."""
    members = sorted({id_ for group in groups for id_ in group.members})
    session.execute(lock_examples(among(Example.id, members)))
    before = _before(session, members)
    said = set(
        session.scalars(select(Annotation.example_id).where(among(Annotation.example_id, members)))
    )
    firsts = [_first(group, before, said) for group in groups]
    queries = [
        {"project_id": project_id, "round_id": round_.id, "example_id": first, "rank": rank,
         "done": True}
        for rank, first in enumerate(firsts)
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
        rows += [
            {
                **_row(job, author, label),
                "project_id": project_id,
                "round_id": round_.id,
                "query_id": query_id,
                "example_id": first,
                "supersedes_id": before.by_author.get((author, frozenset(group.members))),
            }
            for author, label in group.labels.items()
        ]
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


class _Before(NamedTuple):
    """Rankings of earlier imports: the latest of each author, and where those of rows are."""

    by_author: dict[tuple[str | None, frozenset[int]], int]
    firsts: dict[frozenset[int], int]


def _before(session: Session, members: Sequence[int]) -> _Before:
    statement = (
        select(Annotation.id, Annotation.example_id, Annotation.source_name, Annotation.label)
        .where(
            Annotation.source == Source.IMPORT,
            Annotation.counted,
            among(Annotation.example_id, members),
        )
        .order_by(Annotation.id)
    )
    found = _Before({}, {})
    for id_, example_id, author, held in session.execute(statement):
        label = label_of(held)
        if isinstance(label, RankingLabel):
            ranked = frozenset(members_of(label))
            found.by_author[author, ranked] = id_
            found.firsts[ranked] = example_id
    return found


def _first(group: _Group, before: _Before, said: Collection[int]) -> int:
    """The row that verdicts on a group are on: so that they are not mixed with others' groups'."""
    known = before.firsts.get(frozenset(group.members))
    return known or next((id_ for id_ in group.members if id_ not in said), group.members[0])
