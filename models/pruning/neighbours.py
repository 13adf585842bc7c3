"""Every pair of examples whose embeddings are similar, exactly, without comparing all of them.

An embedding of length 1 is held a second time as (p, r): its first few coordinates p in the basis
of principal components, and the length r of what they leave. By Cauchy-Schwarz the product of two
such short rows is never below the cosine, so a pair with a product below the threshold is no pair
of neighbours; and as short rows have length 1 too, the triangle inequality on their angles rules
out whole tiles of examples that lie near each other. Only what is left is compared in full.
"""

import hashlib
import math
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController

from models.protocols import Float32Array, Indices
from models.pruning.similarity import Similarity
from models.purity.knn import unit_rows

T = TypeVar("T")
R = TypeVar("R")

_TILE, _QUERIES = 512, 1024
"""Examples that are compared at a time: their short rows stay in the cache."""
_PER_CLUSTER = 1024
_MOST_CLUSTERS = 2048
_SAMPLE = 8192
_CHUNK = 4096
_ROUNDS = 5
_SLACK = 1e-4
"""Far more than rounding can make of products of rows of length 1 in single precision."""
_ANGLE_SLACK = 2e-3
"""The same for angles, which rounding moves more where they are small."""
_SAME = np.float32(1 - 2**-22)
_SCAN, _PAIR, _BLOCK = 15.0, 40_000.0, 1000.0
"""What looking at a short product costs, and comparing in full a pair alone or one of a block of
pairs: all in multiplications of a block."""
_PAIRWISE = 24
"""Below one neighbour in so many, pairs are compared one by one."""


@dataclass(frozen=True)
class Rows:
    """Neighbours of q examples.

    Attributes:
        starts: (q + 1,) int64; those of example i are starts[i] to starts[i + 1].
        columns: (E,) int32 positions, the example itself among them; each once per example.
        cosines: (E,) float32.
    """

    starts: Indices
    columns: NDArray[np.int32]
    cosines: Float32Array


@dataclass(frozen=True)
class _Found:
    rows: NDArray[np.int32]
    columns: NDArray[np.int32]
    cosines: Float32Array


class _Crew:
    """Threads that each do linear algebra on their own.

    On matrices as small as a tile, the threads of a library of linear algebra mostly wait for each
    other; so there is one library thread per thread of ours instead.
    """

    def __init__(self) -> None:
        self._libraries = ThreadpoolController()
        threads = [
            one["num_threads"] for one in self._libraries.info() if one["user_api"] == "blas"
        ]
        self._size = max(threads, default=1)

    def alone(self) -> AbstractContextManager[object]:
        """Return a context in which linear algebra uses the calling thread only."""
        context: AbstractContextManager[object] = self._libraries.limit(limits=1, user_api="blas")
        return context

    def each(self, work: Callable[[T], R], items: Iterable[T]) -> list[R]:
        """Call `work` with each item; the results are in the order of the items."""
        with self.alone():
            if self._size == 1:
                return [work(item) for item in items]
            with ThreadPoolExecutor(self._size) as pool:
                return list(pool.map(work, items))


class Neighbours:
    """Finds the neighbours among N examples: O(N D) memory.

    The cosine of two examples is the product, summed in float64 and rounded to float32, of their
    embeddings divided by their length in float32; 1 where nothing but rounding separates it from
    1. Two ways of summing agree on it unless they straddle a rounding boundary by accident, once
    in 10^8 pairs: so results depend neither on blocks nor on the library of linear algebra, and
    duplicates get equal numbers.
    """

    def __init__(self, embeddings: Float32Array, similarity: Similarity, seed: int = 0) -> None:
        """Sort the examples into tiles.

        Args:
            embeddings: (N, D), finite, N > 0; may be memory-mapped. A row of zeros is orthogonal to
                everything, itself included.
            similarity: says what a neighbour is.
            seed: of the samples that decide how the work is laid out, never the result.
        """
        self._similarity = similarity
        self._crew = _Crew()
        generator = np.random.default_rng(seed)
        sample = unit_rows(embeddings[_drawn(len(embeddings), _SAMPLE, generator)])
        with self._crew.alone():
            basis = _basis(sample, similarity.least_cosine - _SLACK)
        short = np.empty((len(embeddings), basis.shape[1] + 1), dtype=np.float32)

        def shorten(here: slice) -> None:
            short[here] = _shortened(unit_rows(embeddings[here]), basis)

        self._crew.each(shorten, _chunks(len(embeddings)))
        order, cuts = _sorted(short, generator, self._crew)
        self._order = order.astype(np.int32)
        self._place = np.empty(len(order), dtype=np.int64)
        self._place[order] = np.arange(len(order))
        self._unit = np.empty(embeddings.shape, dtype=np.float32)

        def arrange(here: slice) -> None:
            self._unit[here] = unit_rows(embeddings[order[here]])

        self._crew.each(arrange, _chunks(len(embeddings)))
        self._short = short[order]
        self._tiles = [slice(a, b) for a, b in pairwise(cuts)]
        self._centers, self._reach = self._bounds()

    def __len__(self) -> int:
        """Return N."""
        return len(self._order)

    def groups(self) -> Indices:
        """Return a number per example, (N,), which those with equal rows share, from 0 on."""
        numbers: dict[bytes, int] = {}
        groups = np.empty(len(self), dtype=np.int64)
        for position, place in enumerate(self._place.tolist()):
            digest = hashlib.blake2b(self._unit[place].data, digest_size=16).digest()
            groups[position] = numbers.setdefault(digest, len(numbers))
        return groups

    def rows(self, positions: Indices) -> Rows:
        """Return the neighbours of the examples at (q,) positions."""
        # Queries that lie near each other have neighbours in the same tiles.
        near = np.argsort(self._place[positions])
        places = self._place[positions[near]]
        queries, short = self._unit[places].astype(np.float64), self._short[places]

        def search(tile: int) -> list[_Found]:
            who = np.flatnonzero(short @ self._centers[tile] >= self._reach[tile])
            return [
                self._compared(queries, short, who[start : start + _QUERIES], self._tiles[tile])
                for start in range(0, len(who), _QUERIES)
            ]

        found = self._crew.each(search, range(len(self._tiles)))
        return self._gathered(near.astype(np.int32), [one for some in found for one in some])

    def _gathered(self, queries: NDArray[np.int32], found: list[_Found]) -> Rows:
        """Sort what was found by query; (q,) `queries` says which row of `found` is which."""
        none = np.empty(0, dtype=np.int32)
        found = [_Found(none, none, none.astype(np.float32)), *found]
        rows = queries[np.concatenate([one.rows for one in found])]
        by_row = np.argsort(rows, kind="stable")
        counts = np.bincount(rows, minlength=len(queries))
        columns = np.concatenate([one.columns for one in found])[by_row]
        cosines = np.concatenate([one.cosines for one in found])[by_row]
        return Rows(np.concatenate([[0], np.cumsum(counts)]), self._order[columns], cosines)

    def _compared(
        self,
        queries: NDArray[np.float64],
        short: Float32Array,
        who: NDArray[np.intp],
        tile: slice,
    ) -> _Found:
        """Compare some of the queries with a tile."""
        bound = short[who] @ self._short[tile].T
        hits = np.flatnonzero(bound >= np.float32(self._similarity.least_cosine - _SLACK))
        row, column = np.divmod(hits, bound.shape[1])
        cosines = _products(queries, who, self._unit[tile], row, column).astype(np.float32)
        cosines[cosines > _SAME] = 1
        kept = self._similarity.of(cosines) >= self._similarity.tau
        rows, columns = who[row[kept]], tile.start + column[kept]
        return _Found(rows.astype(np.int32), columns.astype(np.int32), cosines[kept])

    def _bounds(self) -> tuple[Float32Array, Float32Array]:
        """Return the center of each tile and the least product with it that a neighbour can have.

        Returns:
            (tiles, d + 1) rows of length 1, and (tiles,).
        """
        centers = unit_rows(np.stack([self._short[tile].mean(axis=0) for tile in self._tiles]))
        least = math.acos(min(1.0, max(-1.0, self._similarity.least_cosine - _SLACK)))
        reach = np.empty(len(centers))
        for number, tile in enumerate(self._tiles):
            nearest = float((self._short[tile] @ centers[number]).min())
            widest = math.acos(min(1.0, max(-1.0, nearest))) + least + _ANGLE_SLACK
            # Short rows of zeros have no angle: the tile that holds them is always looked at.
            zeros = not self._short[tile].any(axis=1).all()
            reach[number] = -np.inf if widest >= math.pi or zeros else math.cos(widest)
        return centers, reach.astype(np.float32)


def _basis(sample: Float32Array, least: float) -> Float32Array:
    """Return (D, d) orthonormal columns, d so that finding pairs from `least` on is least work."""
    dimension = sample.shape[1]
    centered = sample - sample.mean(axis=0)
    _, vectors = np.linalg.eigh((centered.T @ centered).astype(np.float64))
    basis = vectors[:, ::-1].astype(np.float32)
    left, right = sample[:256], sample[-2048:]
    best, least_work = dimension, math.inf
    for size in sorted({16, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, dimension}):
        if size > dimension:
            break
        a, b = _shortened(left, basis[:, :size]), _shortened(right, basis[:, :size])
        passing = float((a @ b.T >= least).mean())
        full = _BLOCK * (1 - math.exp(-_PAIR / _BLOCK * passing) + passing)
        if size + _SCAN + full < least_work:
            best, least_work = size, size + _SCAN + full
    return np.ascontiguousarray(basis[:, :best])


def _products(
    queries: NDArray[np.float64],
    who: NDArray[np.intp],
    members: Float32Array,
    row: NDArray[np.intp],
    column: NDArray[np.intp],
) -> NDArray[np.float64]:
    """Return the (h,) products of queries[who[row]] and members[column], pair by pair."""
    rows, row_of = _distinct(row, len(who))
    columns, column_of = _distinct(column, len(members))
    if len(row) * _PAIRWISE >= len(rows) * len(columns):
        block = queries[who[rows]] @ members[columns].astype(np.float64).T
        return np.asarray(block[row_of, column_of])
    products = np.empty(len(row))
    for some in _chunks(len(row)):
        right = members[column[some]].astype(np.float64)
        products[some] = np.vecdot(queries[who[row[some]]], right)
    return products


def _distinct(values: NDArray[np.intp], size: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return which of 0..size-1 occur, ascending, and the place of each value among them."""
    present = np.zeros(size, dtype=np.bool_)
    present[values] = True
    return np.flatnonzero(present), (np.cumsum(present) - 1)[values]


def _shortened(unit: Float32Array, basis: Float32Array) -> Float32Array:
    """Return the (n, d) first coordinates of unit rows and, as one more, the length of the rest."""
    first = unit @ basis
    lengths = np.einsum("ij,ij->i", unit, unit) - np.einsum("ij,ij->i", first, first)
    return np.column_stack([first, np.sqrt(np.maximum(lengths, 0))])


def _sorted(
    short: Float32Array, generator: np.random.Generator, crew: _Crew
) -> tuple[Indices, list[int]]:
    """Return an order in which examples of one cluster are neighbours, and where to cut it."""
    count = max(1, min(_MOST_CLUSTERS, len(short) // _PER_CLUSTER))
    sample = short[_drawn(len(short), max(_SAMPLE, 16 * count), generator)]
    centers = sample[:count]
    for _ in range(_ROUNDS):
        nearest, _ = _nearest(sample, centers, crew)
        sums = np.zeros_like(centers)
        np.add.at(sums, nearest, sample)
        used = np.any(sums, axis=1, keepdims=True)
        centers = np.where(used, unit_rows(sums), centers)
    cluster, toward = _nearest(short, centers, crew)
    order = np.lexsort([-toward, cluster]).astype(np.int64)
    cuts = [0]
    for size in np.bincount(cluster, minlength=count).tolist():
        start, pieces = cuts[-1], math.ceil(size / _TILE)
        cuts.extend(start + size * piece // pieces for piece in range(1, pieces + 1))
    return order, cuts


def _nearest(
    rows: Float32Array, centers: Float32Array, crew: _Crew
) -> tuple[NDArray[np.int32], Float32Array]:
    """Return the center with the largest product for each row, and that product."""
    which = np.empty(len(rows), dtype=np.int32)
    toward = np.empty(len(rows), dtype=np.float32)

    def assign(here: slice) -> None:
        products = rows[here] @ centers.T
        which[here], toward[here] = products.argmax(axis=1), products.max(axis=1)

    crew.each(assign, _chunks(len(rows), _CHUNK // 8))
    return which, toward


def _drawn(count: int, most: int, generator: np.random.Generator) -> Indices:
    """Return up to `most` of `count` positions, at random."""
    if count <= most:
        return generator.permutation(count)
    return generator.choice(count, most, replace=False)


def _chunks(count: int, size: int = _CHUNK) -> Iterator[slice]:
    for start in range(0, count, size):
        yield slice(start, min(start + size, count))
