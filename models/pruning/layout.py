"""How embeddings are laid out, so that most pairs of them need not be compared.

See `models.pruning.neighbours` for what the layout is good for.
"""

import math
from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from models.numerics.similarity import unit_rows
from models.protocols import Float32Array, Indices
from models.pruning.blas_threads import Crew
from models.pruning.screen import BLUR

_TILE = 512
"""Examples that are compared at a time: the products with them stay in the cache."""
SAMPLE = 4096
_PER_CLUSTER = 1024
_MOST_CLUSTERS = 2048
_CHUNK = 1024
_ROUNDS = 5
_SOME = 1024
_SIZES = 16, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768
_MIXED = 0.5
"""From this share of clusters on that have to be looked at, sorting examples by cluster is idle."""
_ROUNDED = np.float32(4e-6)
"""More than rounding takes from a squared length."""
_ANGLE_SLACK = 2e-3
"""Far more than rounding can make of angles of rows in single precision."""
_SCAN, _PAIR, _BLOCK = 170.0, 170.0, 12.0
"""What looking at a product of codes costs, and, times the dimension, comparing in full a pair
alone or one of a block of pairs: all in multiplications of codes."""


def shortening(sample: Float32Array, least: float) -> Float32Array:
    """Return (D, d) orthonormal columns, d so that finding pairs from `least` on is least work."""
    dimension = sample.shape[1]
    centered = sample - sample.mean(axis=0)
    _, vectors = np.linalg.eigh((centered.T @ centered).astype(np.float64))
    basis = vectors[:, ::-1].astype(np.float32)
    left, right = (some @ basis for some in (sample[:128], sample[-1024:]))
    sizes = [one for one in _SIZES if one < dimension] + [dimension]
    product, best, least_work = np.zeros((len(left), len(right))), dimension, math.inf
    for start, size in pairwise([0, *sizes]):
        product += left[:, start:size] @ right[:, start:size].T
        rest = np.outer(*(np.linalg.norm(some[:, size:], axis=1) for some in (left, right)))
        passing = float((product + rest >= least - BLUR).mean())
        full = dimension * _BLOCK * (1 - math.exp(-_PAIR / _BLOCK * passing) + passing)
        if size + _SCAN + full < least_work:
            best, least_work = size, size + _SCAN + full
    return np.ascontiguousarray(basis[:, :best])


def short_size(basis: Float32Array) -> int:
    """Return the length of shortened rows."""
    dimension, size = basis.shape
    return int(size if size == dimension else size + 1)


def shortened(unit: Float32Array, basis: Float32Array) -> Float32Array:
    """Return the (n, d) first coordinates of unit rows and, as one more, the length of the rest.

    Where nothing would be left out the rows themselves do as well.
    """
    if short_size(basis) == unit.shape[1]:
        return unit
    first = unit @ basis
    whole = np.einsum("ij,ij->i", unit, unit)
    rest = np.maximum(whole - np.einsum("ij,ij->i", first, first), 0)
    # Never too short: the difference of two rounded numbers says little where little is left.
    return np.column_stack([first, np.sqrt(rest + np.where(whole > 0, _ROUNDED, 0))])


def sample_size(count: int) -> int:
    """Return of how many of so many examples the layout is found."""
    return min(count, max(SAMPLE, 16 * _clusters(count)))


def cluster_centers(
    sample: Float32Array, count: int, least: float, crew: Crew
) -> Float32Array | None:
    """Return the centers of clusters of short rows: (k, d) of length 1.

    None where clusters would rule out too little to be worth it.

    Args:
        sample: short rows, drawn at random.
        count: how many examples there are in all.
        least: the smallest cosine of neighbours.
        crew: does the work.
    """
    centers = sample[: _clusters(count)].copy()
    for tried in range(_ROUNDS):
        nearest, toward = _nearest(sample, centers, crew)
        together = np.argsort(nearest, kind="stable")
        used, starts = np.unique(nearest[together], return_index=True)
        reach = reach_of(np.minimum.reduceat(toward[together], starts), least)
        if tried > 0 and (sample[:_SOME] @ centers[used].T >= reach).mean() > _MIXED:
            return None
        centers[used] = unit_rows(np.add.reduceat(sample[together], starts))
    return centers


def by_cluster(cluster: NDArray[np.int32], toward: Float32Array) -> tuple[Indices, list[int]]:
    """Return an order in which examples of one cluster are neighbours, and where to cut it.

    Args:
        cluster: (N,) of each example.
        toward: (N,) its product with the center.
    """
    order = np.lexsort([-toward, cluster]).astype(np.int64)
    cuts = [0]
    for size in np.bincount(cluster).tolist():
        start, pieces = cuts[-1], math.ceil(size / _TILE)
        cuts.extend(start + size * piece // pieces for piece in range(1, pieces + 1))
    return order, cuts


def as_they_are(count: int) -> tuple[Indices, list[int]]:
    """Return the order in which examples are, and where to cut it."""
    return np.arange(count), [*range(0, count, _TILE), count]


def _clusters(count: int) -> int:
    return max(1, min(_MOST_CLUSTERS, count // _PER_CLUSTER))


def reach_of(nearest: Float32Array, least: float) -> Float32Array:
    """Return the least products with centers that neighbours of members can have.

    Args:
        nearest: (k,) smallest products of centers and their own members, all of length 1.
        least: the smallest cosine of neighbours.
    """
    widest = np.arccos(nearest.clip(-1, 1)) + math.acos(min(1.0, max(-1.0, least))) + _ANGLE_SLACK
    reach: Float32Array = np.where(widest >= math.pi, -np.inf, np.cos(widest)).astype(np.float32)
    return reach


def nearest_center(
    rows: Float32Array, centers: Float32Array
) -> tuple[NDArray[np.intp], Float32Array]:
    """Return the center with the largest product for each row, and that product."""
    products = rows @ centers.T
    return products.argmax(axis=1), products.max(axis=1)


def _nearest(
    rows: Float32Array, centers: Float32Array, crew: Crew
) -> tuple[NDArray[np.intp], Float32Array]:
    """Do the same by many threads."""
    parts = crew.each(lambda here: nearest_center(rows[here], centers), chunks(len(rows)))
    which, toward = zip(*parts, strict=True)
    return np.concatenate(which), np.concatenate(toward)


def drawn(count: int, most: int, generator: np.random.Generator) -> Indices:
    """Return up to `most` of `count` positions, at random."""
    if count <= most:
        return generator.permutation(count)
    return generator.choice(count, most, replace=False)


def chunks(count: int, size: int = _CHUNK) -> Iterator[slice]:
    """Yield slices of up to `size` that together are 0 to `count`."""
    for start in range(0, count, size):
        yield slice(start, min(start + size, count))
