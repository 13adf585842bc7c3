"""What a selection is, in numbers: for the result of its job, and for the page that shows it."""

from collections import Counter
from typing import Any, Final

import numpy as np

from core.selections import Reason, Status
from models.params.select_instructions import SelectInstructionsParams
from models.protocols import Indices
from workers.instructions.choosing import ALPHA, NO_CLUSTER, Chosen
from workers.instructions.gather import Rows
from workers.instructions.judged import Totals

_EDGES: Final = (0, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192)
"""Of the histograms of lengths, in characters; the last bin has no end."""


def columns_of(rows: Rows, chosen: Chosen) -> dict[str, Any]:
    """The columns of a selection's file: what was chosen from, and what was left out."""
    count = len(rows.left_out)
    left = Chosen.nothing(count)
    left.reason[:] = rows.left_because.tolist()
    indices, examples, lengths = rows.left_out.T
    found = {
        name: np.concatenate([values, getattr(left, name)])
        for name, values in vars(chosen).items()
    }
    return found | {
        "pool_index": np.concatenate([rows.indices, indices]),
        "example_id": np.concatenate([rows.examples, examples]),
        "length": np.concatenate([rows.lengths, lengths]),
    }


def summary_of(
    params: SelectInstructionsParams,
    rows: Rows,
    chosen: Chosen,
    totals: Totals | None,
    judge: dict[str, Any] | None,
) -> dict[str, Any]:
    """What is said of a selection: JSON-ready.

    Args:
        params: Of the job.
        rows: What was chosen from.
        chosen: What became of them.
        totals: What asking a judge came to, if one was asked.
        judge: Which one it was.
    """
    reasons = Counter([*chosen.reason.tolist(), *rows.left_because.tolist()])
    kept = int(chosen.kept.sum())
    return {
        "method": params.method,
        "rows": len(rows),
        "kept": kept,
        "left_out": len(rows.left_out),
        "by_reason": {str(name): count for name, count in sorted(reasons.items())},
        **_clusters(chosen),
        "judge": None if judge is None or totals is None else judge | _asked(totals),
        "lengths": {
            "edges": list(_EDGES),
            "before": _histogram(rows.lengths),
            "after": _histogram(rows.lengths[chosen.kept]),
        },
        "warnings": _warnings(params, rows, chosen, totals),
    }


def _asked(totals: Totals) -> dict[str, Any]:
    return {
        "requests": totals.requests,
        "kept_answers": totals.kept,
        "tokens_in": totals.tokens_in,
        "tokens_out": totals.tokens_out,
        "spent": round(totals.spent, 6),
    }


def _clusters(chosen: Chosen) -> dict[str, Any]:
    inside = chosen.cluster != NO_CLUSTER
    numbers, first, sizes = np.unique(
        chosen.cluster[inside], return_index=True, return_counts=True
    )
    positions = np.flatnonzero(inside)[first]
    status = chosen.status[positions]
    w, p_value = chosen.w[positions], chosen.p_value[positions]
    measured = ~np.isnan(w)
    open_ = Counter(status.tolist())
    rankable = int((p_value[measured] <= ALPHA).sum())
    return {
        "clusters": len(numbers),
        "largest": int(sizes.max(initial=0)),
        "mean_size": float(sizes.mean()) if len(sizes) else None,
        "alone": int((sizes == 1).sum()),
        "ranked": open_[Status.DECIDED.value] + open_[Status.UNDECIDED.value],
        "rankable": {"share": rankable / int(measured.sum()), "of": int(measured.sum())}
        if measured.any()
        else None,
        "undecided": open_[Status.UNDECIDED.value],
        "unranked": open_[Status.UNRANKED.value],
    }


def _histogram(lengths: Indices) -> list[int]:
    bins = np.searchsorted(np.array(_EDGES[1:]), lengths, side="right")
    return np.bincount(bins, minlength=len(_EDGES)).tolist()


def _warnings(
    params: SelectInstructionsParams, rows: Rows, chosen: Chosen, totals: Totals | None
) -> list[str]:
    said = []
    lost = int(np.isin(chosen.reason, [Reason.UNRANKED.value, Reason.REFUSED.value]).sum())
    if lost:
        said.append(
            f"Of {lost:,} of {len(rows):,} rows the judge said nothing that is a ranking, so none of "
            "them is kept: let people rank these clusters (people_most), or take another judge."
        )
    if totals is not None and params.method == "fp_instruction" and params.permutations < 3:
        said.append(
            "Each cluster was ranked in fewer than three orders, so how sure the judge is was not "
            "measured: set permutations to 3 or more."
        )
    if not chosen.kept.any():
        said.append("No row is kept.")
    return said
