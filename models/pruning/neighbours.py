"""Every pair of examples whose embeddings are similar, exactly, without comparing all of them.

An embedding of length 1 is held a second time as (p, r): its first few coordinates p in the basis
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

from models.protocols import Float32Array, Indices
from models.pruning.crew import Crew
from models.pruning.layout import (
    SAMPLE,
    by_cluster,
    chunks,
    drawn,
    reach_of,
    short_size,
    shortened,
    shortening,
)
from models.pruning.screen import Coded, Room, Screen
from models.pruning.similarity import Similarity
from models.purity.knn import unit_rows

_QUERIES = 1024
_SLACK = 1e-4
"""Far more than rounding can make of products of rows of length 1 in single precision."""
_SAME = np.float32(1 - 2**-22)
_PAIRWISE = 16
"""Below one in so many, pairs are compared one by one."""
_PAIRS = 256
"""Pairs that are compared in full at a time."""
_PRODUCTS = 8_000_000
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
    """Examples whose neighbours are wanted: their places, and their rows in every form."""

    places: Indices
    short: Float32Array
    unit: Float32Array
    coded: Coded

    @cached_property
    def everyone(self) -> NDArray[np.intp]:
        """Return 0 to q - 1."""
        return np.arange(len(self.places))


_UNKNOWN: Float32Array = np.empty(0, dtype=np.float32)


@dataclass(frozen=True)
class _Pairs:
    """Queries and places of examples; `cosines` is `_UNKNOWN` where they have not been compared."""

    rows: Indices
    columns: Indices
    cosines: Float32Array


class Neighbours:
    """Finds the neighbours among N examples: O(N D) memory.

    The cosine of two examples is the product, summed in float64 and rounded to float32, of their
    embeddings divided by their length in float32; 1 where nothing but rounding separates it from
    1. Two ways of summing agree on it unless they straddle a rounding boundary by accident, once
    in 10^8 pairs: so results do not depend on how the work is laid out, and duplicates get equal
    numbers.
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
        self._least = similarity.least_cosine - _SLACK
        self._crew = Crew()
        generator = np.random.default_rng(seed)
        sample = unit_rows(embeddings[drawn(len(embeddings), SAMPLE, generator)])
        basis = shortening(sample, self._least)
        short = np.empty((len(embeddings), short_size(basis)), dtype=np.float32)

        def shorten(here: slice) -> None:
            short[here] = shortened(unit_rows(embeddings[here]), basis)

        self._crew.each(shorten, chunks(len(embeddings)))
        order, cuts = by_cluster(short, self._least, generator, self._crew)
        clustered = order is not None
        order = np.arange(len(short)) if order is None else order
        self._order = order.astype(np.int32)
        self._place = np.empty(len(order), dtype=np.int64)
        self._place[order] = np.arange(len(order))
        self._short = np.empty_like(short) if clustered else short
        self._screen = Screen(len(short), short.shape[1], generator)
        whole = short.shape == embeddings.shape
        self._unit = self._short if whole else np.empty(embeddings.shape, dtype=np.float32)

        def arrange(here: slice) -> None:
            if clustered:
                self._short[here] = short[order[here]]
            self._screen.put(here, self._short[here])
            if not whole:
                self._unit[here] = unit_rows(embeddings[order[here]])

        self._crew.each(arrange, chunks(len(embeddings)))
        self._tiles = [slice(a, b) for a, b in pairwise(cuts)]
        self._widest = max(tile.stop - tile.start for tile in self._tiles)
        self._centers, self._reach = self._bounds(clustered)

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
        queries = _Queries(places, self._short[places], self._unit[places], self._screen.at(places))
        each = max(1, _PRODUCTS // (max(1, len(places)) * self._widest))
        parts = self._crew.each(partial(self._among, queries), chunks(len(self._tiles), each))
        return self._gathered(near.astype(np.int32), _joined(parts))

    def _gathered(self, queries: NDArray[np.int32], found: _Pairs) -> Rows:
        """Sort what was found by query; (q,) `queries` says which row of `found` is which."""
        rows = queries[found.rows]
        by_row = np.argsort(rows, kind="stable")
        counts = np.bincount(rows, minlength=len(queries))
        starts = np.concatenate([[0], np.cumsum(counts)])
        return Rows(starts, self._order[found.columns[by_row]], found.cosines[by_row])

    def _among(self, queries: _Queries, tiles: slice) -> _Pairs:
        """Return the neighbours of the queries that lie in some of the tiles."""
        room = self._screen.room(min(_QUERIES, len(queries.places)), self._widest)
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
        if len(row) * _PAIRWISE < len(who) * size:
            return _Pairs(who[row], tile.start + column, _UNKNOWN)
        some, members = (
            torch.from_numpy(rows.astype(np.float64))
            for rows in (queries.unit[who], self._unit[tile])
        )
        cosines = (some @ members.T).numpy()[row, column].astype(np.float32)
        return self._kept(_Pairs(who[row], tile.start + column, cosines))

    def _settled(self, queries: _Queries, pairs: list[_Pairs]) -> _Pairs:
        """Return those that are neighbours."""
        known = [one for one in pairs if one.cosines is not _UNKNOWN]
        open_ = _joined([one for one in pairs if one.cosines is _UNKNOWN])
        by_row = np.argsort(open_.rows, kind="stable")
        rows, columns = open_.rows[by_row], open_.columns[by_row]
        near = np.flatnonzero(_sampled(queries.unit, self._unit, rows, columns) >= self._least)
        rows, columns = rows[near], columns[near]
        cosines = _products(queries.unit, self._unit, rows, columns).astype(np.float32)
        return _joined([*known, self._kept(_Pairs(rows, columns, cosines))])

    def _kept(self, pairs: _Pairs) -> _Pairs:
        """Leave out what is not similar enough."""
        cosines = pairs.cosines
        cosines[cosines > _SAME] = 1
        kept = self._similarity.of(cosines) >= self._similarity.tau
        return _Pairs(pairs.rows[kept], pairs.columns[kept], cosines[kept])

    def _bounds(self, clustered: bool) -> tuple[Float32Array, Float32Array]:
        """Return the center of each tile and the least product with it that a neighbour can have.

        Returns:
            (tiles, d + 1) rows of length 1, and (tiles,).
        """
        if not clustered:
            shape = len(self._tiles), self._short.shape[1]
            return np.zeros(shape, np.float32), np.full(shape[0], -np.inf, np.float32)
        centers = unit_rows(np.stack([self._short[tile].mean(axis=0) for tile in self._tiles]))
        nearest = np.empty(len(centers), dtype=np.float32)
        for number, (tile, center) in enumerate(zip(self._tiles, centers, strict=True)):
            # Short rows of zeros have no angle: the tile that holds them is always looked at.
            zeros = not self._short[tile].any(axis=1).all()
            nearest[number] = -1 if zeros else (self._short[tile] @ center).min()
        return centers, reach_of(nearest, self._least)


def _products(
    queries: Float32Array, members: Float32Array, rows: Indices, columns: Indices
) -> NDArray[np.float64]:
    """Return the (h,) products of queries[rows] and members[columns], summed in float64."""
    products = np.empty(len(rows))
    # Memory that is asked for anew each time would cost more than the products.
    narrow = np.empty((2, _PAIRS, queries.shape[1]), dtype=np.float32)
    wide = np.empty(narrow.shape)
    for here in chunks(len(rows), _PAIRS):
        some = slice(0, here.stop - here.start)
        # Under "clip" what is taken goes straight to where it is wanted.
        queries.take(rows[here], axis=0, out=narrow[0, some], mode="clip")
        members.take(columns[here], axis=0, out=narrow[1, some], mode="clip")
        wide[:, some] = narrow[:, some]
        np.vecdot(wide[0, some], wide[1, some], out=products[here])
    return products


def _sampled(
    queries: Float32Array, members: Float32Array, rows: Indices, columns: Indices
) -> Float32Array:
    """Return the (h,) products of queries[rows] and members[columns]; `rows` is ascending."""
    starts = np.zeros(len(queries) + 1, dtype=np.int64)
    np.cumsum(np.bincount(rows, minlength=len(queries)), out=starts[1:])
    with warnings.catch_warnings():
        # PyTorch calls every sparse matrix of this layout a beta feature.
        warnings.filterwarnings("ignore", "Sparse CSR tensor support", UserWarning)
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
    pairs = [_Pairs(none, none, none.astype(np.float32)), *pairs]
    rows, columns, cosines = zip(
        *((one.rows, one.columns, one.cosines) for one in pairs), strict=True
    )
    return _Pairs(np.concatenate(rows), np.concatenate(columns), np.concatenate(cosines))
