"""What a selection is, in numbers: for the result of its job, and for the page that shows it."""

from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from core.artifacts.selections import LEFT_OUT, ClusterStatus, SelectionReason
from models.catalog.params.select_instructions import SelectInstructionsParams
from models.protocols import Indices
from workers.instructions.choosing import ALPHA
from workers.instructions.gather import Rows

_EDGES: Final = (0, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192)
"""Of the histograms of lengths, in characters; the last bin has no end."""
_LOST: Final = (
    SelectionReason.UNRANKED.value,
    SelectionReason.DRAWN_UNRANKED.value,
    SelectionReason.UNSCORED.value,
)
_FEW_ORDERS: Final = 3

Columns = Mapping[str, NDArray[Any]]


def whole_columns(rows: Rows, chosen: Columns, topics: Indices | None) -> dict[str, NDArray[Any]]:
    """The columns of a selection's file: what was chosen from, and then what was left out."""
    count = len(rows.left_out)
    indices, examples, lengths = rows.left_out.T
    left: dict[str, Any] = {
        "cluster": np.full(count, -1),
        "topic": np.full(count, -1),
        "kept": np.zeros(count, dtype=np.bool_),
        "rank": np.full(count, -1),
        **{name: np.full(count, np.nan) for name in ("score", "w", "p_value")},
        "reason": rows.left_because.astype(object),
        "source": np.full(count, "method", dtype=object),
        "status": np.full(count, ClusterStatus.PLAIN.value, dtype=object),
        "asked": np.full(count, "", dtype=object),
    }
    of_rows = {**chosen, "topic": np.full(len(rows), -1) if topics is None else topics}
    found = {name: np.concatenate([values, left[name]]) for name, values in of_rows.items()}
    return found | {
        "pool_index": np.concatenate([rows.indices, indices]),
        "example_id": np.concatenate([rows.examples, examples]),
        "length": np.concatenate([rows.lengths, lengths]),
    }


def figures(columns: Columns) -> dict[str, Any]:
    """Count what a selection's columns hold: JSON-ready."""
    reasons = Counter(map(str, columns["reason"].tolist()))
    left_out = sum(reasons[one] for one in LEFT_OUT)
    chosen_from = ~np.isin(columns["reason"], LEFT_OUT)
    lengths: Indices = columns["length"]
    return {
        "rows": len(columns["kept"]) - left_out,
        "kept": int(columns["kept"].sum()),
        "left_out": left_out,
        "by_reason": dict(sorted(reasons.items())),
        **_clusters(columns),
        "by_topic": _by_topic(columns),
        "lengths": {
            "edges": list(_EDGES),
            "before": _histogram(lengths[chosen_from]),
            "after": _histogram(lengths[columns["kept"]]),
        },
    }


def _clusters(columns: Columns) -> dict[str, Any]:
    inside = np.flatnonzero(columns["cluster"] >= 0)
    numbers, first, sizes = np.unique(
        columns["cluster"][inside], return_index=True, return_counts=True
    )
    rows = inside[first]
    status = Counter(map(str, columns["status"][rows].tolist()))
    p_value = columns["p_value"][rows]
    measured = ~np.isnan(p_value)
    rankable = int((p_value[measured] <= ALPHA).sum())
    of = int(measured.sum())
    return {
        "clusters": len(numbers),
        "largest": int(sizes.max(initial=0)),
        "mean_size": float(sizes.mean()) if len(sizes) else None,
        "alone": int((sizes == 1).sum()),
        "ranked": status[ClusterStatus.DECIDED.value] + status[ClusterStatus.UNDECIDED.value],
        "rankable": {"share": rankable / of, "of": of} if of else None,
        "undecided": status[ClusterStatus.UNDECIDED.value],
        "unranked": status[ClusterStatus.UNRANKED.value],
    }


def _by_topic(columns: Columns) -> dict[str, list[int]]:
    """How many rows each topic has, and how many of them are kept; of no topics nothing."""
    topics: Indices = columns["topic"]
    known = topics >= 0
    count = int(topics.max(initial=-1)) + 1
    before: list[int] = np.bincount(topics[known], minlength=count).tolist()
    after: list[int] = np.bincount(topics[known & columns["kept"]], minlength=count).tolist()
    return {"before": before, "after": after}


def _histogram(lengths: Indices) -> list[int]:
    bins = np.searchsorted(np.array(_EDGES[1:]), lengths, side="right")
    counts: list[int] = np.bincount(bins, minlength=len(_EDGES)).tolist()
    return counts


def warnings(
    params: SelectInstructionsParams,
    columns: Columns,
    *,
    favours_places: bool,
    not_asked: int = 0,
    of_rows: int = 0,
) -> list[str]:
    """What whoever uses a selection should know.

    Args:
        params: Of the job.
        columns: Of the selection.
        favours_places: Whether the judge hardly looks.
        not_asked: How many clusters, or rows that are scored, nobody was asked about.
        of_rows: How many rows these have.
    """
    said = []
    if not_asked:
        said.append(
            f"The judge was not asked about {of_rows:,} of {len(columns['reason']):,} texts, as "
            "the job was finished at its spending cap: they are unranked, and nothing was guessed. "
            "Let people rank them (people_most), or start again with a higher cap: what was "
            "answered costs nothing."
        )
    lost = int(np.isin(columns["reason"], _LOST).sum()) - of_rows
    if lost > 0:
        said.append(
            f"Of {lost:,} of {len(columns['reason']):,} texts the judge said nothing in the form "
            "that was asked for, and nothing was guessed: let people rank them (people_most), or "
            "take another judge."
        )
    if params.method == "fp_instruction" and params.permutations < _FEW_ORDERS:
        said.append(
            "Each cluster was ranked in fewer than three orders, so it is not known how sure the "
            "judge is: set permutations to 3 or more."
        )
    if favours_places:
        said.append(
            "The judge often repeats the order in which texts are shown to it, so its order says "
            "little: take a larger model, and set permutations to 2 or more."
        )
    if not columns["kept"].any():
        said.append("No text is kept.")
    return said
