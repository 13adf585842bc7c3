"""What people say of clusters that they were asked to rank, and what a selection makes of it."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import or_, select
from sqlalchemy.orm import Session

from core.artifacts.selections import SelectionReason
from core.states import Source, Verdict
from core.tables import Annotation, Query, QueryMember, Round
from core.tasks.instructions import RankingLabel, members_of, places
from core.tasks.registry import label_of
from core.verdicts.consensus import Vote, as_said, consensus, holds
from core.verdicts.groups import of_group
from models.numerics.intervals import clopper_pearson
from models.tasks.instructions.rankings import kendall_tau

_NO_PLACE: Final = -1

Columns = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class Said:
    """What people say of the rows of a query.

    Attributes:
        places: Place of each example, 0 for the best; those that tie share one.
        wrong: Ids of those that are wrong.
        is_ood: Whether none of them belongs here.
    """

    places: Mapping[int, int]
    wrong: frozenset[int] = frozenset()
    is_ood: bool = False


def said_in(session: Session, round_: Round) -> dict[int, Said]:
    """What people agree on, by each example of the queries of a round."""
    statement = (
        select(Query.example_id, QueryMember.example_id)
        .join(QueryMember, QueryMember.query_id == Query.id)
        .where(Query.round_id == round_.id)
    )
    groups: dict[int, set[int]] = defaultdict(set)
    for first, member in session.execute(statement):
        groups[first].add(member)
    votes = _votes(session, round_)
    found: dict[int, Said] = {}
    for first, members in groups.items():
        vote = consensus(votes[first]) if first in votes else None
        if vote is None:
            continue
        if vote.verdict is Verdict.OOD:
            found |= dict.fromkeys(members, Said(dict.fromkeys(members, 0), is_ood=True))
        elif isinstance(vote.label, RankingLabel) and set(members_of(vote.label)) == members:
            said = Said(places(vote.label), frozenset(vote.label.wrong))
            found |= dict.fromkeys(members, said)
    return found


def _votes(session: Session, round_: Round) -> dict[int, list[Vote]]:
    """What was said of groups, by their first example: in the round, or in a review of a group."""
    queries = select(Query.id).where(Query.round_id == round_.id)
    firsts = select(Query.example_id).where(Query.round_id == round_.id)
    statement = (
        select(
            Annotation.example_id,
            Annotation.verdict,
            Annotation.label,
            Annotation.source == Source.REVIEW,
        )
        .where(
            Annotation.example_id.in_(firsts),
            Annotation.verdict != Verdict.SKIP,
            or_(Annotation.query_id.in_(queries), Annotation.query_id.is_(None)),
            of_group(),
            holds(),
        )
        .order_by(*as_said())
    )
    votes: dict[int, list[Vote]] = defaultdict(list)
    for example_id, verdict, label, is_review in session.execute(statement):
        votes[example_id].append(Vote(verdict, label_of(label), is_review))
    return votes


def follow_people(columns: Columns, said: Mapping[int, Said]) -> dict[str, Any]:
    """Let what people say decide, in place, and compare it with what the judge says.

    Where people put several rows first, that of these is kept which the judge ranks best.

    Args:
        columns: Of a selection, as its job has left it.
        said: By example.

    Returns:
        ``answered``, ``agreement`` of the clusters that were drawn by chance, with the exact 95 %
        interval, and ``tau``, Kendall's, on average over them.
    """
    examples, clusters = columns["example_id"], columns["cluster"]
    answered = np.array([int(one) in said for one in examples.tolist()], dtype=np.bool_)
    agrees: list[bool] = []
    taus: list[float] = []
    of_people = clusters[answered]
    numbers = np.unique(of_people[of_people >= 0])
    order = np.argsort(clusters, kind="stable")
    starts = np.searchsorted(clusters[order], numbers, side="left")
    stops = np.searchsorted(clusters[order], numbers, side="right")
    for start, stop in zip(starts.tolist(), stops.tolist(), strict=True):
        rows = order[start:stop]
        one = said[int(examples[rows[0]])]
        ranks = columns["rank"][rows].astype(np.int64)
        if columns["asked"][rows[0]] == "audit" and (ranks > 0).all():
            best, tau = _compared(examples[rows], ranks, one)
            agrees.append(best)
            if tau is not None:
                taus.append(tau)
        _decided(columns, rows, ranks, one)
    return {
        "answered": len(numbers),
        "agreement": _agreement(agrees),
        "tau": float(np.mean(taus)) if taus else None,
    }


def _agreement(agrees: list[bool]) -> dict[str, Any] | None:
    if not agrees:
        return None
    found = clopper_pearson(sum(agrees), len(agrees))
    return {"agree": sum(agrees), "of": len(agrees), "low": found.low, "high": found.high}


def _compared(
    examples: NDArray[np.int64], ranks: NDArray[np.int64], said: Said
) -> tuple[bool, float | None]:
    """Whether people put first what the judge ranks first; and Kendall's tau of the two orders."""
    if said.is_ood:
        return False, None
    first = int(examples[ranks.argmin()])
    best = said.places[first] == 0 and first not in said.wrong
    theirs = [said.places[one] for one in examples.tolist()]
    return best, kendall_tau(ranks, theirs)


def _decided(
    columns: Columns, rows: NDArray[np.int64], ranks: NDArray[np.int64], said: Said
) -> None:
    """Write into the columns what people say of the rows of a cluster."""
    examples = columns["example_id"][rows].tolist()
    columns["source"][rows], columns["kept"][rows] = "people", False
    columns["rank"][rows] = _NO_PLACE
    if said.is_ood:
        columns["reason"][rows] = SelectionReason.OOD_BY_PEOPLE.value
        return
    last = len(rows) + 1
    judged = np.where(ranks > 0, ranks, last)
    theirs = np.array([said.places[one] for one in examples])
    is_wrong = np.array([one in said.wrong for one in examples])
    order = np.lexsort([columns["pool_index"][rows], judged, theirs])
    order = order[~is_wrong[order]]
    columns["reason"][rows] = SelectionReason.NOT_BEST.value
    columns["reason"][rows[is_wrong]] = SelectionReason.WRONG_BY_PEOPLE.value
    columns["rank"][rows[order]] = np.arange(1, len(order) + 1)
    columns["kept"][rows[order[:1]]] = True
    columns["reason"][rows[order[:1]]] = SelectionReason.BY_PEOPLE.value
