"""FP-Instruction: of each cluster of like rows, the one that a judge ranks first.

Source: thesis, chapter 6, its algorithm. The box overwrites S in each turn where it means a union,
and leaves clusters of exactly two undefined, which are ranked here.
"""

import numpy as np

from models.catalog.params.instructions import FpInstructionParams
from models.protocols import Indices
from models.tasks.instructions.rankings import (
    central_ranking,
    kendall_w,
    kendall_w_p_value,
    ranks_of,
)
from models.tasks.instructions.view import Chosen, InstructionView, Ranked

BEST, NOT_BEST = "best_of_cluster", "not_best"
ALONE_KEPT, ALONE_WRONG, ALONE_DROPPED = "alone_kept", "alone_wrong", "alone_dropped"
TIED, UNRANKED, DRAWN = "tied", "unranked", "drawn_unranked"


def choose(view: InstructionView, params: FpInstructionParams) -> Chosen:
    """Keep one row of each cluster, or none.

    The columns are "rank" (1 the best of its cluster), "w" and "p_value" of the cluster, which need
    two orders at least.

    Raises:
        NotReady: no clusters, or no rankings.
    """
    clusters, rankings = view.given("clusters"), view.given("rankings")
    random = np.random.default_rng(view.seed)
    columns = {name: np.full(view.n, np.nan) for name in ("rank", "w", "p_value")}
    reasons = np.full(view.n, NOT_BEST, dtype="<U24")
    kept: list[int] = []
    order = np.argsort(clusters, kind="stable")
    ends = np.cumsum(np.bincount(clusters))
    for cluster, rows in enumerate(np.split(order, ends[:-1])):
        said = rankings.get(cluster, Ranked())
        # One number a cluster, whatever is said: what is drawn elsewhere does not change.
        lot = float(random.random())
        if len(rows) == 1:
            found, reason = _alone(said, params)
            reasons[rows] = reason
        elif not said.orders:
            found = _lot(range(len(rows)), lot) if params.refusals == "draw" else None
            reasons[rows] = UNRANKED
            reason = DRAWN
        else:
            found, reason = _best(rows, said, params, lot, columns)
            if found is None:
                reasons[rows] = TIED
        if found is not None:
            kept.append(int(rows[found]))
            reasons[rows[found]] = reason
    return Chosen(np.array(kept, dtype=np.int64), reasons, columns)


def _alone(said: Ranked, params: FpInstructionParams) -> tuple[int | None, str]:
    if params.singletons == "drop":
        return None, ALONE_DROPPED
    if params.singletons == "keep" or said.wrong is False:
        return 0, ALONE_KEPT
    if said.wrong:
        return None, ALONE_WRONG
    return (0, DRAWN) if params.refusals == "draw" else (None, UNRANKED)


def _best(
    rows: Indices,
    said: Ranked,
    params: FpInstructionParams,
    lot: float,
    columns: dict[str, np.ndarray],
) -> tuple[int | None, str]:
    """Which row of a ranked cluster is kept, by its place in it; the columns are filled in."""
    n = len(rows)
    central = central_ranking(said.orders, n)
    columns["rank"][rows[list(central.order)]] = np.arange(1, n + 1)
    if len(said.orders) > 1:
        ranks = ranks_of(said.orders, n)
        columns["w"][rows] = kendall_w(ranks)
        columns["p_value"][rows] = kendall_w_p_value(ranks)
    if len(central.firsts) == 1:
        return central.order[0], BEST
    return (_lot(central.firsts, lot) if params.ties == "draw" else None), BEST


def _lot(items: "range | tuple[int, ...]", lot: float) -> int:
    return items[int(lot * len(items))]
