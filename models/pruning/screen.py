"""Which pairs of rows may be similar, read off small integers.

Rows are turned at random, so that few coordinates stick out, and rounded to multiples of 1 / scale.
A processor multiplies such integers several times as fast as floats. With a and b as what rounding
has taken from x and y, which have length 1 at most, the triangle inequality gives

    x · y <= x' · y' + |a| + |b| + |a| |b|,

so a pair of codes whose product is below the threshold by more than that is no pair of neighbours.
"""

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from models.protocols import Float32Array, Indices

_LARGEST = 63
"""Seven bits: processors without instructions for the purpose add up pairs of products of codes in
16 bits, which eight bits could overflow."""
_WIDTHS = 5.0
"""Coordinates of a turned row have a standard deviation of 1 / sqrt(d), and codes reach this many
of them; what lies beyond is cut off, which its |a| then says."""

_TURNED = 128
"""Coordinates that are turned into each other: all of them would take as long as the search."""

BLUR = 2 * _WIDTHS / _LARGEST / 12**0.5
"""About what rounding adds to the threshold of a product: for all d the same."""


Room = torch.Tensor
"""Memory for products, (m,) int32."""


@dataclass(frozen=True)
class Coded:
    """Codes of (n, d) rows, int8, and the (n,) lengths of what rounding has taken from them."""

    codes: NDArray[np.int8]
    errors: Float32Array

    def of(self, some: NDArray[np.intp]) -> "Coded":
        """Return some of them, all in their order if they are as many."""
        return self if len(some) == len(self.codes) else Coded(self.codes[some], self.errors[some])


class Screen:
    """Codes of N rows of length 1 or less: O(N d) bytes.

    Threads may `put` different rows, and then look for what is `passing`, each in its own `room`.
    """

    def __init__(self, count: int, dimension: int, generator: np.random.Generator) -> None:
        """Make room for `count` rows of `dimension` numbers."""
        self._scale = np.float32(_LARGEST * dimension**0.5 / _WIDTHS)
        groups = -(-dimension // _TURNED)
        sizes = [len(range(group, dimension, groups)) for group in range(groups)]
        turns = [np.linalg.qr(generator.standard_normal((size, size)))[0] for size in sizes]
        self._turns = [turn.astype(np.float32) for turn in turns]
        self._codes = torch.empty((count, dimension), dtype=torch.int8)
        self._errors = np.empty(count, dtype=np.float32)

    def put(self, here: slice, rows: Float32Array) -> None:
        """Write the codes of some (n, d) rows."""
        groups = len(self._turns)
        # Every so many columns, as leading principal components should not end up in one group.
        turned = np.hstack([rows[:, k::groups] @ turn for k, turn in enumerate(self._turns)])
        turned *= self._scale
        codes = np.rint(turned)
        codes.clip(-_LARGEST, _LARGEST, out=codes)
        self._codes.numpy()[here] = codes
        turned -= codes
        self._errors[here] = np.sqrt(np.vecdot(turned, turned)) / self._scale

    def at(self, places: Indices) -> Coded:
        """Return a copy of the codes of some rows."""
        return Coded(self._codes.numpy()[places], self._errors[places])

    def room(self, queries: int, members: int) -> Room:
        """Return memory for so many products: new for each would cost as much as they do."""
        return torch.empty(queries * members, dtype=torch.int32)

    def passing(
        self, queries: Coded, members: slice, least: float, room: Room
    ) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Return which queries may have a product of `least` or more with which members.

        Returns:
            Places in `queries`, ascending, and in `members`.
        """
        codes = self._codes[members]
        formed = room[: len(queries.codes) * len(codes)].view(-1, len(codes))
        # The matrix product of 8-bit integers has no other name in PyTorch.
        torch._int_mm(torch.from_numpy(queries.codes), codes.T, out=formed)
        products = formed.numpy()
        error, other = queries.errors, self._errors[members].max()
        bound = self._scale**2 * (np.float32(least) - error - other - error * other)
        lowest = np.floor(bound).astype(np.int32)
        # Most queries have nobody in a tile, and a maximum costs less than looking for who it is.
        some = np.flatnonzero(formed.amax(dim=1).numpy() >= lowest)
        hits = np.flatnonzero(products[some] >= lowest[some, None])
        row, column = np.divmod(hits, len(codes))
        return some[row], column
