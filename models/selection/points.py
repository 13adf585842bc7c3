"""Points of a Euclidean space whose distances come in blocks."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from models.protocols import Float32Array, Indices

_ROWS, _CENTERS = 2048, 4096
"""Distances in a block: 32 MB, which stays in the last cache."""
_SAME = 2e-6
"""Squared distances below this share of the squared norms are rounding errors: 0."""


@dataclass(frozen=True)
class Points:
    """N points.

    Attributes:
        embeddings: (N, D) float32; may be memory-mapped.
        factors: (N, C) float32 or None. With factors a point is the outer product of its two rows:
            C x D numbers that are never written down, as <q v', r w'> = <q, r> <v, w>.
    """

    embeddings: Float32Array
    factors: Float32Array | None = None

    def __len__(self) -> int:
        """Return N."""
        return len(self.embeddings)

    def take(self, positions: Indices) -> "Points":
        """Return a copy of the points at (n,) positions."""
        factors = None if self.factors is None else self.factors[positions]
        return Points(np.asarray(self.embeddings[positions]), factors)

    def blocks(self, rows: int = _ROWS) -> Iterator[tuple[slice, "Points"]]:
        """Yield where each run of `rows` points lies, and a view of it."""
        for start in range(0, len(self), rows):
            here = slice(start, min(start + rows, len(self)))
            factors = None if self.factors is None else self.factors[here]
            yield here, Points(np.asarray(self.embeddings[here]), factors)

    def squared_norms(self) -> Float32Array:
        """Return the squared length of each point, (N,) float32."""
        norms = np.empty(len(self), dtype=np.float32)
        for here, block in self.blocks():
            norms[here] = np.einsum("ij,ij->i", block.embeddings, block.embeddings)
            if block.factors is not None:
                norms[here] *= np.einsum("ij,ij->i", block.factors, block.factors)
        return norms

    def squared_distances(
        self, norms: Float32Array, others: "Points", other_norms: Float32Array
    ) -> Float32Array:
        """Return (n, m) squared distances to m other points, given all squared norms."""
        distances: Float32Array = self.embeddings @ others.embeddings.T
        if self.factors is not None and others.factors is not None:
            distances *= self.factors @ others.factors.T
        sizes = norms[:, None] + other_norms
        distances *= -2
        distances += sizes
        sizes *= _SAME
        distances[distances < sizes] = 0
        return distances


def lower_to_nearest(
    nearest: NDArray[np.float32],
    points: Points,
    norms: Float32Array,
    centers: Points,
    center_norms: Float32Array,
) -> None:
    """Lower (N,) `nearest`, in place, to the squared distance to the nearest of m centers."""
    for part, some in centers.blocks(_CENTERS):
        for here, block in points.blocks():
            distances = block.squared_distances(norms[here], some, center_norms[part])
            np.minimum(nearest[here], distances.min(axis=1), out=nearest[here])
