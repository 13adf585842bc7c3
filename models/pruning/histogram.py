"""How many neighbours examples have at each threshold: what a good tau is read off."""

import threading
from dataclasses import dataclass
from typing import Final, Literal, Self

import numpy as np
from numpy.typing import NDArray

from models.numerics.similarity import unit_rows
from models.protocols import Float32Array, Indices
from models.pruning.blas_threads import Crew
from models.pruning.similarity import Similarity

Float64Array = NDArray[np.float64]

_BINS = 1000
_CHUNK = 1024
_TOGETHER = 32
"""Examples that are counted at a time: little memory, which stays in the cache, for many turns."""
_HAIR: Final = 1e-6


@dataclass(frozen=True)
class NeighbourHistogram:
    """Numbers of neighbours of S sampled examples among all N, at T thresholds.

    Attributes:
        thresholds: (T,) float64 ascending, similarities; they are those of cosines 0, 0.001, 0.002
            up to 0.999.
        counts: (S, T) int64, neighbours from that similarity on, without the example itself.
    """

    thresholds: Float64Array
    counts: Indices

    def mean(self) -> Float64Array:
        """Return the mean number of neighbours at each threshold: (T,)."""
        mean: Float64Array = self.counts.mean(axis=0)
        return mean

    def quantile(self, share: float) -> Float64Array:
        """Return the number that a share 0..1 of examples have at most, at each threshold: (T,)."""
        return np.quantile(self.counts, share, axis=0, method="lower").astype(np.float64)

    def isolated(self) -> Float64Array:
        """Return the share of examples without any neighbour at each threshold: (T,) in 0..1."""
        share: Float64Array = (self.counts == 0).mean(axis=0)
        return share

    def threshold_for(self, wanted: int) -> tuple[float, bool]:
        """Return the largest threshold at which half of all examples have `wanted` neighbours.

        Returns:
            The threshold, and True; or the lowest threshold and False where there is none.
        """
        enough = np.flatnonzero((self.counts >= wanted).mean(axis=0) >= 0.5)
        if len(enough) == 0:
            return float(self.thresholds[0]), False
        return float(self.thresholds[enough[-1]]), True


@dataclass(frozen=True)
class NeighbourTable:
    """A histogram at a few thresholds that differ in what they mean.

    Attributes:
        thresholds: (T,) float64 descending.
        medians: (T,) int64, the number of neighbours that half of all examples have at least.
        least: (B,) int64 ascending, the least number of neighbours in each bin: 0, 1, 2, 4, 8 and
            so on; the last bin has no upper end.
        shares: (T, B) float64 in 0..1, the share of examples in each bin.
    """

    thresholds: Float64Array
    medians: Indices
    least: Indices
    shares: Float64Array

    @classmethod
    def of(cls, histogram: NeighbourHistogram, tau: float) -> Self:
        """Take the thresholds at which half of all examples have 1, 2, 4, 8, ... neighbours.

        Args:
            histogram: of any embeddings.
            tau: the threshold in use; it is one of those of the table, or the nearest that the
                histogram has.
        """
        most = int(histogram.counts.max(initial=0))
        rows = {int(np.searchsorted(histogram.thresholds, tau - _HAIR).clip(0, _BINS - 1))}
        for power in range(most.bit_length()):
            threshold, reached = histogram.threshold_for(2**power)
            if reached:
                rows.add(int(np.searchsorted(histogram.thresholds, threshold)))
        chosen = np.array(sorted(rows, reverse=True))
        counts = histogram.counts[:, chosen]  # (S, T)
        highest = int(counts.max(initial=0)).bit_length()
        least = np.array([0, *(2**power for power in range(highest))], dtype=np.int64)
        bins = np.searchsorted(least, counts, side="right") - 1
        shares = (bins[:, :, None] == np.arange(len(least))).mean(axis=0)
        medians = np.quantile(counts, 0.5, axis=0, method="higher").astype(np.int64)
        return cls(histogram.thresholds[chosen], medians, least, shares)


def neighbour_histogram(
    embeddings: Float32Array,
    kind: Literal["shifted", "cosine"] = "shifted",
    *,
    sample: int = 256,
    seed: int = 0,
) -> NeighbourHistogram:
    """Count the neighbours of a random sample of examples at every threshold, in one pass.

    Args:
        embeddings: (N, D), finite; may be memory-mapped.
        kind: which similarity the thresholds are of; see `Similarity`.
        sample: how many examples to look at; all if there are fewer.
        seed: of the sample.
    """
    generator = np.random.default_rng(seed)
    drawn = np.sort(generator.choice(len(embeddings), min(sample, len(embeddings)), replace=False))
    queries = unit_rows(embeddings[drawn])
    own = np.arange(_TOGETHER)[:, None] * (_BINS + 1)

    totals = np.zeros((len(drawn), _BINS + 1), dtype=np.int64)
    adding = threading.Lock()

    def count(start: int) -> None:
        rows = unit_rows(embeddings[start : start + _CHUNK]).T
        for first in range(0, len(drawn), _TOGETHER):
            some = slice(first, first + _TOGETHER)
            cosine = queries[some] @ rows
            itself = drawn[some] - start
            here = np.flatnonzero((itself >= 0) & (itself < rows.shape[1]))
            cosine[here, itself[here]] = -1
            # Bin 0 is below every threshold; a hair is added so that 0.95 is not below 0.95.
            cosine *= _BINS
            cosine += 1 + 1e-3
            bins = cosine.clip(0, _BINS, out=cosine).astype(np.intp)
            bins += own[: len(bins)]
            found = np.bincount(bins.ravel(), minlength=len(bins) * (_BINS + 1))
            with adding:
                totals[some] += found.reshape(len(bins), -1)

    Crew().each(count, range(0, len(embeddings), _CHUNK))
    binned = totals[:, 1:]
    counts = np.cumsum(binned[:, ::-1], axis=1)[:, ::-1]
    thresholds = Similarity(kind, 0.0).of(np.arange(_BINS) / _BINS)
    return NeighbourHistogram(thresholds, np.ascontiguousarray(counts))
