"""Every pair of examples whose embeddings are similar, exactly, without comparing all of them.

An embedding, scaled to length 1, is described by (p, r): its first few coordinates p in the basis
of principal components, and the length r of what they leave. By Cauchy-Schwarz the product of two
such short rows is never below the cosine, so a pair with a product below the threshold is no pair
of neighbours; and as short rows have length 1 too, the triangle inequality on their angles rules
out whole tiles of examples that lie near each other. Of what is left, products of 8-bit integers
(`models.pruning.screen`) say which pairs are worth comparing in full.
"""

import hashlib
import warnings
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import pairwise

import numpy as np
import torch
from numpy.typing import NDArray

from models.numerics.similarity import row_lengths, unit_rows
from models.protocols import Float32Array, Indices
from models.pruning.blas_threads import Crew
from models.pruning.layout import (
    SAMPLE,
    as_they_are,
    by_cluster,
    chunks,
    cluster_centers,
    drawn,
    nearest_center,
    reach_of,
    sample_size,
    short_size,
    shortened,
    shortening,
)
from models.pruning.screen import Coded, Room, Screen
from models.pruning.similarity import Similarity

_QUERIES = 1024
_SLACK = 1e-4
"""Far more than rounding can make of products of rows of length 1 in single precision."""
_SAME = np.float32(1 - 2**-22)
_PAIRWISE = 16
"""Below one in so many, pairs are compared one by one."""
_PAIRS = 256
"""Pairs that are compared in full at a time."""
_PRODUCTS = 6_000_000
"""Products of codes that a thread forms at a time, about, before it compares pairs: enough to be
worth the turn, and few pairs wait in memory."""


@dataclass(frozen=True)
class Rows:
    """Neighbours of q examples.

    Attributes:
        starts: (q + 1,) int64; those of example i are starts[i] to starts[i + 1].
        columns: (E,) int32 positions, the example itself among them unless its embedding is all
            zeros; each once per example.
        cosines: (E,) float32.
    """

    starts: Indices
    columns: NDArray[np.int32]
    cosines: Float32Array


@dataclass(frozen=True)
class _Queries:
    """Examples whose neighbours are wanted: their rows in every form."""

    short: Float32Array
    unit: Float32Array
    coded: Coded

    @cached_property
    def everyone(self) -> NDArray[np.intp]:
        """Return 0 to q - 1."""
        return np.arange(len(self.short))


_UNKNOWN: Float32Array = np.empty(0, dtype=np.float32)


@dataclass(frozen=True)
class _Pairs:
    """Queries and positions; `cosines` is `_UNKNOWN` where they have not been compared."""

    rows: Indices
    columns: NDArray[np.int32]
    cosines: Float32Array


class Neighbours:
    """Finds the neighbours among N examples, in no more memory than their embeddings take again.

    Rows of length 1 are made where they are needed and not kept: a second copy of the embeddings
    would cost a selection more, as memory that is touched for the first time, than dividing again.

    The cosine of two examples is the product, summed in float64 and rounded to float32, of their
    embeddings divided by their length in float32; 1 where nothing but rounding separates it from
    1. Two ways of summing agree on it unless they straddle a rounding boundary by accident, once
    in 10^8 pairs: so results do not depend on how the work is laid out, and duplicates get equal
    numbers.
    """

    def __init__(self, embeddings: Float32Array, similarity: Similarity, seed: int = 0) -> None:
        """Sort the examples into tiles.

        Args:
            embeddings: (N, D), finite, N > 0; may be memory-mapped, and must not change after. They
                are copied unless they are contiguous. A row of zeros is orthogonal to everything,
                itself included.
            similarity: says what a neighbour is.
            seed: of the samples that decide how the work is laid out, never the result.
        """
        self._similarity = similarity
        self._least = similarity.least_cosine - _SLACK
        self._embeddings = np.ascontiguousarray(embeddings)
        self._lengths = np.empty(len(embeddings), dtype=np.float32)
        self._crew = Crew()
        generator = np.random.default_rng(seed)
        sample = embeddings[drawn(len(embeddings), sample_size(len(embeddings)), generator)]
        sample /= row_lengths(sample)[:, None]
        self._basis = shortening(sample[:SAMPLE], self._least)
        size = short_size(self._basis)
        self._screen = Screen(len(embeddings), size, generator)
        sample = shortened(sample, self._basis)
        centers = cluster_centers(sample, len(embeddings), self._least, self._crew)
        if centers is None:
            # Which tile is looked at is not asked of short rows, so nobody keeps them.
            self._short = np.empty((len(embeddings), 0), dtype=np.float32)
            order, cuts = as_they_are(len(embeddings))
            self._crew.each(
                lambda here: self._screen.put(here, self._shortened(here)), chunks(len(self._short))
            )
        else:
            order, cuts = self._clustered(centers, size)
        self._order = order.astype(np.int32)
        self._place = np.empty(len(order), dtype=np.int64)
        self._place[order] = np.arange(len(order))
        self._tiles = [slice(a, b) for a, b in pairwise(cuts)]
        self._widest = max(tile.stop - tile.start for tile in self._tiles)
        self._centers, self._reach = self._bounds(clustered=centers is not None)

    def __len__(self) -> int:
        """Return N."""
        return len(self._order)

    def groups(self) -> Indices:
        """Return a number per example, (N,), which those with equal rows share, from 0 on."""
        numbers: dict[bytes, int] = {}
        groups = np.empty(len(self), dtype=np.int64)
        for here in chunks(len(self)):
            for position, row in enumerate(self._unit(here), here.start):
                digest = hashlib.blake2b(row.data, digest_size=16).digest()
                groups[position] = numbers.setdefault(digest, len(numbers))
        return groups

    def rows(self, positions: Indices) -> Rows:
        """Return the neighbours of the examples at (q,) positions."""
        # Queries that lie near each other have neighbours in the same tiles.
        near = np.argsort(self._place[positions])
        places = self._place[positions[near]]
        unit = self._unit(positions[near])
        queries = _Queries(self._short[places], unit, self._screen.at(places))
        each = max(1, _PRODUCTS // (max(1, len(places)) * self._widest))
        with warnings.catch_warnings():
            # PyTorch calls every sparse matrix of this layout a beta feature.
            warnings.filterwarnings("ignore", "Sparse CSR tensor support", UserWarning)
            # Embeddings that are memory-mapped may be; nothing is written here.
            warnings.filterwarnings("ignore", ".*array is not writable", UserWarning)
            parts = self._crew.each(partial(self._among, queries), chunks(len(self._tiles), each))
        return self._gathered(near.astype(np.int32), _joined(parts))

    def _gathered(self, queries: NDArray[np.int32], found: _Pairs) -> Rows:
        """Sort what was found by query; (q,) `queries` says which row of `found` is which."""
        rows = queries[found.rows]
        by_row = np.argsort(rows, kind="stable")
        counts = np.bincount(rows, minlength=len(queries))
        starts = np.concatenate([[0], np.cumsum(counts)])
        return Rows(starts, found.columns[by_row], found.cosines[by_row])

    def _unit(self, some: slice | Indices | NDArray[np.int32]) -> Float32Array:
        """Return the rows of some examples, scaled to length 1."""
        rows: Float32Array = self._embeddings[some] / self._lengths[some, None]
        return rows

    def _among(self, queries: _Queries, tiles: slice) -> _Pairs:
        """Return the neighbours of the queries that lie in some of the tiles."""
        room = self._screen.room(min(_QUERIES, len(queries.short)), self._widest)
        pairs: list[_Pairs] = []
        for tile, center, reach in zip(
            self._tiles[tiles], self._centers[tiles], self._reach[tiles], strict=True
        ):
            everyone = reach == -np.inf
            who = queries.everyone if everyone else np.flatnonzero(queries.short @ center >= reach)
            pairs.extend(
                self._screened(queries, who[some], tile, room)
                for some in chunks(len(who), _QUERIES)
            )
        return self._settled(queries, pairs)

    def _screened(
        self, queries: _Queries, who: NDArray[np.intp], tile: slice, room: Room
    ) -> _Pairs:
        """Return which of the queries `who` may have which neighbours in a tile."""
        row, column = self._screen.passing(queries.coded.of(who), tile, self._least, room)
        size = tile.stop - tile.start
        members = self._order[tile]
        if len(row) * _PAIRWISE < len(who) * size:
            return _Pairs(who[row], members[column], _UNKNOWN)
        some, others = (
            torch.from_numpy(rows.astype(np.float64))
            for rows in (queries.unit[who], self._unit(members))
        )
        cosines = (some @ others.T).numpy()[row, column].astype(np.float32)
        return self._kept(_Pairs(who[row], members[column], cosines))

    def _settled(self, queries: _Queries, pairs: list[_Pairs]) -> _Pairs:
        """Return those that are neighbours."""
        known = [one for one in pairs if one.cosines is not _UNKNOWN]
        open_ = _joined([one for one in pairs if one.cosines is _UNKNOWN])
        by_row = np.argsort(open_.rows, kind="stable")
        rows, columns = open_.rows[by_row], open_.columns[by_row]
        products = _sampled(queries.unit, self._embeddings, rows, columns)
        near = np.flatnonzero(products >= self._least * self._lengths[columns])
        rows, columns = rows[near], columns[near]
        cosines = self._cosines(queries.unit, rows, columns)
        return _joined([*known, self._kept(_Pairs(rows, columns, cosines))])

    def _cosines(
        self, queries: Float32Array, rows: Indices, columns: NDArray[np.int32]
    ) -> Float32Array:
        """Return the (h,) products of queries[rows] and the examples, summed in float64."""
        products = np.empty(len(rows))
        # Memory that is asked for anew each time would cost more than the products.
        narrow = np.empty((2, _PAIRS, queries.shape[1]), dtype=np.float32)
        wide = np.empty(narrow.shape)
        for here in chunks(len(rows), _PAIRS):
            some = slice(0, here.stop - here.start)
            # Under "clip" what is taken goes straight to where it is wanted.
            queries.take(rows[here], axis=0, out=narrow[0, some], mode="clip")
            self._embeddings.take(columns[here], axis=0, out=narrow[1, some], mode="clip")
            narrow[1, some] /= self._lengths[columns[here], None]
            wide[:, some] = narrow[:, some]
            np.vecdot(wide[0, some], wide[1, some], out=products[here])
        return products.astype(np.float32)

    def _kept(self, pairs: _Pairs) -> _Pairs:
        """Leave out what is not similar enough."""
        cosines = pairs.cosines
        cosines[cosines > _SAME] = 1
        kept = self._similarity.of(cosines) >= self._similarity.tau
        return _Pairs(pairs.rows[kept], pairs.columns[kept], cosines[kept])

    def _shortened(self, here: slice) -> Float32Array:
        """Return the short rows of some examples, and note their lengths."""
        rows = self._embeddings[here]
        self._lengths[here] = lengths = row_lengths(rows)
        return shortened(rows / lengths[:, None], self._basis)

    def _clustered(self, centers: Float32Array, size: int) -> tuple[Indices, list[int]]:
        """Sort the short rows by cluster; return the order, and where to cut it."""
        count = len(self._embeddings)
        short = np.empty((count, size), dtype=np.float32)
        cluster, toward = np.empty(count, dtype=np.int32), np.empty(count, dtype=np.float32)

        def shorten(here: slice) -> None:
            short[here] = self._shortened(here)
            cluster[here], toward[here] = nearest_center(short[here], centers)

        self._crew.each(shorten, chunks(count))
        order, cuts = by_cluster(cluster, toward)
        self._short = np.empty_like(short)

        def arrange(here: slice) -> None:
            self._short[here] = short[order[here]]
            self._screen.put(here, self._short[here])

        self._crew.each(arrange, chunks(count))
        return order, cuts

    def _bounds(self, clustered: bool) -> tuple[Float32Array, Float32Array]:
        """Return the center of each tile and the least product with it that a neighbour can have.

        Returns:
            (tiles, d) rows of length 1, and (tiles,).
        """
        if not clustered:
            none = np.zeros((len(self._tiles), 0), np.float32)
            return none, np.full(len(none), -np.inf, np.float32)
        centers = unit_rows(np.stack([self._short[tile].mean(axis=0) for tile in self._tiles]))
        nearest = np.empty(len(centers), dtype=np.float32)
        for number, (tile, center) in enumerate(zip(self._tiles, centers, strict=True)):
            # Short rows of zeros have no angle: the tile that holds them is always looked at.
            zeros = not self._short[tile].any(axis=1).all()
            nearest[number] = -1 if zeros else (self._short[tile] @ center).min()
        return centers, reach_of(nearest, self._least)


def _sampled(
    queries: Float32Array, members: Float32Array, rows: Indices, columns: NDArray[np.int32]
) -> Float32Array:
    """Return the (h,) products of queries[rows] and members[columns]; `rows` is ascending."""
    starts = np.zeros(len(queries) + 1, dtype=np.int32)
    starts[1:] = np.cumsum(np.bincount(rows, minlength=len(queries)))
    wanted = torch.sparse_csr_tensor(
        torch.from_numpy(starts),
        torch.from_numpy(columns),
        torch.zeros(len(rows)),
        size=(len(queries), len(members)),
        check_invariants=False,
    )
    products = torch.sparse.sampled_addmm(
        wanted, torch.from_numpy(queries), torch.from_numpy(members).T, beta=0
    )
    values: Float32Array = products.values().numpy()
    return values


def _joined(pairs: list[_Pairs]) -> _Pairs:
    if len(pairs) == 1:
        return pairs[0]
    none = np.empty(0, dtype=np.int64)
    pairs = [_Pairs(none, none.astype(np.int32), none.astype(np.float32)), *pairs]
    rows, columns, cosines = zip(
        *((one.rows, one.columns, one.cosines) for one in pairs), strict=True
    )
    return _Pairs(np.concatenate(rows), np.concatenate(columns), np.concatenate(cosines))
