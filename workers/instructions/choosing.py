"""From clusters, and what is said of them, to the columns of a selection, and whom to ask more."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import factorial
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from core.artifacts.selections import ClusterStatus, SelectionReason
from models.protocols import Indices
from models.tasks.instructions.rankings import central_ranking
from models.tasks.instructions.view import Chosen, Ranked
from workers.instructions.judged import Judged

ALPHA: Final = 0.05
"""Orders that chance explains with more than this probability leave a cluster undecided."""
_SAME: Final = 1 - 1e-9
"""W of orders that are all the same, but for rounding."""
_OPEN: Final = (ClusterStatus.UNRANKED, ClusterStatus.UNDECIDED)

Columns = dict[str, NDArray[Any]]


def rankings_of(judged: Iterable[Judged]) -> dict[int, Ranked]:
    """What was said of clusters, as the catalog's methods take it."""
    return {one.number: Ranked(one.orders, one.wrong) for one in judged}


def scores_of(judged: Iterable[Judged], count: int) -> NDArray[np.float64]:
    """(N,) scores of rows, NaN where there is none."""
    scores = np.full(count, np.nan)
    for one in judged:
        if one.score is not None:
            scores[one.number] = one.score
    return scores


def columns_of(
    chosen: Chosen,
    clusters: Indices | None,
    rankings: Mapping[int, Ranked] | None,
    *,
    judged: bool,
) -> Columns:
    """The columns of a selection that a choice fills, (N,) each.

    ``core.artifacts.selections.SCHEMA`` says what they hold.

    Args:
        chosen: What the method has chosen.
        clusters: (N,) numbers of clusters, if rows were put together.
        rankings: What was said of the clusters, if anybody was asked.
        judged: Whether a judge has decided.
    """
    count = len(chosen.reasons)
    nothing = np.full(count, np.nan)
    columns: Columns = {
        "cluster": np.full(count, -1, dtype=np.int64) if clusters is None else clusters,
        "kept": np.zeros(count, dtype=np.bool_),
        "reason": chosen.reasons.astype(object),
        "rank": np.nan_to_num(chosen.columns.get("rank", nothing), nan=-1.0).astype(np.int64),
        "score": chosen.columns.get("score", nothing),
        "w": chosen.columns.get("w", nothing),
        "p_value": chosen.columns.get("p_value", nothing),
        "source": _words(count, "judge" if judged else "method"),
        "status": _words(count, ClusterStatus.PLAIN.value),
        "asked": _words(count, ""),
    }
    columns["kept"][chosen.kept] = True
    not_asked = np.isin(columns["reason"], [SelectionReason.ALONE_DROPPED.value])
    columns["source"][not_asked] = "method"
    if clusters is not None and rankings is not None:
        for number, members in members_of(clusters):
            said = rankings.get(number, Ranked())
            columns["status"][members] = _status(columns, members, said).value
            if not _can_be_rankable(len(members), len(said.orders)):
                columns["p_value"][members] = np.nan
    return columns


def _can_be_rankable(rows: int, orders: int) -> bool:
    """Whether chance would hardly make so many orders of so many rows all the same."""
    return rows > 1 and orders > 1 and factorial(rows) ** (orders - 1) >= 1 / ALPHA


def _words(count: int, value: str) -> NDArray[Any]:
    found = np.empty(count, dtype=object)
    found[:] = value
    return found


def members_of(clusters: Indices) -> Iterator[tuple[int, Indices]]:
    """Number and members of each cluster, by position, both ascending."""
    order = np.argsort(clusters, kind="stable")
    numbers, starts = np.unique(clusters[order], return_index=True)
    yield from zip(numbers.tolist(), np.split(order, starts[1:]), strict=True)


def _status(columns: Columns, members: Indices, said: Ranked) -> ClusterStatus:
    """How sure the judge is of a cluster."""
    first = members[0]
    if len(members) == 1:
        lost = columns["reason"][first] in (
            SelectionReason.UNRANKED,
            SelectionReason.DRAWN_UNRANKED,
        )
        return ClusterStatus.UNRANKED if lost else ClusterStatus.ALONE
    if not said.orders:
        return ClusterStatus.UNRANKED
    if len(said.orders) == 1 or columns["w"][first] >= _SAME:
        return ClusterStatus.DECIDED
    if columns["p_value"][first] > ALPHA:
        return ClusterStatus.UNDECIDED
    # Orders that agree on the whole may still leave open which is best.
    firsts = central_ranking(said.orders, len(members)).firsts
    return ClusterStatus.UNDECIDED if len(firsts) > 1 else ClusterStatus.DECIDED


@dataclass(frozen=True)
class Asked:
    """Clusters that people are to rank.

    Attributes:
        groups: Positions of the members of each, two or more.
        audit: Indices of the groups that were drawn by chance.
    """

    groups: list[Indices]
    audit: set[int]


def people_are_asked(columns: Columns, *, most: int, share: float, seed: int) -> Asked:
    """Choose what people rank, and note it: what the judge leaves open, and a sample of the rest.

    The sample is drawn from all clusters that the judge has ranked, sure or not, so that it says
    how often the judge is right where it ranks.

    Args:
        columns: What the judge says; ``asked`` is filled in.
        most: How many clusters that it leaves open, at most; those first that it did not rank, and
            then by Kendall's W.
        share: Of the ranked clusters that are drawn by chance.
        seed: Decides which.
    """
    clusters = {
        number: members
        for number, members in members_of(columns["cluster"])
        if number >= 0 and len(members) > 1
    }
    status = {number: columns["status"][members[0]] for number, members in clusters.items()}
    ranked = [number for number, one in status.items() if one != ClusterStatus.UNRANKED]
    drawn = np.random.default_rng([seed, 6]).permutation(np.array(ranked, dtype=np.int64))
    audit = sorted(drawn[: round(share * len(ranked))].tolist())
    by_chance = set(audit)
    w = {number: columns["w"][members[0]] for number, members in clusters.items()}
    left = [number for number, one in status.items() if one in _OPEN and number not in by_chance]
    worst = sorted(left, key=lambda number: (np.nan_to_num(w[number], nan=-1.0), number))[:most]
    for number in audit:
        columns["asked"][clusters[number]] = "audit"
    for number in worst:
        columns["asked"][clusters[number]] = "undecided"
    return Asked([clusters[one] for one in (*audit, *worst)], set(range(len(audit))))
