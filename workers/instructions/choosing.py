"""From clusters, and what is said of them, to the rows that are kept. Arrays in, columns out."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from core.selections import Reason, Status
from models.instructions.rankings import (
    central_ranking,
    kendall_w,
    kendall_w_p_value,
    ranks_of,
)
from models.protocols import Indices
from workers.instructions.judged import Judged

ALPHA: Final = 0.05
"""Orders that chance explains with more than this probability leave a cluster undecided."""
NO_CLUSTER: Final = -1
_DRAWS: Final = 999
_SAME: Final = 1 - 1e-9
"""W of orders that are all the same, but for rounding."""


@dataclass
class Chosen:
    """Columns of a selection that are being filled in, (N,) each, by position among the rows.

    Attributes:
        cluster: Number, ``NO_CLUSTER`` where there is none.
        kept: Whether it is kept.
        reason: Why, or why not.
        rank: 1 for the best of its cluster, -1 where it has no place.
        score: NaN where there is none.
        w: Kendall's W of the orders of its cluster, NaN where there are fewer than two.
        p_value: Of W, NaN likewise.
        source: Who decided.
        status: How sure the judge is of the cluster.
        asked: Why people are asked about it, or empty.
    """

    cluster: Indices
    kept: NDArray[np.bool_]
    reason: NDArray[Any]
    rank: Indices
    score: NDArray[np.float64]
    w: NDArray[np.float64]
    p_value: NDArray[np.float64]
    source: NDArray[Any]
    status: NDArray[Any]
    asked: NDArray[Any]

    @classmethod
    def nothing(cls, count: int, clusters: Indices | None = None) -> "Chosen":
        """Of so many rows none."""

        def words(value: str) -> NDArray[Any]:
            found = np.empty(count, dtype=object)
            found[:] = value
            return found

        return cls(
            cluster=np.full(count, NO_CLUSTER, np.int64) if clusters is None else clusters,
            kept=np.zeros(count, dtype=np.bool_),
            reason=words(Reason.NOT_CHOSEN.value),
            rank=np.full(count, -1, dtype=np.int64),
            score=np.full(count, np.nan),
            w=np.full(count, np.nan),
            p_value=np.full(count, np.nan),
            source=words("method"),
            status=words(Status.PLAIN.value),
            asked=words(""),
        )

    def say(self, rows: Any, kept: bool, reason: Reason, source: str) -> None:
        """Say of rows what becomes of them."""
        self.kept[rows], self.reason[rows], self.source[rows] = kept, reason.value, source


def members_of(clusters: Indices) -> Iterator[tuple[int, Indices]]:
    """Number and members of each cluster, by position, both ascending.

    Args:
        clusters: (N,) numbers, none of them negative.
    """
    order = np.argsort(clusters, kind="stable")
    numbers, starts = np.unique(clusters[order], return_index=True)
    for number, members in zip(numbers.tolist(), np.split(order, starts[1:]), strict=True):
        yield number, members


def best_of_clusters(
    clusters: Indices,
    judged: Iterable[Judged],
    *,
    singletons: Literal["ask", "keep", "drop"],
    seed: int,
) -> Chosen:
    """Keep the best of each cluster, as a judge ranks it; where nothing was understood, nothing.

    Args:
        clusters: (N,) numbers of clusters.
        judged: What was said of them.
        singletons: What becomes of rows that are alone.
        seed: Decides how chance is measured.
    """
    chosen = Chosen.nothing(len(clusters), clusters)
    said = {one.number: one for one in judged}
    for number, members in members_of(clusters):
        one = said.get(number)
        if len(members) == 1:
            _alone(chosen, members, one, singletons)
        elif one is None or not one.orders:
            refused = one is not None and one.unranked == "refused"
            chosen.say(members, False, Reason.REFUSED if refused else Reason.UNRANKED, "judge")
            chosen.status[members] = Status.UNRANKED.value
        else:
            _ranked(chosen, members, one.orders, seed)
    return chosen


def _alone(chosen: Chosen, members: Indices, one: Judged | None, singletons: str) -> None:
    chosen.status[members] = Status.ALONE.value
    chosen.rank[members] = 1
    if singletons != "ask":
        keeps = singletons == "keep"
        reason = Reason.ALONE_KEPT if keeps else Reason.ALONE_DROPPED
        chosen.say(members, keeps, reason, "method")
    elif one is None or one.wrong is None:
        refused = one is not None and one.unranked == "refused"
        chosen.say(members, False, Reason.REFUSED if refused else Reason.UNRANKED, "judge")
        chosen.status[members], chosen.rank[members] = Status.UNRANKED.value, -1
    else:
        reason = Reason.ALONE_WRONG if one.wrong else Reason.ALONE_KEPT
        chosen.say(members, not one.wrong, reason, "judge")


def _ranked(
    chosen: Chosen, members: Indices, orders: tuple[tuple[int, ...], ...], seed: int
) -> None:
    consensus = central_ranking(orders, len(members))
    central = members[list(consensus.order)]
    chosen.say(members, False, Reason.NOT_BEST, "judge")
    chosen.say(central[:1], True, Reason.BEST_OF_CLUSTER, "judge")
    chosen.rank[central] = np.arange(1, len(members) + 1)
    chosen.status[members] = Status.DECIDED.value
    if len(orders) < 2:  # noqa: PLR2004  one agrees with itself
        return
    ranks = ranks_of(orders, len(members))
    w = kendall_w(ranks)
    p_value = kendall_w_p_value(ranks, permutations=_DRAWS, seed=seed)
    chosen.w[members], chosen.p_value[members] = w, p_value
    # Three orders of two rows cannot be more than alike, and even that chance explains.
    unsure = p_value > ALPHA and w < _SAME
    if unsure or len(consensus.firsts) > 1:
        chosen.status[members] = Status.UNDECIDED.value


def best_scores(clusters: Indices, judged: Iterable[Judged], kept: Any) -> Chosen:
    """Keep rows by their scores.

    Args:
        clusters: (N,) numbers of clusters, which decide nothing.
        judged: What was said of each row.
        kept: From (N,) scores, NaN where there is none, to the positions that are kept.
    """
    chosen = Chosen.nothing(len(clusters), clusters)
    chosen.say(slice(None), False, Reason.UNRANKED, "judge")
    for one in judged:
        if one.score is not None:
            chosen.score[one.number] = one.score
        elif one.unranked == "refused":
            chosen.reason[one.number] = Reason.REFUSED.value
    known = ~np.isnan(chosen.score)
    chosen.say(known, False, Reason.LOW_SCORE, "judge")
    chosen.say(kept(chosen.score), True, Reason.SCORE, "judge")
    return chosen


def picked(count: int, kept: Indices, clusters: Indices | None = None) -> Chosen:
    """Keep the rows at (k,) positions, of so many."""
    chosen = Chosen.nothing(count, clusters)
    chosen.say(kept, True, Reason.CHOSEN, "method")
    return chosen


@dataclass(frozen=True)
class Asked:
    """Clusters that people are to rank.

    Attributes:
        groups: Positions of the members of each, two or more.
        audit: Indices of the groups that were drawn by chance.
    """

    groups: list[Indices]
    audit: set[int]


def people_are_asked(chosen: Chosen, *, most: int, share: float, seed: int) -> Asked:
    """Choose what people rank, and note it: what the judge leaves open, and a sample of the rest.

    The sample is drawn from all clusters that the judge has ranked, sure or not, so that it says
    how often the judge is right where it ranks.

    Args:
        chosen: What the judge says; ``asked`` is filled in.
        most: How many clusters that are undecided, at most; those first that nobody could rank, and
            then by Kendall's W.
        share: Of the ranked clusters that are drawn by chance.
        seed: Decides which.
    """
    clusters: Mapping[int, Indices] = {
        number: members
        for number, members in members_of(chosen.cluster)
        if number != NO_CLUSTER and len(members) > 1
    }
    status = {number: str(chosen.status[members[0]]) for number, members in clusters.items()}
    ranked = [number for number, one in status.items() if one != Status.UNRANKED]
    drawn = np.random.default_rng([seed, 6]).permutation(np.array(ranked, dtype=np.int64))
    audit = sorted(drawn[: round(share * len(ranked))].tolist())
    open_ = [number for number, one in status.items() if one in ("unranked", "undecided")]
    doubt = {number: np.nan_to_num(chosen.w[clusters[number][0]], nan=-1.0) for number in open_}
    worst = sorted(set(open_) - set(audit), key=lambda number: (doubt[number], number))[:most]
    numbers = [*audit, *worst]
    for number in numbers:
        chosen.asked[clusters[number]] = "audit" if number in set(audit) else "undecided"
    return Asked([clusters[number] for number in numbers], set(range(len(audit))))
