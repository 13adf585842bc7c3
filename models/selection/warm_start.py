"""What a first queue shows before there is any verdict: images typical of each part of the pool.

Source: G. Hacohen, A. Dekel, D. Weinshall, "Active Learning on a Budget: Opposite Strategies Suit
High and Low Budgets", ICML 2022 (TypiClust): of a clustering of the pool, the most typical image of
each cluster that holds none that is asked about already, the largest cluster first. Ours: typical
is what is nearest to the centre; clusterings become finer step by step, so that wherever the
annotators stop, what they have seen is spread over the pool; a sample of a large pool.
"""

import warnings
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import KMeans, MiniBatchKMeans
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from models.protocols import Float32Array, Indices

MOST: Final = 400
"""Typical images at most: what is asked after so many is better chosen by a model."""
_SAMPLE: Final = 10_000
_EXACT: Final = 4_000
_BLOCK: Final = 4_096
_COARSEST: Final = 10
_FINER: Final = 1.5
_COARSE: Final = 150
_FINEST: Final = 800
_BEGINNINGS: Final = 4


def typical_first(
    rows: Float32Array, candidates: Indices, staying: Indices, places: int, *, seed: int
) -> Indices:
    """Choose images that stand for the others, in the order in which to ask about them.

    Rows are centred and scaled to length one, and clustered by k-means, into 10, 15, 22 … clusters.
    Each time, those that hold no image so far give the one nearest to their centre, the largest
    first, until as many images are there as clusters, together with those that are asked about
    anyway.

    Args:
        rows: (N, D) embeddings of all images; read in blocks, if they are mapped from a file.
        candidates: (n,) int64 distinct in 0..N-1, the images of the pool, n >= 1.
        staying: (m,) int64 of the candidates, those that are asked about anyway, in their order
            and evenly among the others.
        places: how many are wanted, >= 1.
        seed: decides the sample of a large pool, and where clusters begin.

    Returns:
        At most (places,) int64 of the candidates, none of them staying. Fewer, where more images
        are hardly another's likes. On one machine the same for the same arguments.
    """
    sample = np.sort(candidates)
    if len(sample) > _SAMPLE:
        drawn = np.random.default_rng(seed).choice(sample, _SAMPLE, replace=False)
        sample = np.union1d(drawn, staying)
    unit = _unit(rows, sample)
    there = np.searchsorted(sample, staying)
    finest = min(places + len(there), len(sample), _FINEST)
    taken = np.zeros(len(sample), dtype=np.bool_)
    taken[there] = True
    chosen: list[int] = []
    count = min(_COARSEST, finest)
    while True:
        clusters = _clusters(unit, count, seed)
        wanted = round(count * places / (places + len(there))) if count < finest else places
        asked = [*chosen, *there[: count - wanted].tolist()]
        for position in clusters.nearest(asked, taken):
            if len(chosen) >= wanted:
                break
            chosen.append(position)
            taken[position] = True
        if count == finest:
            break
        count = min(int(count * _FINER), finest)
    result: Indices = sample[chosen].astype(np.int64)
    return result


@dataclass(frozen=True, slots=True)
class _Clusters:
    """A clustering of n images.

    Attributes:
        of: (n,) cluster of each.
        apart: (n,) distance of each from the centre of its cluster.
        sizes: (K,) images of each cluster.
    """

    of: NDArray[np.int32]
    apart: Float32Array
    sizes: NDArray[np.int64]

    def nearest(self, asked: list[int], taken: NDArray[np.bool_]) -> list[int]:
        """Of each cluster without an image of ``asked`` the most typical; the largest first."""
        free = np.flatnonzero(~taken & ~np.isin(self.of, self.of[asked]))
        order = free[np.lexsort((self.apart[free], self.of[free], -self.sizes[self.of[free]]))]
        first = np.ones(len(order), dtype=np.bool_)
        first[1:] = self.of[order[1:]] != self.of[order[:-1]]
        found: list[int] = order[first].tolist()
        return found


def _clusters(unit: Float32Array, count: int, seed: int) -> _Clusters:
    if len(unit) <= _EXACT:
        # Fine clusterings are begun once: they take long, and how they begin matters less.
        beginnings = _BEGINNINGS if count <= _COARSE else 1
        means = KMeans(count, n_init=beginnings, max_iter=50, random_state=seed)
    else:
        means = MiniBatchKMeans(count, n_init=1, max_iter=5, batch_size=_BLOCK, random_state=seed)
    # Of one thread: several wait for each other where others use the machine, and what comes out
    # depends on how many they are.
    with warnings.catch_warnings(), threadpool_limits(1):
        # Of fewer distinct images than clusters: then some stay empty.
        warnings.simplefilter("ignore", ConvergenceWarning)
        of = means.fit_predict(unit)
    apart = np.empty(len(unit), dtype=np.float32)
    for start in range(0, len(unit), _BLOCK):
        block = slice(start, start + _BLOCK)
        apart[block] = np.linalg.norm(unit[block] - means.cluster_centers_[of[block]], axis=1)
    return _Clusters(of, apart, np.bincount(of, minlength=count))


def _unit(rows: Float32Array, sample: Indices) -> Float32Array:
    """Return (n, D) float32 of the sample, centred and of length one, but for what is the mean."""
    unit = np.empty((len(sample), rows.shape[1]), dtype=np.float32)
    for start in range(0, len(sample), _BLOCK):
        unit[start : start + _BLOCK] = rows[sample[start : start + _BLOCK]]
    unit -= unit.mean(axis=0)
    unit /= np.maximum(np.linalg.norm(unit, axis=1, keepdims=True), 1e-12)
    return unit
