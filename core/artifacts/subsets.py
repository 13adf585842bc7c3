"""The file of a subset as its readers see it: which labeled images are kept."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypedDict

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

UNKNOWN: Final = 0
"""Stands for a true class that nobody knows; ids of classes begin at 1."""

_BATCH: Final = 4096
Int64Array = NDArray[np.int64]


class Noise(TypedDict):
    """How many labels are wrong among those whose truth is known.

    ``ratio`` is ``wrong / known``, 0..1; None where no truth is known.
    """

    known: int
    wrong: int
    ratio: float | None


def noise(class_ids: Int64Array, true_ids: Int64Array) -> Noise:
    """Count wrong labels.

    Args:
        class_ids: (N,) int64, classes that the examples are labeled with.
        true_ids: (N,) int64, classes that they show, or ``UNKNOWN``.
    """
    known = true_ids != UNKNOWN
    count, wrong = int(known.sum()), int((known & (class_ids != true_ids)).sum())
    return {"known": count, "wrong": wrong, "ratio": wrong / count if count else None}


@dataclass(frozen=True)
class SubsetRows:
    """N labeled examples in the order of the file: the kept ones by rank, then the others.

    Attributes:
        example_ids: (N,) int64.
        class_ids: (N,) int64, the labels when the subset was made.
        kept: (N,) bool; the first ones are true.
        losses: (N,) float64 of the warm-up, higher = less believed.
        true_ids: (N,) int64, ``UNKNOWN`` where the truth is not known.
    """

    example_ids: Int64Array
    class_ids: Int64Array
    kept: NDArray[np.bool_]
    losses: NDArray[np.float64]
    true_ids: Int64Array

    def class_counts(self) -> dict[int, tuple[int, int]]:
        """For each class, how many examples are labeled with it, and how many of them are kept."""
        found, labeled = np.unique(self.class_ids, return_counts=True)
        kept = [int((self.class_ids[self.kept] == one).sum()) for one in found]
        return dict(zip(found.tolist(), zip(labeled.tolist(), kept, strict=True), strict=True))


def read_subset(path: Path) -> SubsetRows:
    """Read a whole subset: 33 bytes a row stay in memory.

    Raises:
        FileNotFoundError: There is no such file.
    """
    names = pq.read_schema(path).names
    wanted = ["example_id", "class_id", "rank", "loss", "true_class_id"]
    table = pq.read_table(path, columns=[name for name in wanted if name in names])
    count = table.num_rows
    # Subsets of earlier versions know nothing of the truth.
    true_ids: Int64Array = np.full(count, UNKNOWN, dtype=np.int64)
    if "true_class_id" in table.column_names:
        true_ids = table["true_class_id"].fill_null(UNKNOWN).to_numpy()
    return SubsetRows(
        table["example_id"].to_numpy(),
        table["class_id"].to_numpy(),
        table["rank"].is_valid().to_numpy(),
        table["loss"].to_numpy().astype(np.float64),
        true_ids,
    )


def subset_members(path: Path) -> tuple[Int64Array, Int64Array]:
    """Return the pool indices that a subset keeps and those that it drops, each ascending.

    Raises:
        FileNotFoundError: There is no such file.
    """
    table = pq.read_table(path, columns=["pool_index", "rank"])
    pool_index: Int64Array = table["pool_index"].to_numpy()
    kept = table["rank"].is_valid().to_numpy()
    return np.sort(pool_index[kept]), np.sort(pool_index[~kept])


def subset_schema(path: Path) -> pa.Schema:
    """The columns of a subset, in their order.

    Raises:
        FileNotFoundError: There is no such file.
    """
    return pq.read_schema(path)


def subset_batches(path: Path) -> Iterator[dict[str, list[Any]]]:
    """Read a subset piece by piece: for each piece, the values of each column."""
    with pq.ParquetFile(path) as file:
        for batch in file.iter_batches(batch_size=_BATCH):
            yield pa.Table.from_batches([batch]).to_pydict()
