"""The file of a subset: which labeled images are kept, and why."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray
from sqlalchemy.orm import Session

from core.artifacts.subsets import UNKNOWN
from core.errors import Conflict
from core.files.storage import Storage, write_atomically
from core.tables import Artifact
from models.protocols import Indices
from models.pruning.view import Pruned, PruningView
from workers.labels.snapshot import Snapshot


def write_subset(
    path: Path,
    indices: Indices,
    examples: Indices,
    class_ids: Indices,
    true_ids: Indices,
    reviewed: Indices,
    view: PruningView,
    pruned: Pruned,
    confidence: NDArray[np.float64] | None = None,
) -> None:
    """Write one row for each labeled image, atomically: the kept ones by rank, then the others.

    Columns: ``example_id``, ``pool_index``, ``class_id``, ``reviewed`` (whether a reviewer gave or
    confirmed that label), ``rank`` (1 = first to keep, null = dropped), ``gain`` (null = dropped),
    ``confidence`` of the warm-up (null = unknown), ``reason`` in words, ``loss`` of the warm-up,
    ``true_class_id`` (null = nobody knows), and what the method names as its reasons, each in a
    column of its own.

    Args:
        path: Of the Parquet file.
        indices: (N,) pool indices.
        examples: (N,) ids.
        class_ids: (N,) ids of the labels.
        true_ids: (N,) ids of the true classes, ``UNKNOWN`` where they are not known.
        reviewed: Pool indices whose label was a reviewer's.
        view: What was pruned.
        pruned: What is kept.
        confidence: (N,) in 0..1 of the warm-up, or None.
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
        "reviewed": np.isin(indices, reviewed),
        "rank": pa.array(rank[order], mask=dropped[order]),
        "gain": pa.array(gain[order], mask=dropped[order]),
        "confidence": pa.nulls(count, pa.float64()) if confidence is None else confidence,
        "reason": np.array(_in_words(pruned, count), dtype=object),
        "loss": view.losses,
        "true_class_id": pa.array(true_ids[order], mask=true_ids[order] == UNKNOWN),
        **{name: value for name, value in pruned.reasons.items() if name != "confidence"},
    }
    table = pa.table(
        {
            name: value if isinstance(value, pa.Array) else pa.array(np.asarray(value)[order])
            for name, value in columns.items()
        }
    )
    write_atomically(path, lambda part: pq.write_table(table, part, compression="zstd"))


def dropped_of(
    session: Session, storage: Storage, subset: int | None, snapshot: Snapshot
) -> Indices:
    """Return what the subset of a project leaves out; nothing without one. See ``dropped_by``.

    Raises:
        Conflict: ``subset_file_missing``.
    """
    if subset is None:
        return np.empty(0, dtype=np.int64)
    path = storage.fetch(session.get_one(Artifact, subset).storage_key)
    if not path.exists():
        raise Conflict(
            "subset_file_missing",
            f"The file of subset {subset} is not in the data directory; restore it from a backup, "
            "or prune again and take that subset, or none.",
        )
    return dropped_by(path, snapshot)


def dropped_by(path: Path, snapshot: Snapshot) -> Indices:
    """Return the pool indices whose labels a subset leaves out: (D,) int64, ascending.

    What the subset drops is a label, not an image: one that was corrected since, or that a reviewer
    has confirmed since, was never judged by it.

    Args:
        path: Of the Parquet file.
        snapshot: What is known now.
    """
    # Files of before there was the column ``reviewed``: nobody had reviewed anything.
    there = set(pq.read_schema(path).names)
    needed = {"pool_index", "class_id", "rank", "reviewed"}
    table = pq.read_table(path, columns=sorted(needed & there))
    gone = table.filter(table["rank"].is_null())
    inside, labels = snapshot.inside()
    indices, now, then = np.intersect1d(
        inside, gone["pool_index"].to_numpy(), assume_unique=True, return_indices=True
    )
    same = snapshot.class_ids[labels[now]] == gone["class_id"].to_numpy()[then]
    settled = np.isin(indices, snapshot.reviewed)
    if "reviewed" in there:
        settled &= ~gone["reviewed"].to_numpy()[then]
    found: Indices = indices[same & ~settled]
    return found


def _in_words(pruned: Pruned, count: int) -> list[str]:
    """Return what speaks for or against each example, such as "neighbourhood 0.41"."""
    named = [(name, all_) for name, all_ in pruned.reasons.items() if name != "confidence"]
    return [
        ", ".join(f"{name} {values[position]:.3g}" for name, values in named)
        for position in range(count)
    ]
