"""The file of a round's pool scores as its readers see it: a plane of two scores."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypedDict

import numpy as np
import pyarrow.parquet as pq
from numpy.typing import NDArray

_SURFACE: Final = b"karat.surface"

Float32Array = NDArray[np.float32]
Int64Array = NDArray[np.int64]
Mask = NDArray[np.bool_]


class Span(TypedDict):
    """Least and greatest value of a score."""

    low: float
    high: float


@dataclass(frozen=True)
class PoolMap:
    """N images in order of their pool index.

    Attributes:
        indices: (N,) int64, ascending.
        purity: (N,) float32 raw, higher = more in-distribution.
        informativeness: (N,) float32 raw, higher = ask sooner.
        meta_scores: (N,) float32 of the strategy, NaN where it has none.
    """

    indices: Int64Array
    purity: Float32Array
    informativeness: Float32Array
    meta_scores: Float32Array

    def __len__(self) -> int:
        """Return N."""
        return len(self.indices)

    def spans(self) -> tuple[Span, Span]:
        """Range of purity and of informativeness; N >= 1."""
        return _span(self.purity), _span(self.informativeness)

    def inside(self, polygon: Sequence[tuple[float, float]]) -> Mask:
        """Which images lie within a polygon: (N,) bool, by the even-odd rule.

        Args:
            polygon: Corners (purity, informativeness), at least three; it closes itself.
        """
        corners = np.array(polygon, dtype=np.float64)
        low, high = corners.min(axis=0), corners.max(axis=0)
        found: Mask = (
            (self.purity >= low[0])
            & (self.purity <= high[0])
            & (self.informativeness >= low[1])
            & (self.informativeness <= high[1])
        )
        near = np.flatnonzero(found)
        x = self.purity[near].astype(np.float64)
        y = self.informativeness[near].astype(np.float64)
        odd = np.zeros(len(near), dtype=bool)
        for (x1, y1), (x2, y2) in zip(corners, np.roll(corners, -1, axis=0), strict=True):
            if y1 == y2:
                continue
            crosses = (y < y1) != (y < y2)
            odd ^= crosses & (x < x1 + (y - y1) / (y2 - y1) * (x2 - x1))
        found[near] = odd
        return found

    def tile(self, level: int, column: int, row: int) -> Int64Array:
        """Positions of the images in one tile, (n,) int64.

        Level z cuts the whole range of both scores into 2^z columns and rows, from the least value.
        """
        tiles = 1 << level
        found = np.ones(len(self), dtype=bool)
        for values, place in ((self.purity, column), (self.informativeness, row)):
            if level:
                found &= cells(values, _span(values), tiles) == place
        return np.flatnonzero(found).astype(np.int64)

    def bins(self, positions: Int64Array, level: int, column: int, row: int, side: int) -> Any:
        """Count the images at (n,) positions of a tile: (side, side) uint32, rows from below."""
        count = side << level
        x = cells(self.purity, _span(self.purity), count)[positions] - column * side
        y = cells(self.informativeness, _span(self.informativeness), count)[positions] - row * side
        return np.bincount(y * side + x, minlength=side * side).astype(np.uint32)


def cells(values: Float32Array, span: Span, count: int) -> Int64Array:
    """Which of ``count`` equal cells of a range each of (N,) values is in; the last is closed."""
    width = span["high"] - span["low"]
    if width == 0:
        return np.full(len(values), count // 2, dtype=np.int64)
    place = ((values.astype(np.float64) - span["low"]) * (count / width)).astype(np.int64)
    return np.clip(place, 0, count - 1)


def _span(values: Float32Array) -> Span:
    return {"low": float(values.min()), "high": float(values.max())}


def read_map(path: Path) -> PoolMap:
    """Read the scores of a round: 20 bytes an image stay in memory.

    Raises:
        FileNotFoundError: There is no such file.
    """
    names = ["pool_index", "purity", "informativeness", "meta_score"]
    table = pq.read_table(path, columns=names)
    return PoolMap(
        table["pool_index"].to_numpy(),
        table["purity"].to_numpy(),
        table["informativeness"].to_numpy(),
        table["meta_score"].to_numpy().astype(np.float32),
    )


def read_head(path: Path) -> tuple[int, Span, Span] | None:
    """How many images a file has scores of, and their ranges, from its last few kilobytes.

    Returns:
        None for a file without images.

    Raises:
        FileNotFoundError: There is no such file.
    """
    found = pq.read_metadata(path)
    if found.num_rows == 0:
        return None
    spans = []
    for column in ("purity", "informativeness"):
        place = found.schema.to_arrow_schema().get_field_index(column)
        groups = [
            found.row_group(group).column(place).statistics for group in range(found.num_row_groups)
        ]
        spans.append(Span(low=min(one.min for one in groups), high=max(one.max for one in groups)))
    return found.num_rows, spans[0], spans[1]


def read_surface(path: Path) -> dict[str, Any] | None:
    """The strategy's surface that was kept with the scores, or None.

    Raises:
        FileNotFoundError: There is no such file.
    """
    kept = (pq.read_metadata(path).metadata or {}).get(_SURFACE)
    return None if kept is None else dict(json.loads(kept))
