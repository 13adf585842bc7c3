"""What all pools have in common, whatever their examples are. Torch-free."""

from collections.abc import Sequence
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from models.protocols import Indices

Medium = Literal["image", "text"]
Batch = NDArray[np.uint8] | list[str]
"""What a store holds of some rows: (n, S, S, 3) images, or n texts."""


class Store(Protocol):
    """Read-only view of the first `count` examples of a pool, by pool index."""

    @property
    def medium(self) -> Medium:
        """What the examples are."""

    @property
    def count(self) -> int:
        """Return the number of examples, N."""

    @property
    def size(self) -> int | None:
        """Return the side of the images in pixels; None where there are none."""

    def __len__(self) -> int:
        """Return the number of examples, N."""

    def take(self, rows: Indices, /) -> "Store":
        """View (n,) rows, in this order, as if there were no others."""

    def __getitem__(self, rows: Indices | slice | Sequence[int], /) -> Batch:
        """Copy rows out, in the order asked for."""
