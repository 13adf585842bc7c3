"""Conditional mutual information of log-determinants, maximised greedily.

Source: S. Kothawade et al., "SIMILAR: Submodular Information Measures Based Active Learning In
Realistic Scenarios", NeurIPS 2021, table 1 (LogDetCMI); the incremental variances are those of
L. Chen et al., "Fast Greedy MAP Inference for Determinantal Point Process", NeurIPS 2018,
section 3, kept in the space of the features instead of the pool.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from models.numerics.similarity import unit_rows
from models.protocols import Float32Array, Progress
from models.selection.picks import Chosen, Picks
from models.selection.points import Points

Float64Array = NDArray[np.float64]


def log_det_cmi(
    points: Points,
    lengths: Float32Array,
    wanted: Float32Array,
    unwanted: Float32Array,
    n: int,
    *,
    eta: float,
    nu: float,
    diagonal: float,
    progress: Progress | None = None,
) -> Picks:
    """Maximise I(A; Q | P) with f(A) = log det(S_A + diagonal * 1) over sets A of candidates.

    S holds cosines, those between A and Q times `eta` and those between A and P times `nu`. The
    gain of a candidate is log v - log v', where v is its variance given P and the picks so far, and
    v' its variance given Q too, in a Gaussian process with covariance S + diagonal * 1. Cosines are
    products of D numbers, so that both variances follow from two D x D matrices: O(N * D) per pick,
    and no similarity between candidates is kept.

    Args:
        points: N candidates, without factors.
        lengths: (N,) float32, their norms.
        wanted: (m, D) float32, Q: what to be similar to.
        unwanted: (l, D) float32, P: what to be different from.
        n: how many to pick.
        eta: 0..1, weight of Q.
        nu: 0..1, weight of P.
        diagonal: > 0; higher = less weight on differences between picks.
        progress: counts picks; may raise `Cancelled`.

    Returns:
        min(n, N) picks; a gain is that of the objective.
    """
    chosen = Chosen.room(min(n, len(points)), progress)
    inverse: Float32Array = np.reciprocal(np.maximum(lengths, np.float32(1e-12)))
    wanted, unwanted = unit_rows(wanted), unit_rows(unwanted)
    without = _Process.given(unwanted, np.full(len(unwanted), nu), diagonal)
    known = np.concatenate([unwanted, wanted])
    weights = np.repeat([nu, eta], [len(unwanted), len(wanted)])
    given = _Process.given(known, weights, diagonal)
    both = (without, given)
    for process in both:
        process.start(points, inverse)
    open_ = np.ones(len(points), dtype=np.bool_)
    while not chosen.full():
        gains = np.log(without.variance) - np.log(given.variance)
        gains[~open_] = -np.inf
        best = int(gains.argmax())
        chosen.add(best, float(gains[best]))
        open_[best] = False
        row = points.embeddings[best].astype(np.float64) * float(inverse[best])
        directions = [process.observe(row, float(process.variance[best])) for process in both]
        for here, block in points.blocks():
            for process, direction in zip(both, directions, strict=True):
                process.explain(here, block, direction, inverse)
    rest = np.log(without.variance) - np.log(given.variance)
    return Picks(chosen.order, chosen.gains, rest)


@dataclass
class _Process:
    """Covariance between rows x and y: x @ matrix @ y, plus `diagonal` where they are one.

    Attributes:
        matrix: (D, D) float64.
        diagonal: > 0.
        variance: (N,) float64 of each candidate, >= `diagonal` but for rounding.
    """

    matrix: Float64Array
    diagonal: float
    variance: Float64Array

    @classmethod
    def given(cls, rows: Float32Array, weights: Float64Array, diagonal: float) -> "_Process":
        """Condition on (m, D) unit rows whose covariances with candidates are weighted by (m,)."""
        exact = rows.astype(np.float64)
        scaled = exact * weights[:, None]
        gram = exact.T @ exact
        cross = scaled.T @ exact
        size = rows.shape[1]
        # Woodbury: the inverse of an m x m matrix by way of a D x D one.
        inner = np.linalg.solve(gram + diagonal * np.eye(size), cross.T)
        matrix = np.eye(size) - (scaled.T @ scaled - cross @ inner) / diagonal
        return cls((matrix + matrix.T) / 2, diagonal, np.empty(0))

    def start(self, points: Points, inverse: Float32Array) -> None:
        """Compute the variance of every candidate."""
        narrow = self.matrix.astype(np.float32)
        self.variance = np.empty(len(points))
        for here, block in points.blocks():
            rows = block.embeddings * inverse[here, None]
            self.variance[here] = np.einsum("ij,ij->i", rows @ narrow, rows) + self.diagonal
        np.maximum(self.variance, self.diagonal, out=self.variance)

    def observe(self, row: Float64Array, variance: float) -> Float32Array:
        """Condition on one more candidate, a unit row with its present variance.

        Returns:
            (D,) whose products with unit rows, squared, are what variances lose.
        """
        direction = self.matrix @ row
        self.matrix -= np.outer(direction, direction) / variance
        scaled: Float32Array = (direction / np.sqrt(variance)).astype(np.float32)
        return scaled

    def explain(
        self, here: slice, block: Points, direction: Float32Array, inverse: Float32Array
    ) -> None:
        """Take what `observe` returned off the variances of a block of candidates."""
        along = (block.embeddings @ direction) * inverse[here]
        left = self.variance[here] - np.square(along, dtype=np.float64)
        self.variance[here] = np.maximum(left, self.diagonal)
