"""Who competes for the next picks, where not everybody can."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from models.protocols import Indices


class Leaders(NamedTuple):
    """The largest of N values, ties by position, and what the others have.

    Attributes:
        positions: (n,) ascending.
        limit: the largest value of the others; -inf where there are none.
        first_left: the smallest position of others with that value; N where there are none.
    """

    positions: Indices
    limit: float
    first_left: int

    @classmethod
    def of(cls, values: NDArray[np.floating], count: int) -> "Leaders":
        """Find the min(count, N) leaders of (N,) values."""
        left = len(values) - count
        if left <= 0:
            return cls(np.arange(len(values)), -np.inf, len(values))
        limit = np.partition(values, left - 1)[left - 1]
        above, level = np.flatnonzero(values > limit), np.flatnonzero(values == limit)
        room = count - len(above)
        positions = np.sort(np.concatenate([above, level[:room]]))
        return cls(positions, float(limit), int(level[room]))

    def is_beaten(self, value: float, position: int) -> bool:
        """Whether one of the others may come before a leader that has come down to a value."""
        return value < self.limit or (value == self.limit and position > self.first_left)
