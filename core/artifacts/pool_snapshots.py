"""The file of a snapshot: what each example of a project counted as at one instant.

Why it is a file, see ``docs/adr/0057-a-snapshot-is-a-file.md``.
"""

import hashlib
import json
from collections.abc import Iterator, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

Int64Array = NDArray[np.int64]


class Origin(StrEnum):
    """By whose word an example counts as what it does.

    ``truth`` is what it came with that no vote is asked about: of an evaluation image its label, of
    an auxiliary OOD image that it is one.
    """

    PERSON = "person"
    MODEL = "model"
    IMPORT = "import"
    TRUTH = "truth"


_NAMES: Final = pa.dictionary(pa.int32(), pa.string())
SCHEMA: Final = pa.schema(
    [
        ("example_id", pa.int64()),
        ("pool_index", pa.int64()),
        ("sha256", pa.binary(32)),
        ("split", _NAMES),
        ("state", _NAMES),
        ("verdict", _NAMES),
        ("class", pa.string()),
        ("class_id", pa.int64()),
        ("label", pa.string()),
        ("says", pa.int64()),
        ("origin", _NAMES),
        ("annotations", pa.list_(pa.int64())),
        ("votes", pa.list_(pa.int64())),
        ("effective", pa.int64()),
        ("model_version", _NAMES),
        ("predicted", _NAMES),
        ("probability", pa.float64()),
        ("in_probability", pa.float64()),
    ]
)
"""One row for each example, in the order of ``pool_index``.

``verdict`` is a word of files (``class``, ``ood``, ``unsure``, ``skip``), null where there is none.
``label`` is the label as JSON, ``class`` as files write it, ``class_id`` the class that it names if
it is one class and nothing else. ``says`` is a number that two examples share if verdict and label
are the same. ``annotations`` are the ids of all that were there, ``votes`` of those that are part
of what the example counts as, ``effective`` the one that stands for it. The last columns are what
the model took it for that last asked about it.
"""
NO_OBJECTS: Final = "[]"
"""``class`` of a label of boxes that has none; where ``class_id`` is null."""

_GROUP: Final = 16_384
_BATCH: Final = 4096
_SORTED_ROWS: Final = 200_000
_SORTED_BYTES: Final = 32 << 20
_MOST_PARTS: Final = 256


def says(verdict: str | None, label: str | None) -> int:
    """A number for a verdict and a label as JSON, the same for the same two."""
    text = json.dumps([verdict, label]).encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), signed=True)


class SnapshotWriter:
    """Writes a snapshot, some rows at a time. Blocks."""

    def __init__(self, path: Path) -> None:
        """Begin the file at ``path``."""
        self._writer = pq.ParquetWriter(path, SCHEMA, compression="zstd")
        self._held: list[pa.Table] = []
        self._rows = 0

    def add(self, rows: Sequence[dict[str, Any]]) -> None:
        """Append rows, values by column, in the order of the pool."""
        self._held.append(pa.Table.from_pylist(list(rows), schema=SCHEMA))
        self._rows += len(rows)
        if self._rows >= _GROUP:
            self._flush()

    def _flush(self) -> None:
        if self._held:
            self._writer.write_table(pa.concat_tables(self._held).unify_dictionaries())
        self._held, self._rows = [], 0

    def close(self) -> None:
        """Complete the file."""
        self._flush()
        self._writer.close()


def batches(path: Path, *columns: str, size: int = _BATCH) -> Iterator[list[dict[str, Any]]]:
    """Read a snapshot piece by piece, in the order of the pool.

    Args:
        path: Of the file.
        columns: Names; all if left out.
        size: Rows of a piece.

    Raises:
        FileNotFoundError: There is no such file.
    """
    with pq.ParquetFile(path) as file:
        for batch in file.iter_batches(batch_size=size, columns=list(columns) or None):
            yield batch.to_pylist()


def line(sha256: str, verdict: str | None, class_: str | None, origin: str | None) -> str:
    """What of an example goes into the digest: a line of JSON without spaces, "" for nothing."""
    fields = [sha256, verdict or "", class_ or "", origin or ""]
    return f"{json.dumps(fields, ensure_ascii=False, separators=(',', ':'))}\n"


def lines(path: Path) -> Iterator[str]:
    """The lines of all examples, sorted; memory does not grow with their number.

    They begin with digests, which are spread evenly: so each pass over the file sorts those that
    begin alike.

    Raises:
        FileNotFoundError: There is no such file.
    """
    names = ["sha256", "verdict", "class", "origin"]
    parts = _parts(path)
    for part in range(parts):
        found: list[str] = []
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(batch_size=_BATCH, columns=names):
                mine = _first_bytes(batch.column("sha256")) * parts // 256 == part
                some = batch.filter(pa.array(mine)) if parts > 1 else batch
                found += [
                    line(row["sha256"].hex(), row["verdict"], row["class"], row["origin"])
                    for row in some.to_pylist()
                ]
        # The order of `LC_ALL=C sort`: nothing after the digest decides, as no two are equal.
        found.sort()
        yield from found


def _parts(path: Path) -> int:
    with pq.ParquetFile(path) as file:
        metadata = file.metadata
        size = sum(
            metadata.row_group(group).column(SCHEMA.names.index("class")).total_uncompressed_size
            for group in range(metadata.num_row_groups)
        )
        needed: int = max(metadata.num_rows // _SORTED_ROWS, size // _SORTED_BYTES) + 1
    return min(needed, _MOST_PARTS)


def _first_bytes(digests: Any) -> Int64Array:
    whole = np.frombuffer(digests.buffers()[1], dtype=np.uint8).reshape(-1, 32)
    return whole[digests.offset : digests.offset + len(digests), 0].astype(np.int64)


def digest_of(path: Path) -> str:
    """SHA-256, in hexadecimal, of the sorted lines of a snapshot.

    Raises:
        FileNotFoundError: There is no such file.
    """
    found = hashlib.sha256()
    for one in lines(path):
        found.update(one.encode())
    return found.hexdigest()


class Change(StrEnum):
    """What became of an example between two snapshots.

    ``label`` is that it counts as something else, ``origin`` that it counts as the same by
    somebody else's word.
    """

    ADDED = "added"
    GONE = "gone"
    LABEL = "label"
    ORIGIN = "origin"


CHANGES: Final = tuple(Change)


class Differences:
    """What differs between two snapshots of one project, by places in their files.

    Attributes:
        pool_index: (N,) int64, ascending, of the examples that differ.
        change: (N,) int64, places in ``CHANGES``.
        before: (N,) int64, rows in the file of the one; -1 where it is not there.
        after: (N,) int64, in that of the other.
    """

    def __init__(self, one: Path, other: Path) -> None:
        """Compare two files; some tens of bytes a row are in memory.

        Raises:
            FileNotFoundError: One of them is not there.
        """
        first, second = _compared(one), _compared(other)
        _, both_first, both_second = np.intersect1d(
            first["pool_index"], second["pool_index"], assume_unique=True, return_indices=True
        )
        relabeled = first["says"][both_first] != second["says"][both_second]
        moved = first["origin"][both_first] != second["origin"][both_second]
        differs = relabeled | moved
        gone = np.setdiff1d(np.arange(len(first["says"])), both_first, assume_unique=True)
        added = np.setdiff1d(np.arange(len(second["says"])), both_second, assume_unique=True)
        kinds = np.where(relabeled[differs], _at(Change.LABEL), _at(Change.ORIGIN))
        before = np.concatenate([both_first[differs], gone, np.full(len(added), -1)])
        after = np.concatenate([both_second[differs], np.full(len(gone), -1), added])
        pool_index = np.concatenate(
            [
                first["pool_index"][both_first[differs]],
                first["pool_index"][gone],
                second["pool_index"][added],
            ]
        )
        change = np.concatenate(
            [kinds, np.full(len(gone), _at(Change.GONE)), np.full(len(added), _at(Change.ADDED))]
        )
        order = np.argsort(pool_index, kind="stable")
        self.pool_index: Int64Array = pool_index[order]
        self.change: Int64Array = change[order]
        self.before: Int64Array = before[order]
        self.after: Int64Array = after[order]


def _at(change: Change) -> int:
    return CHANGES.index(change)


def _compared(path: Path) -> dict[str, Int64Array]:
    table = pq.read_table(path, columns=["pool_index", "says", "origin"])
    origin = pc.index_in(
        table["origin"].cast(pa.string()), value_set=pa.array([one.value for one in Origin])
    )
    return {
        "pool_index": table["pool_index"].to_numpy(),
        "says": table["says"].to_numpy(),
        "origin": origin.fill_null(-1).to_numpy(),
    }


def columns_at(path: Path, places: Int64Array, *names: str) -> pa.Table:
    """Columns of a file at (n,) ascending places; only the groups are read that hold them.

    Raises:
        FileNotFoundError: There is no such file.
    """
    schema = pa.schema([SCHEMA.field(name) for name in names])
    found = [schema.empty_table()]
    with pq.ParquetFile(path) as file:
        first = 0
        for group in range(file.num_row_groups):
            count = file.metadata.row_group(group).num_rows
            inside = places[np.searchsorted(places, first) : np.searchsorted(places, first + count)]
            if len(inside):
                part = file.read_row_group(group, columns=list(names))
                found.append(part.take(pa.array(inside - first)))
            first += count
    return pa.concat_tables(found)
