"""The scores of one round over everything unlabeled, and the file that keeps them."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from models.errors import ModelError
from models.files.atomic import write_atomically
from models.frame import CROPPED, Frame
from models.protocols import Float32Array, Indices

_ROW_GROUP = 65_536
_DETECTIONS: Final = "detections"
_MOST: Final = "karat.detections"
_FRAME: Final = "karat.frame"
_PURITY: Final = "karat.purity"
_IS_PROBABILITY: Final = "karat.purity_is_probability"
# Whose values files of earlier versions hold as probabilities, without a word of it. They did so
# with those of clip, too, of which only some are.
_ALWAYS: Final = ("probe", "k_plus_1")
_SOMETIMES: Final = b"clip"
_SCORE: Final = 4


def predictions(logits: Float32Array) -> tuple[NDArray[np.int16], Float32Array]:
    """Return the class that the model takes each example for, and how sure it is.

    Args:
        logits: (N, C) float32.

    Returns:
        (N,) int16 in 0..C-1; (N,) float32 in 1/C..1, the softmax probability of that class.
    """
    predicted = np.empty(len(logits), dtype=np.int16)
    confidence = np.empty(len(logits), dtype=np.float32)
    for start in range(0, len(logits), _ROW_GROUP):
        block = slice(start, start + _ROW_GROUP)
        rows = logits[block]
        predicted[block] = rows.argmax(axis=1)
        confidence[block] = 1 / np.exp(rows - rows.max(axis=1, keepdims=True)).sum(axis=1)
    return predicted, confidence


@dataclass(frozen=True)
class PoolScores:
    """Raw scores of all examples that were unlabeled when a round selected its queries.

    Attributes:
        indices: (N,) int64 pool indices, ascending.
        logits: (N, C) float32 of the model that selected.
        purity: (N,) float32, higher = more in-distribution.
        informativeness: (N,) float32, higher = ask sooner.
        meta_scores: (N,) float32 of the strategy, higher = ask sooner; None before selection.
        inside: (N,) float32 in 0..1, the probability of being in-distribution; None before
            selection, and where nothing tells how to read the purity as one.
        detections: (N, K, 6) float32 of a detector, as in `Outputs`; None of anything else.
        frame: the square that `detections` are shares of.
        purity_by: name of the purity in the catalog, that of a fallback where it stood in; None in
            files of earlier versions.
        purity_is_probability: whether `purity` is the probability of being in-distribution.
    """

    indices: Indices
    logits: Float32Array
    purity: Float32Array
    informativeness: Float32Array
    meta_scores: Float32Array | None = None
    inside: Float32Array | None = None
    detections: Float32Array | None = None
    purity_by: str | None = None
    purity_is_probability: bool = False
    frame: Frame = CROPPED

    def __len__(self) -> int:
        """Return N."""
        return len(self.indices)

    def take(self, positions: Indices) -> "PoolScores":
        """Return the rows at (n,) positions."""
        return PoolScores(
            self.indices[positions],
            self.logits[positions],
            self.purity[positions],
            self.informativeness[positions],
            None if self.meta_scores is None else self.meta_scores[positions],
            None if self.inside is None else self.inside[positions],
            None if self.detections is None else self.detections[positions],
            self.purity_by,
            self.purity_is_probability,
            self.frame,
        )

    @classmethod
    def joined(cls, parts: Sequence["PoolScores"]) -> "PoolScores":
        """Put parts of a pool together: at least one, in order, by one purity, before selection."""
        names = ["indices", "logits", "purity", "informativeness"]
        if parts[0].detections is not None:
            names.append("detections")
        columns = ([getattr(one, name) for one in parts] for name in names)
        joined = dict(zip(names, map(np.concatenate, columns), strict=True))
        return cls(
            **joined,
            purity_by=parts[0].purity_by,
            purity_is_probability=parts[0].purity_is_probability,
            frame=parts[0].frame,
        )

    def to_parquet(
        self,
        path: Path,
        about: Mapping[str, str] | None = None,
        predicted: Mapping[str, NDArray[Any]] | None = None,
    ) -> None:
        """Write one row per example, atomically, with what the model predicts.

        Args:
            path: of the file.
            about: what is kept beside the rows, by name.
            predicted: (N,) columns of what the model takes the examples for; default: the most
                probable class and its probability.
        """
        path = Path(path)
        classes = self.logits.shape[1]
        flat = pa.array(np.ascontiguousarray(self.logits).reshape(-1))
        if predicted is None:
            named = ("predicted", "confidence")
            predicted = dict(zip(named, predictions(self.logits), strict=True))
        table = pa.table(
            {
                "pool_index": pa.array(self.indices, type=pa.int64()),
                "purity": pa.array(self.purity, type=pa.float32()),
                "informativeness": pa.array(self.informativeness, type=pa.float32()),
                "meta_score": _optional(self.meta_scores, len(self)),
                "in_probability": _optional(self.inside, len(self)),
                **{name: pa.array(values) for name, values in predicted.items()},
                "logits": pa.FixedSizeListArray.from_arrays(flat, classes),
            }
        )
        known = dict(about or {})
        if self.detections is not None:
            known[_MOST] = str(self.detections.shape[1])
            known[_FRAME] = json.dumps(asdict(self.frame))
            table = table.append_column(_DETECTIONS, _ragged(self.detections))
        if self.purity_by is not None:
            known[_PURITY] = self.purity_by
        known[_IS_PROBABILITY] = str(self.purity_is_probability)
        table = table.replace_schema_metadata(known)
        write_atomically(
            path,
            lambda partial: pq.write_table(
                table, partial, compression="zstd", row_group_size=_ROW_GROUP
            ),
        )

    @classmethod
    def from_parquet(cls, path: Path) -> "PoolScores":
        """Read what `to_parquet` wrote.

        Raises:
            ModelError: the file is missing or no such table.
        """
        try:
            table = pq.read_table(path)
            logits = table["logits"].combine_chunks()
            width = table.schema.field("logits").type.list_size
        except (OSError, pa.ArrowException, KeyError, AttributeError) as error:
            raise ModelError(f"{path} holds no pool scores ({error}).") from error
        # Files of earlier versions do not say what is in-distribution.
        known = "in_probability" in table.column_names
        about = table.schema.metadata or {}
        purity_by = about.get(_PURITY.encode(), b"").decode() or None
        known = known and not _is_unclear(about)
        was_one = str(purity_by in _ALWAYS).encode()
        is_probability = about.get(_IS_PROBABILITY.encode(), was_one) == b"True"
        return cls(
            table["pool_index"].to_numpy(),
            logits.flatten().to_numpy(zero_copy_only=False).reshape(-1, width),
            table["purity"].to_numpy(),
            table["informativeness"].to_numpy(),
            _given(table["meta_score"]),
            _given(table["in_probability"]) if known else None,
            _filled(table) if _DETECTIONS in table.column_names else None,
            purity_by,
            is_probability,
            # Files of earlier versions are all of middle squares.
            Frame(**json.loads(about[_FRAME.encode()])) if _FRAME.encode() in about else CROPPED,
        )


def is_unclear(path: Path) -> bool:
    """Whether nobody knows if a file's purity is a probability: clip of an earlier version."""
    return _is_unclear(pq.read_schema(path).metadata or {})


def _is_unclear(about: Mapping[bytes, bytes]) -> bool:
    return about.get(_PURITY.encode()) == _SOMETIMES and _IS_PROBABILITY.encode() not in about


def _ragged(detections: Float32Array) -> pa.Array:
    """Return (N,) lists of the numbers of those detections that there are."""
    there = detections[:, :, _SCORE] > 0
    offsets = np.concatenate([[0], np.cumsum(there.sum(axis=1) * detections.shape[2])])
    values = pa.array(np.ascontiguousarray(detections[there]).reshape(-1))
    return pa.ListArray.from_arrays(pa.array(offsets.astype(np.int32)), values)


def _filled(table: pa.Table) -> Float32Array:
    """Return the (N, K, 6) detections of a file of scores."""
    column = table[_DETECTIONS].combine_chunks()
    most, width = int(table.schema.metadata[_MOST.encode()]), 6
    counts = np.diff(column.offsets.to_numpy()) // width
    values = column.flatten().to_numpy(zero_copy_only=False).reshape(-1, width)
    detections = np.zeros((len(counts), most, width), dtype=np.float32)
    detections[np.arange(most)[None] < counts[:, None]] = values
    return detections


def _optional(values: Float32Array | None, count: int) -> pa.Array:
    return pa.nulls(count, pa.float32()) if values is None else pa.array(values, type=pa.float32())


def _given(column: pa.ChunkedArray) -> Float32Array | None:
    values: Float32Array = column.to_numpy()
    return None if column.null_count == len(column) else values
