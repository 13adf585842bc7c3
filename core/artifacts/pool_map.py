"""Images on a plane: by two scores of a round, or as a map of the pool lays them out."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypedDict

import numpy as np
import pyarrow.parquet as pq
from numpy.typing import NDArray

AXES: Final = ("purity", "informativeness")
"""Columns of the scores of a round that its map is drawn by."""
_SURFACE: Final = b"karat.surface"

Float32Array = NDArray[np.float32]
Int64Array = NDArray[np.int64]
Mask = NDArray[np.bool_]


class Span(TypedDict):
    """Least and greatest value of a score."""

    low: float
    high: float


@dataclass(frozen=True)
class Plane:
    """N images in order of their pool index.

    Attributes:
        indices: (N,) int64, ascending.
        x: (N,) float32.
        y: (N,) float32.
    """

    indices: Int64Array
    x: Float32Array
    y: Float32Array

    def __len__(self) -> int:
        """Return N."""
        return len(self.indices)

    def spans(self) -> tuple[Span, Span]:
        """Range of x and of y; N >= 1."""
        return _span(self.x), _span(self.y)

    def find(self, pool_index: int) -> int | None:
        """Position of an image, if it is on the plane."""
        at = int(np.searchsorted(self.indices, pool_index))
        return at if at < len(self) and self.indices[at] == pool_index else None

    def inside(self, polygon: Sequence[tuple[float, float]]) -> Mask:
        """Which images lie within a polygon: (N,) bool, by the even-odd rule.

        Args:
            polygon: Corners (x, y), at least three; it closes itself.
        """
        corners = np.array(polygon, dtype=np.float64)
        low, high = corners.min(axis=0), corners.max(axis=0)
        found: Mask = (
            (self.x >= low[0]) & (self.x <= high[0]) & (self.y >= low[1]) & (self.y <= high[1])
        )
        near = np.flatnonzero(found)
        x = self.x[near].astype(np.float64)
        y = self.y[near].astype(np.float64)
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

        Level z cuts the whole range of both axes into 2^z columns and rows, from the least value.
        """
        tiles = 1 << level
        found = np.ones(len(self), dtype=bool)
        for values, place in ((self.x, column), (self.y, row)):
            if level:
                found &= cells(values, _span(values), tiles) == place
        return np.flatnonzero(found).astype(np.int64)

    def bins(self, positions: Int64Array, level: int, column: int, row: int, side: int) -> Any:
        """Count the images at (n,) positions of a tile: (side, side) uint32, rows from below."""
        found = self.bins_of(positions, level, column, row, side)
        return np.bincount(found, minlength=side * side).astype(np.uint32)

    def bins_of(self, positions: Int64Array, level: int, column: int, row: int, side: int) -> Any:
        """In which bin of a tile, row by row from below, each of n images is: (n,) int64."""
        count = side << level
        x = cells(self.x, _span(self.x), count)[positions] - column * side
        y = cells(self.y, _span(self.y), count)[positions] - row * side
        return y * side + x


@dataclass(frozen=True)
class PoolMap(Plane):
    """The scores of a round: x is raw purity, y raw informativeness, both higher = better.

    Attributes:
        meta_scores: (N,) float32 of the strategy, NaN where it has none.
    """

    meta_scores: Float32Array


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


def read_plane(path: Path) -> Plane:
    """Read a map that lays a pool out: 16 bytes an image stay in memory.

    Raises:
        FileNotFoundError: There is no such file.
    """
    table = pq.read_table(path, columns=["pool_index", "x", "y"])
    return Plane(*(table[name].to_numpy() for name in ("pool_index", "x", "y")))


def read_head(path: Path, axes: tuple[str, str] = AXES) -> tuple[int, Span, Span] | None:
    """How many images are on a plane, and their ranges, from the last few kilobytes of its file.

    Args:
        path: The file.
        axes: Its columns.

    Returns:
        None for a file without images.

    Raises:
        FileNotFoundError: There is no such file.
    """
    found = pq.read_metadata(path)
    if found.num_rows == 0:
        return None
    spans = []
    for column in axes:
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
