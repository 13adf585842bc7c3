"""The file of a selection: of each row of a project of instructions whether it is kept, and why."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from core.files.storage import write_atomically

SUPERSEDED: Final = "superseded"
"""In the ``meta`` of a selection that was made anew: its earlier files, and since when they are."""


class SelectionReason(StrEnum):
    """Why a row is kept, or dropped."""

    BEST_OF_CLUSTER = "best_of_cluster"
    NOT_BEST = "not_best"
    TIED = "tied"
    UNRANKED = "unranked"
    DRAWN_UNRANKED = "drawn_unranked"
    BY_PEOPLE = "by_people"
    WRONG_BY_PEOPLE = "wrong_by_people"
    OOD_BY_PEOPLE = "ood_by_people"
    ALONE_KEPT = "alone_kept"
    ALONE_WRONG = "alone_wrong"
    ALONE_DROPPED = "alone_dropped"
    SCORE = "score"
    LOW_SCORE = "low_score"
    UNSCORED = "unscored"
    COVERS = "covers"
    COVERED = "covered"
    DRAWN = "drawn"
    NOT_DRAWN = "not_drawn"
    LONG = "long"
    SHORT = "short"
    HELD_OUT = "held_out"
    OOD = "ood"


LEFT_OUT: Final = (SelectionReason.HELD_OUT.value, SelectionReason.OOD.value)
"""Reasons of rows that nothing was chosen from."""


class ClusterStatus(StrEnum):
    """How sure the judge is of a cluster.

    ``undecided`` where its orders differ so much that chance explains them, ``unranked`` where none
    of its answers was a ranking, ``alone`` of a cluster of one row, ``plain`` where nobody was
    asked for an order.
    """

    DECIDED = "decided"
    UNDECIDED = "undecided"
    UNRANKED = "unranked"
    ALONE = "alone"
    PLAIN = "plain"


Source = Literal["judge", "people", "method"]
Asked = Literal["undecided", "audit"]
Shown = Literal["all", "undecided", "unranked", "people"]

SCHEMA: Final = pa.schema(
    [
        ("example_id", pa.int64()),
        ("pool_index", pa.int64()),
        ("cluster", pa.int64()),
        ("kept", pa.bool_()),
        ("reason", pa.string()),
        ("rank", pa.int32()),
        ("score", pa.float32()),
        ("w", pa.float32()),
        ("p_value", pa.float32()),
        ("source", pa.string()),
        ("status", pa.string()),
        ("asked", pa.string()),
        ("length", pa.int32()),
        ("topic", pa.int32()),
    ]
)
"""One row for each example of the pool.

``cluster`` is null where none was made; ``rank`` is 1 for the best of its cluster, null for what
has no place in an order; ``w`` and ``p_value`` are of the cluster, of the orders of the judge;
``asked`` says why people were asked about the cluster, null where they were not; ``length`` is that
of the response, in characters; ``topic`` is a large group that it belongs to, null where rows were
not embedded.
"""

_BATCH: Final = 4096
_GROUP: Final = 16_384
"""Rows that a page of clusters reads at least."""


def write_selection(path: Path, columns: Mapping[str, Any]) -> None:
    """Write a selection atomically, the rows of a cluster together, the best first.

    Args:
        path: Of the Parquet file.
        columns: Those of ``SCHEMA``, (N,) each; NaN and -1 of nullable numbers, and empty strings
            of ``asked``, become null.
    """
    last = np.iinfo(np.int64).max
    cluster, rank = (
        np.where(np.asarray(columns[name]) < 0, last, columns[name]) for name in ("cluster", "rank")
    )
    order = np.lexsort([columns["pool_index"], rank, cluster])
    arrays = [_column(field, np.asarray(columns[field.name])[order]) for field in SCHEMA]
    table = pa.Table.from_arrays(arrays, schema=SCHEMA)

    def write(part: Path) -> None:
        pq.write_table(table, part, compression="zstd", row_group_size=_GROUP)

    write_atomically(path, write)


def _column(field: Any, found: NDArray[Any]) -> pa.Array:
    if field.name in ("cluster", "rank", "topic"):
        return pa.array(found, type=field.type, mask=found < 0)
    if field.name == "asked":
        return pa.array([one or None for one in found.tolist()], type=field.type)
    if pa.types.is_floating(field.type):
        return pa.array(found, type=field.type, mask=np.isnan(found))
    return pa.array(found.tolist() if found.dtype == object else found, type=field.type)


def read_columns(path: Path, *names: str) -> dict[str, Any]:
    """Read columns of a selection, in the order of its rows: (N,) each, nulls as NaN or -1.

    Raises:
        FileNotFoundError: There is no such file.
    """
    table = pq.read_table(path, columns=list(names))
    return {name: _read(table[name].combine_chunks()) for name in names}


def _read(values: Any) -> NDArray[Any]:
    kind = values.type
    if pa.types.is_string(kind):
        return np.array(values.to_pylist(), dtype=object)
    filled = values.fill_null(-1) if pa.types.is_integer(kind) else values
    # A copy: what Arrow holds cannot be written to.
    return np.array(filled.to_numpy(zero_copy_only=False))


def selection_batches(path: Path, *names: str, kept: bool = False) -> Iterator[pa.Table]:
    """Read a selection piece by piece.

    Args:
        path: Of the file.
        names: Of the columns; all if left out.
        kept: Leave out what is dropped.

    Raises:
        FileNotFoundError: There is no such file.
    """
    wanted = list(names) or SCHEMA.names
    with pq.ParquetFile(path) as file:
        for batch in file.iter_batches(batch_size=_BATCH, columns=[*{*wanted, "kept"}]):
            table = pa.Table.from_batches([batch])
            yield (table.filter(table["kept"]) if kept else table).select(wanted)


@dataclass(frozen=True)
class ClusterPage:
    """Some clusters of a selection.

    Attributes:
        rows: Their rows, in the order of the file: values by column.
        next_cluster: The cluster that the next page begins with; None after the last.
        total: How many clusters there are of those that were asked for.
    """

    rows: list[dict[str, Any]]
    next_cluster: int | None
    total: int


def cluster_page(path: Path, shown: Shown, first: int, limit: int) -> ClusterPage:
    """Some clusters with all their rows.

    Args:
        path: Of the file.
        shown: ``undecided`` and ``unranked`` by what the judge said, ``people`` those that people
            were asked about.
        first: The lowest number of a cluster.
        limit: How many.

    Raises:
        FileNotFoundError: There is no such file.
    """
    (clusters,) = read_columns(path, "cluster").values()
    # Their rows are ascending, those without one the last.
    inside = clusters[: np.count_nonzero(clusters >= 0)]
    found = inside[np.flatnonzero(np.diff(inside, prepend=-1))]
    if shown != "all":
        column = "asked" if shown == "people" else "status"
        values = pq.read_table(path, columns=[column])[column]
        wanted = pc.is_valid(values) if shown == "people" else pc.equal(values, shown)
        found = np.intersect1d(found, inside[wanted.to_numpy()[: len(inside)]])
    begin = int(np.searchsorted(found, first))
    page = found[begin : begin + limit]
    after = found[begin + limit : begin + limit + 1].tolist()
    if len(page) == 0:
        return ClusterPage([], None, len(found))
    start, stop = np.searchsorted(inside, [page[0], page[-1] + 1])
    part = _slice(path, int(start), int(stop))
    rows = part.filter(pc.is_in(part["cluster"], value_set=pa.array(page))).to_pylist()
    return ClusterPage(rows, after[0] if after else None, len(found))


def places_of(path: Path, *, kept: bool | None, reason: str | None) -> NDArray[np.int64]:
    """Places in a file of the rows that are kept, or dropped, or have a reason: ascending.

    Raises:
        FileNotFoundError: There is no such file.
    """
    table = pq.read_table(path, columns=["kept", "reason"])
    wanted: NDArray[np.bool_] = np.ones(table.num_rows, dtype=np.bool_)
    if kept is not None:
        wanted &= pc.equal(table["kept"], kept).to_numpy()
    if reason is not None:
        wanted &= pc.equal(table["reason"], reason).to_numpy()
    return np.flatnonzero(wanted)


def rows_at(path: Path, places: NDArray[np.int64]) -> list[dict[str, Any]]:
    """Rows of a file at (n,) ascending places: values by column."""
    if len(places) == 0:
        return []
    start = int(places[0])
    part = _slice(path, start, int(places[-1]) + 1)
    rows: list[dict[str, Any]] = part.take(pa.array(places - start)).to_pylist()
    return rows


def _slice(path: Path, start: int, stop: int) -> pa.Table:
    """Rows of a file, of which only the groups are read that hold them."""
    with pq.ParquetFile(path) as file:
        first = skipped = 0
        parts: list[pa.Table] = []
        for group in range(file.num_row_groups):
            count = file.metadata.row_group(group).num_rows
            if first < stop and first + count > start:
                if not parts:
                    skipped = first
                parts.append(file.read_row_group(group))
            first += count
    return pa.concat_tables(parts).slice(start - skipped, stop - start)


def tied_share(clusters: NDArray[np.int64], scores: NDArray[np.floating[Any]]) -> float | None:
    """Share of the pairs of a cluster that have one score, averaged over clusters of two or more.

    It is what scores of single rows cannot rank (thesis, section 6.2.3).

    Args:
        clusters: (N,) -1 where there is none.
        scores: (N,) NaN where there is none.

    Returns:
        0..1; None where no two rows of a cluster have a score.
    """
    known = (clusters >= 0) & ~np.isnan(scores)
    of, values = clusters[known], scores[known]
    _, cluster = np.unique(of, return_inverse=True)
    size = np.bincount(cluster)
    if not (size > 1).any():
        return None
    pairs = np.stack([cluster.astype(np.float64), np.round(values, 6)], axis=1)
    alike, count = np.unique(pairs, axis=0, return_counts=True)
    same = np.bincount(alike[:, 0].astype(np.int64), count * (count - 1), minlength=len(size))
    share = same[size > 1] / (size * (size - 1))[size > 1]
    return float(share.mean())
