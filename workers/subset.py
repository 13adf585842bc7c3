"""The file of a subset: which labeled images are kept, and why."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from core.storage import write_atomically
from core.subsets import UNKNOWN
from models.protocols import Indices
from models.pruning.view import Pruned, PruningView


def write_subset(
    path: Path,
    indices: Indices,
    examples: Indices,
    class_ids: Indices,
    true_ids: Indices,
    view: PruningView,
    pruned: Pruned,
) -> None:
    """Write one row for each labeled image, atomically: the kept ones by rank, then the others.

    Columns: ``example_id``, ``pool_index``, ``class_id``, ``rank`` (1 = first to keep, null =
    dropped), ``gain`` (null = dropped), ``loss`` of the warm-up, ``true_class_id`` (null = nobody
    knows), and what the method names as its reasons.

    Args:
        path: Of the Parquet file.
        indices: (N,) pool indices.
        examples: (N,) ids.
        class_ids: (N,) ids of the labels.
        true_ids: (N,) ids of the true classes, ``UNKNOWN`` where they are not known.
        view: What was pruned.
        pruned: What is kept.
    """
    count = len(indices)
    rank = np.zeros(count, dtype=np.int64)
    rank[pruned.order] = np.arange(1, len(pruned.order) + 1)
    gain = np.zeros(count)
    gain[pruned.order] = pruned.gain
    order = np.lexsort([indices, np.where(rank > 0, rank, count + 1)])
    dropped = rank == 0
    columns = {
        "example_id": examples,
        "pool_index": indices,
        "class_id": class_ids,
        "rank": pa.array(rank[order], mask=dropped[order]),
        "gain": pa.array(gain[order], mask=dropped[order]),
        "loss": view.losses,
        "true_class_id": pa.array(true_ids[order], mask=true_ids[order] == UNKNOWN),
        **pruned.reasons,
    }
    table = pa.table(
        {
            name: value if isinstance(value, pa.Array) else pa.array(np.asarray(value)[order])
            for name, value in columns.items()
        }
    )
    write_atomically(path, lambda part: pq.write_table(table, part, compression="zstd"))


def dropped_by(path: Path) -> Indices:
    """Return the pool indices that a subset drops, ascending: (D,) int64."""
    table = pq.read_table(path, columns=["pool_index", "rank"])
    indices: Indices = table["pool_index"].to_numpy()
    kept = table["rank"].is_valid().to_numpy()
    return np.sort(indices[~kept])
